using Broker.Bridge;
using Broker.Bridge.PubSub;
using Broker.Client;
using Broker.Hosting.Bridges.Security;
using Broker.Hosting.Settings;
using Broker.Server;
using Broker.Transport;
using Broker.ZeroMq.Mechanisms;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Broker.Hosting.Bridges;

/// <summary>Starts the bridge of a host and keeps its routes as its configuration has them.</summary>
internal sealed class BridgeStart(
    IServiceProvider services, ILoggerFactory loggers, EventLoopGroup loops, Func<IServiceProvider, ZeroMqBridgeOptions, ZeroMqBridgeOptions>? configure)
{
    /// <summary>The section of the configuration.</summary>
    public const string Section = "ZeroMqBridge";

    private const string RoutesKey = "Routes";
    private const string ClientKey = "Client";

    private static readonly string[] Keys = [ClientKey, RoutesKey, RouteSecurity.Key];

    /// <exception cref="ListenException">An address cannot be had.</exception>
    /// <exception cref="OptionsValidationException">A setting is wrong; each text names its key.</exception>
    public ZeroMqBridge Start()
    {
        IConfigurationSection? section = services.GetService<IConfiguration>()?.GetSection(Section);
        var problems = new List<string>();
        IReadOnlyDictionary<string, RouteSettings> routes = ReadRoutes(section, problems);
        ZeroMqBridgeOptions options = Configure(routes, Client(section, problems));
        ThrowIfAny(problems);
        // Before there is a bridge: a host that is disposed of meanwhile answers nothing any more, and would know nothing of it.
        BridgeReload? reload = section is null ? null : services.GetRequiredService<BridgeReload>();
        ZeroMqBridge bridge;
        try
        {
            bridge = Blocking.Run(() => ZeroMqBridge.StartAsync(options));
        }
        catch (Exception e) when (routes.Count > 0 && e is ArgumentException or FormatException)
        {
            throw Wrong([$"{Section}: {e.Message}"]);
        }

        reload?.Watch(bridge, section!, routes, Read);
        return bridge;

        // The same at each reload: code that says more of a route, such as its security, says it again.
        (IReadOnlyDictionary<string, RouteSettings> Routes, ZeroMqBridgeOptions Options) Read()
        {
            var wrong = new List<string>();
            IReadOnlyDictionary<string, RouteSettings> now = ReadRoutes(section, wrong);
            ThrowIfAny(wrong);
            return (now, Configure(now, options.Client));
        }
    }

    private IReadOnlyDictionary<string, RouteSettings> ReadRoutes(IConfigurationSection? section, List<string> problems)
    {
        if (section is null)
        {
            return new Dictionary<string, RouteSettings>(StringComparer.Ordinal);
        }

        foreach (IConfigurationSection child in section.GetChildren().Where(static child => !Keys.Contains(child.Key, StringComparer.OrdinalIgnoreCase)))
        {
            problems.Add($"{child.Path}: a bridge has no such key; it has {string.Join(", ", Keys[..^1])} and {Keys[^1]}.");
        }

        var security = new RouteSecurity(services.GetService<ICurveCryptography>(), file => ContentRoot.Resolve(services, file));
        SocketSecurity? inherited = security.Read(new RouteSection(section, problems), null);
        IReadOnlyDictionary<string, RouteSettings> routes = RouteSettings.ReadAll(section.GetSection(RoutesKey), security, inherited, problems);
        if (inherited is not null && routes.Count == 0 && problems.Count == 0)
        {
            problems.Add($"{section.Path}:{RouteSecurity.Key}: there is no route that it is for.");
        }

        return routes;
    }

    private static void ThrowIfAny(List<string> problems)
    {
        if (problems.Count > 0)
        {
            throw Wrong(problems);
        }
    }

    private static OptionsValidationException Wrong(IEnumerable<string> problems) => new(Options.DefaultName, typeof(ZeroMqBridgeOptions), problems);

    private ZeroMqBridgeOptions Configure(IReadOnlyDictionary<string, RouteSettings> routes, ClientOptions client)
    {
        var options = new ZeroMqBridgeOptions
        {
            Logger = loggers.CreateLogger("Broker.Bridge"),
            Client = client,
            Routes = routes.Count == 0 && configure is null ? [new PubSubRouteOptions()] : [.. routes.Values.Select(route => route.Options)],
        };
        return configure?.Invoke(services, options) ?? options;
    }

    private ClientOptions Client(IConfigurationSection? section, List<string> problems)
    {
        ClientOptions options = new ZeroMqBridgeOptions().Client with { Loops = loops };
        if (section?.GetSection(ClientKey) is not { } client || !client.Exists())
        {
            return options with { Dialer = services.GetService<BrokerServer>()?.Connect() };
        }

        var settings = new BrokerClientSettings();
        try
        {
            client.Bind(settings, static binder => binder.ErrorOnUnknownConfiguration = true);
        }
        catch (InvalidOperationException e)
        {
            problems.Add($"{client.Path}: {e.Message}");
        }

        return ClientStart.Apply(services, settings, options);
    }
}
