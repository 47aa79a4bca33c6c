using Broker.Bridge;
using Broker.Client;
using Broker.Server;
using Broker.Transport;
using Broker.ZeroMq;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Broker.Hosting;

/// <summary>Starts the bridge of a host and applies later changes of its configured routes.</summary>
internal sealed class BridgeStart(
    IServiceProvider services, ILoggerFactory loggers, EventLoopGroup loops, IReadOnlyList<BridgeConfiguration> configurations)
{
    /// <summary>The name of the configuration section.</summary>
    public const string Section = "ZeroMqBridge";

    private const string RoutesKey = "Routes";
    private const string ClientKey = "Client";
    private const string FirstConnectKey = $"{ClientKey}:{nameof(BrokerClientSettings.FirstConnect)}";

    private static readonly string[] Keys = [ClientKey, RoutesKey, RouteSecurity.Key];

    /// <exception cref="ListenException">An address cannot be bound.</exception>
    /// <exception cref="OptionsValidationException">
    /// A setting is wrong. Each message contains the setting's key.
    /// </exception>
    public ZeroMqBridge Start()
    {
        IConfigurationSection? section = services.GetService<IConfiguration>()?.GetSection(Section);
        var problems = new List<string>();
        IReadOnlyDictionary<string, BridgeRouteSettings> routes = ReadRoutes(section, problems);
        BrokerClientSettings? settings = ClientSettings(section, problems);
        bool requireServer = RequireServer(section, settings, problems);
        ZeroMqBridgeOptions options = Configure(routes, Client(settings), requireServer);
        ThrowIfAny(problems);
        // Resolve the reload before the bridge exists. If the host were disposed between the two steps, the services
        // could not be resolved, and nothing would dispose the bridge.
        BridgeReload? reload = section is null ? null : services.GetRequiredService<BridgeReload>();
        ZeroMqBridge bridge;
        bool isChecked = false;
        try
        {
            // If Validate succeeds, later errors come from the client's settings.
            options.Validate();
            isChecked = true;
            bridge = Blocking.Run(() => ZeroMqBridge.StartAsync(options));
        }
        catch (Exception e) when (e is ArgumentException or FormatException && isChecked && settings is not null && ClientStart.Key(services, settings, e) is not null)
        {
            throw Wrong([$"{Section}:{ClientKey}:{ClientStart.Key(services, settings, e)}: {e.Message}"]);
        }
        catch (Exception e) when (routes.Count > 0 && e is ArgumentException or FormatException)
        {
            throw Wrong([$"{Section}: {e.Message}"]);
        }

        reload?.Watch(bridge, section!, routes, Read);
        return bridge;

        // Each reload runs the callbacks again, because a callback can change routes, for example their security.
        (IReadOnlyDictionary<string, BridgeRouteSettings> Routes, ZeroMqBridgeOptions Options) Read()
        {
            var wrong = new List<string>();
            IReadOnlyDictionary<string, BridgeRouteSettings> now = ReadRoutes(section, wrong);
            ThrowIfAny(wrong);
            return (now, Configure(now, options.Client, requireServer));
        }
    }

    private IReadOnlyDictionary<string, BridgeRouteSettings> ReadRoutes(IConfigurationSection? section, List<string> problems)
    {
        if (section is null)
        {
            return new Dictionary<string, BridgeRouteSettings>(StringComparer.Ordinal);
        }

        foreach (IConfigurationSection child in section.GetChildren().Where(static child => !Keys.Contains(child.Key, StringComparer.OrdinalIgnoreCase)))
        {
            problems.Add($"{child.Path}: a bridge has no such key; it has {string.Join(", ", Keys[..^1])} and {Keys[^1]}.");
        }

        foreach (IConfigurationSection single in new[] { section, section.GetSection(RoutesKey) }.Where(static s => !string.IsNullOrEmpty(s.Value)))
        {
            problems.Add($"{single.Path}: a section is wanted, and this is a single value.");
        }

        var security = new RouteSecurity(services.GetService<ICurveCryptography>(), file => ContentRoot.Resolve(services, file));
        SocketSecurity? inherited = security.Read(new RouteSection(section, problems), null);
        IReadOnlyDictionary<string, BridgeRouteSettings> routes = BridgeRouteSettings.ReadAll(section.GetSection(RoutesKey), security, inherited, problems);
        if (inherited is not null && routes.Count == 0 && problems.Count == 0)
        {
            problems.Add($"{section.Path}:{RouteSecurity.Key}: no route uses it.");
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

    private ZeroMqBridgeOptions Configure(IReadOnlyDictionary<string, BridgeRouteSettings> routes, ClientOptions client, bool requireServer)
    {
        var options = new ZeroMqBridgeOptions
        {
            Logger = loggers.CreateLogger("Broker.Bridge"),
            Client = client,
            RequireServer = requireServer,
            Routes = routes.Count == 0 && configurations.Count == 0 ? [new PubSubRouteOptions()] : [.. routes.Values.Select(route => route.Options)],
        };
        return configurations.Aggregate(options, (so, one) => one.Configure(services, so));
    }

    private ClientOptions Client(BrokerClientSettings? settings)
    {
        ClientOptions options = new ZeroMqBridgeOptions().Client with { Loops = loops };
        return settings is null
            ? options with { Dialer = services.GetService<BrokerServer>()?.CreateDialer() }
            : ClientStart.Apply(services, settings, options);
    }

    // By default, the start of a bridge does not fail without a server: the bridge waits for it. A client's start
    // fails.
    private static bool RequireServer(IConfigurationSection? section, BrokerClientSettings? settings, List<string> problems)
    {
        if (settings is null || section![FirstConnectKey] is null)
        {
            return false;
        }

        if (settings.FirstConnect == FirstConnect.Retry)
        {
            problems.Add($"{Section}:{FirstConnectKey}: Retry could block the start forever; use Background instead.");
        }

        return settings.FirstConnect == FirstConnect.Fail;
    }

    // Null if the section has no client settings.
    private static BrokerClientSettings? ClientSettings(IConfigurationSection? section, List<string> problems)
    {
        if (section?.GetSection(ClientKey) is not { } client || !client.Exists())
        {
            return null;
        }

        var settings = new BrokerClientSettings();
        SettingsReader.Read(client, settings, problems);
        return settings;
    }
}
