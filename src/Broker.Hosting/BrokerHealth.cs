using Broker.Client;
using Broker.Hosting;
using Broker.Leaf;
using Broker.Server;
using Broker.Transport;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds health checks for the parts that <see cref="BrokerServices"/> adds.</summary>
public static class BrokerHealth
{
    /// <summary>The tag of checks for liveness: if such a check fails, the process should be restarted.</summary>
    public const string LiveTag = "live";

    /// <summary>The tag of checks for readiness: if such a check fails, the process should receive no work.</summary>
    public const string ReadyTag = "ready";

    // The time limit for an event loop's answer. An application can change the limit in the registration of the check.
    private static readonly TimeSpan AnswerTime = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Adds four checks. <c>broker-loops</c> (tag <c>live</c>) is healthy if every event loop answers within 5 s.
    /// <c>broker</c> (tag <c>ready</c>) is healthy if all parts have started and the server is not draining.
    /// <c>broker-client</c> (tag <c>ready</c>) is healthy if the default client is connected, and degraded while the
    /// client reconnects. <c>broker-leaf</c> (tag <c>ready</c>) is healthy if all remote servers that the server joins as
    /// a leaf node are connected, and degraded otherwise. No check causes a part to start. Before the host has started,
    /// all checks report "starting".
    /// </summary>
    /// <param name="checks">The host's checks: <c>services.AddHealthChecks()</c>.</param>
    /// <returns>The same checks, for chained calls.</returns>
    public static IHealthChecksBuilder AddBroker(this IHealthChecksBuilder checks)
    {
        ArgumentNullException.ThrowIfNull(checks);
        return checks
            .Add(new HealthCheckRegistration("broker-loops", static s => new LoopsCheck(s.GetRequiredService<HostedState>(), s), null, [LiveTag], AnswerTime))
            .Add(new HealthCheckRegistration("broker", static s => new ReadyCheck(s.GetRequiredService<HostedState>(), s), null, [ReadyTag]))
            .Add(new HealthCheckRegistration("broker-client", static s => new ClientCheck(s.GetRequiredService<HostedState>(), s), null, [ReadyTag]))
            .Add(new HealthCheckRegistration("broker-leaf", static s => new LeafCheck(s.GetRequiredService<HostedState>(), s), null, [ReadyTag]));
    }

    private sealed class LoopsCheck(HostedState state, IServiceProvider services) : IHealthCheck
    {
        public async Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
        {
            if (!state.IsStarted)
            {
                // The process is alive, but its loops may not exist yet.
                return HealthCheckResult.Healthy("starting");
            }

            return await services.GetRequiredService<EventLoopGroup>().IsRespondingAsync(cancellationToken).ConfigureAwait(false)
                ? HealthCheckResult.Healthy()
                : new HealthCheckResult(context.Registration.FailureStatus, "an event loop has ended");
        }
    }

    private sealed class ReadyCheck(HostedState state, IServiceProvider services) : IHealthCheck
    {
        public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
            => Task.FromResult(
                state.IsDraining ? new HealthCheckResult(context.Registration.FailureStatus, "draining")
                : !state.IsStarted ? new HealthCheckResult(context.Registration.FailureStatus, "starting")
                : services.GetService<BrokerServer>()?.Inspect().IsShuttingDown == true ? new HealthCheckResult(context.Registration.FailureStatus, "leaving")
                : HealthCheckResult.Healthy());
    }

    // Clients of this server work without the remote servers, so a lost link does not make the host unready.
    private sealed class LeafCheck(HostedState state, IServiceProvider services) : IHealthCheck
    {
        public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
        {
            if (!state.IsStarted)
            {
                return Task.FromResult(new HealthCheckResult(context.Registration.FailureStatus, "starting"));
            }

            IReadOnlyList<LeafRemoteStatus> remotes = services.GetService<LeafNodes>()?.Remotes ?? [];
            return Task.FromResult(remotes.FirstOrDefault(static remote => !remote.IsConnected) is { } lost
                ? HealthCheckResult.Degraded($"not connected to {lost.Address}: {lost.LastError}")
                : HealthCheckResult.Healthy());
        }
    }

    private sealed class ClientCheck(HostedState state, IServiceProvider services) : IHealthCheck
    {
        public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
            => Task.FromResult(!state.IsStarted ? new HealthCheckResult(context.Registration.FailureStatus, "starting") : services.GetService<BrokerConnection>()?.State switch
            {
                null or ConnectionState.Connected => HealthCheckResult.Healthy(),
                ConnectionState.Closed => new HealthCheckResult(context.Registration.FailureStatus, "closed"),
                _ => HealthCheckResult.Degraded("looks for a server"),
            });
    }
}
