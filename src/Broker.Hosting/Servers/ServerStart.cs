using Broker.Server;
using Broker.Transport;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Broker.Hosting;

/// <summary>Starts the server of a host and applies later changes of its settings.</summary>
internal static class ServerStart
{
    /// <exception cref="OptionsValidationException">
    /// A setting is wrong. The message contains the setting's key.
    /// </exception>
    /// <exception cref="ListenException">An address cannot be bound.</exception>
    public static BrokerServer Start(IServiceProvider services)
    {
        ILoggerFactory loggers = services.GetRequiredService<ILoggerFactory>();
        var log = new HostingLog(loggers);
        BrokerSettings settings = services.GetRequiredService<IOptions<BrokerSettings>>().Value;
        BrokerServerOptions options = ServerSetup.Build(services, settings);
        options.Loops ??= services.GetRequiredService<EventLoopGroup>();
        // Resolve the reload before the server exists. If the host were disposed between the two steps, the services
        // could not be resolved, and nothing would dispose the server.
        SettingsReload reload = services.GetRequiredService<SettingsReload>();
        options.LogTo(loggers);
        Func<BrokerServer, CancellationToken, Task<IServerStreams>>? streams =
            StreamsStart.Of(services, settings, options, loggers.CreateLogger("Broker.Streams"));
        BrokerServer server = Blocking.Run(() => streams is null ? BrokerServer.StartAsync(options) : BrokerServer.StartAsync(options, streams));
        if (server.EndPoints.Count > 0)
        {
            log.Listening(string.Join(", ", server.EndPoints.Select(e => e.ToString())));
        }

        var kept = new FixedServerSettings(options.EndPoints, settings.Loops, settings.Streams?.Describe());
        reload.Watch(server, kept);
        server.RereadConfiguration = () => reload.RereadAsync(server, kept);
        return server;
    }
}
