using Broker.Server;

namespace Broker.Hosting;

/// <summary>
/// How a server in a host is set up, as configuration can say it: the section <c>Broker</c>. What is not set is as in
/// <see cref="BrokerServerOptions"/>; what cannot be said here is said in code (<see cref="Configure(Action{BrokerServerOptions})"/>).
/// </summary>
public sealed class BrokerSettings
{
    /// <summary>The section of the configuration.</summary>
    public const string Section = "Broker";

    /// <summary>
    /// Where to listen: <c>host:port</c>, <c>*:port</c> for all of IPv4 and IPv6, a port alone for this machine only,
    /// <c>unix:/path</c>, or <c>systemd</c> for the sockets that systemd has opened for this process, <c>systemd/name</c> for those with
    /// this <c>FileDescriptorName=</c>. Port 0 takes a free one. Empty, the default: <c>127.0.0.1:4222</c>.
    /// </summary>
    public IList<string> Listen { get; } = [];

    /// <summary>Whether there are no sockets at all: only clients in this process. Default false.</summary>
    public bool InProcessOnly { get; set; }

    /// <summary>The name in INFO.</summary>
    public string? ServerName { get; set; }

    /// <summary>Words that describe the server.</summary>
    public IList<string> ServerTags { get; } = [];

    /// <summary>As <see cref="BrokerServerOptions.MaxPayload"/>.</summary>
    public int? MaxPayload { get; set; }

    /// <summary>As <see cref="BrokerServerOptions.MaxControlLine"/>.</summary>
    public int? MaxControlLine { get; set; }

    /// <summary>As <see cref="BrokerServerOptions.MaxPending"/>.</summary>
    public long? MaxPending { get; set; }

    /// <summary>As <see cref="BrokerServerOptions.MaxPendingTotal"/>.</summary>
    public long? MaxPendingTotal { get; set; }

    /// <summary>As <see cref="BrokerServerOptions.SlowConsumers"/>.</summary>
    public SlowConsumerPolicy? SlowConsumers { get; set; }

    /// <summary>As <see cref="BrokerServerOptions.MaxSubscriptions"/>.</summary>
    public int? MaxSubscriptions { get; set; }

    /// <summary>As <see cref="BrokerServerOptions.MaxConnections"/>.</summary>
    public int? MaxConnections { get; set; }

    /// <summary>As <see cref="BrokerServerOptions.WriteDeadline"/>.</summary>
    public TimeSpan? WriteDeadline { get; set; }

    /// <summary>As <see cref="BrokerServerOptions.PingInterval"/>.</summary>
    public TimeSpan? PingInterval { get; set; }

    /// <summary>As <see cref="BrokerServerOptions.PingMax"/>.</summary>
    public int? PingMax { get; set; }

    /// <summary>As <see cref="BrokerServerOptions.ClientAdvertise"/>.</summary>
    public string? ClientAdvertise { get; set; }

    /// <summary>As <see cref="BrokerServerOptions.ConnectUrls"/>.</summary>
    public IList<string> ConnectUrls { get; } = [];

    /// <summary>As <see cref="BrokerServerOptions.AuthTimeout"/>.</summary>
    public TimeSpan? AuthTimeout { get; set; }

    /// <summary>As <see cref="BrokerServerOptions.Token"/>.</summary>
    public string? Token { get; set; }

    /// <summary>As <see cref="BrokerServerOptions.NoAuthUser"/>.</summary>
    public string? NoAuthUser { get; set; }

    /// <summary>Who may connect. Empty, the default, and no token: everybody.</summary>
    public IList<BrokerUserSettings> Users { get; } = [];

    /// <summary>TLS with clients. Null, the default: none.</summary>
    public BrokerTlsSettings? Tls { get; set; }

    /// <summary>
    /// Event loops, each one thread, that everything of this host shares: server, clients and bridge. 0, the default: half of the
    /// processors, at most 8.
    /// </summary>
    public int Loops { get; set; }

    /// <summary>What only code can say: callbacks, accounts, certificates from a store. Called after all others, at start and at each reload.</summary>
    internal List<Action<IServiceProvider, BrokerServerOptions>> Configurations { get; } = [];

    /// <summary>Says in code what configuration cannot: callbacks, accounts, certificates from a store.</summary>
    /// <param name="configure">Called after the other settings were applied, at start and at each reload.</param>
    /// <returns>These settings, for more.</returns>
    public BrokerSettings Configure(Action<BrokerServerOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        return Configure((_, options) => configure(options));
    }

    /// <inheritdoc cref="Configure(Action{BrokerServerOptions})"/>
    /// <param name="configure">The same with the host's services.</param>
    public BrokerSettings Configure(Action<IServiceProvider, BrokerServerOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        Configurations.Add(configure);
        return this;
    }
}
