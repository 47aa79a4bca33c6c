using Broker.Bridge;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Broker.NetMQ;

/// <summary>Attaches NetMQ sockets while a host runs.</summary>
public static class NetMQServices
{
    /// <summary>
    /// Attaches a NetMQ socket when the host starts, and ends the attachment when the host stops. The bridge is the one
    /// of the host (<c>AddZeroMqBridge</c>) or any other <see cref="ZeroMqBridge"/> among the services.
    /// </summary>
    /// <param name="services">The services.</param>
    /// <param name="attach">
    /// Makes the attachment, such as <c>bridge.AttachAsync(poller, socket, route)</c>. An exception fails the start of
    /// the host.
    /// </param>
    public static IServiceCollection AddNetMQAttachment(
        this IServiceCollection services, Func<IServiceProvider, ZeroMqBridge, Task<NetMQAttachment>> attach)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(attach);
        return services.AddSingleton<IHostedService>(provider => new HostedAttachment(provider, attach));
    }

    private sealed class HostedAttachment(IServiceProvider provider, Func<IServiceProvider, ZeroMqBridge, Task<NetMQAttachment>> attach)
        : IHostedService
    {
        private NetMQAttachment? _attachment;

        public async Task StartAsync(CancellationToken cancellationToken)
            => _attachment = await attach(provider, provider.GetRequiredService<ZeroMqBridge>()).ConfigureAwait(false);

        public async Task StopAsync(CancellationToken cancellationToken)
        {
            if (_attachment is not null)
            {
                await _attachment.DisposeAsync().ConfigureAwait(false);
            }
        }
    }
}
