using System.Runtime.ExceptionServices;
using Broker.Bridge;
using Broker.Client;
using Broker.Client.Errors;
using Broker.Hosting.Telemetry;
using Broker.Server;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Broker.Hosting;

/// <summary>
/// Starts the parts before any hosted service starts, and stops them when all have stopped: a service may use them all its life.
/// </summary>
internal sealed class HostedParts(IServiceProvider services, IEnumerable<HostedPart> parts, HostedState state, HostedMetrics metrics, ILoggerFactory loggers)
    : IHostedLifecycleService
{
    // What is left of the host's time once clients have been drained is the bridge's; this much it always gets.
    private static readonly TimeSpan LeastLinger = TimeSpan.FromMilliseconds(100);

    private readonly HostingLog _log = new(loggers);
    private readonly List<object> _started = [];

    private BrokerServer? Server => _started.OfType<BrokerServer>().FirstOrDefault();

    private IEnumerable<ZeroMqBridge> Bridges => _started.OfType<ZeroMqBridge>();

    public Task StartingAsync(CancellationToken cancellationToken)
    {
        foreach (HostedPart part in parts.OrderBy(p => p.Kind))
        {
            cancellationToken.ThrowIfCancellationRequested();
            object started = part.Resolve(services);
            if (!_started.Contains(started))
            {
                _started.Add(started);
                metrics.Add(started, part.Name);
            }
        }

        state.Start();
        return Task.CompletedTask;
    }

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppingAsync(CancellationToken cancellationToken)
    {
        state.Drain();
        Server?.StopAccepting();
        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public async Task StoppedAsync(CancellationToken cancellationToken)
    {
        Exception? failure = null;
        foreach (ZeroMqBridge bridge in Bridges)
        {
            // What ZeroMQ peers have sent is in the server before its clients are drained.
            await TryAsync(() => bridge.StopIngressAsync(cancellationToken)).ConfigureAwait(false);
        }

        foreach (BrokerConnection client in _started.OfType<BrokerConnection>().Where(c => c.State == ConnectionState.Connected))
        {
            await TryAsync(() => client.DrainAsync(cancellationToken)).ConfigureAwait(false);
        }

        if (Server is { } server)
        {
            // What it has for ZeroMQ peers is in the bridge before that is closed.
            await TryAsync(async () => _log.Drained(await server.DrainAsync(Timeout.InfiniteTimeSpan, cancellationToken).ConfigureAwait(false)))
                .ConfigureAwait(false);
        }

        foreach (ZeroMqBridge bridge in Bridges)
        {
            await TryAsync(async () => _log.BridgeClosed(await CloseAsync(bridge, cancellationToken).ConfigureAwait(false))).ConfigureAwait(false);
        }

        if (failure is not null)
        {
            ExceptionDispatchInfo.Throw(failure);
        }

        // One that fails leaves the others their stop. That the time is over, or a server was lost before, is no failure of the host.
        async Task TryAsync(Func<Task> stop)
        {
            try
            {
                await stop().ConfigureAwait(false);
            }
            catch (Exception e) when (e is OperationCanceledException or ClientException or ObjectDisposedException)
            {
                _log.NotDrained(e);
            }
            catch (Exception e)
            {
                failure ??= e;
            }
        }
    }

    // As long as the host's time lasts: the bridge is told a time, so the end of the host's is waited for beside it.
    private static async Task<long> CloseAsync(ZeroMqBridge bridge, CancellationToken cancellationToken)
        => await bridge.CloseAsync(cancellationToken.IsCancellationRequested ? LeastLinger : TimeSpan.FromSeconds(2)).ConfigureAwait(false);
}
