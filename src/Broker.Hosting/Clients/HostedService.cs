using Broker.Client;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Broker.Hosting;

/// <summary>Starts a service of a client with the host, and stops it with the host.</summary>
internal sealed class HostedService(IServiceProvider provider, ServiceOptions options, Action<Service, IServiceProvider> configure, string? client) : IHostedService
{
    private Service? _service;

    /// <inheritdoc/>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        Service service = HostedClient.Of(provider, client, $"The service '{options.Name}'").StartService(options);
        try
        {
            configure(service, provider);
            _service = service;
        }
        catch
        {
            await service.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <inheritdoc/>
    public async Task StopAsync(CancellationToken cancellationToken)
    {
        if (_service is not { } service)
        {
            return;
        }

        try
        {
            await service.StopAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (e is OperationCanceledException or ClientException or ObjectDisposedException)
        {
            // Other hosted services still stop.
            new HostingLog(provider.GetRequiredService<ILoggerFactory>()).NotDrained(e);
            await service.DisposeAsync().ConfigureAwait(false);
        }
    }
}
