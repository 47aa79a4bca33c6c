using Broker.Bridge;
using Broker.Bridge.PubSub;
using Broker.Server;
using Broker.Transport;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Broker.Hosting;

/// <summary>Starts the bridge of a host.</summary>
internal static class BridgeStart
{
    /// <exception cref="ListenException">An address cannot be had.</exception>
    public static ZeroMqBridge Start(IServiceProvider services, Func<IServiceProvider, ZeroMqBridgeOptions, ZeroMqBridgeOptions>? configure)
    {
        var options = new ZeroMqBridgeOptions { Logger = services.GetRequiredService<ILoggerFactory>().CreateLogger("Broker.Bridge") };
        options = options with
        {
            Client = options.Client with
            {
                Loops = services.GetRequiredService<EventLoopGroup>(),
                Dialer = services.GetService<BrokerServer>()?.Connect(),
            },
            Routes = configure is null ? [new PubSubRouteOptions()] : options.Routes,
        };
        options = configure?.Invoke(services, options) ?? options;
        return Blocking.Run(() => ZeroMqBridge.StartAsync(options));
    }
}
