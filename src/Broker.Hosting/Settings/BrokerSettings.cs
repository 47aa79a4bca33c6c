using Broker.Leaf;
using Broker.Server;

namespace Broker.Hosting;

/// <summary>
/// The configurable settings of a server in a host: the section <c>Broker</c>. Settings without a value use the
/// defaults of <see cref="BrokerServerOptions"/>. Set other options in code (<see
/// cref="Configure(Action{BrokerServerOptions})"/>).
/// </summary>
public sealed class BrokerSettings
{
    /// <summary>The name of the configuration section.</summary>
    public const string Section = "Broker";

    /// <summary>
    /// The addresses to listen on: <c>host:port</c>, <c>*:port</c> for all IPv4 and IPv6 addresses, a port alone for
    /// this machine only, <c>unix:/path</c>, <c>systemd</c> for all sockets that systemd has passed to this process, or
    /// <c>systemd/name</c> for the sockets whose unit has <c>FileDescriptorName=name</c>. Port 0 chooses a free port.
    /// If the list is empty (the default), the address is <c>127.0.0.1:4222</c>.
    /// </summary>
    public IList<string> Listen { get; } = [];

    /// <summary>
    /// Whether the server listens on no socket, so that only clients of this process can connect. Default: false.
    /// </summary>
    public bool InProcessOnly { get; set; }

    /// <summary>The server's name in INFO.</summary>
    public string? ServerName { get; set; }

    /// <summary>The server's tags, which the monitoring pages show.</summary>
    public IList<string> ServerTags { get; } = [];

    /// <summary>See <see cref="BrokerServerOptions.MaxPayload"/>.</summary>
    public int? MaxPayload { get; set; }

    /// <summary>See <see cref="BrokerServerOptions.MaxControlLine"/>.</summary>
    public int? MaxControlLine { get; set; }

    /// <summary>See <see cref="BrokerServerOptions.MaxPending"/>.</summary>
    public long? MaxPending { get; set; }

    /// <summary>See <see cref="BrokerServerOptions.MaxPendingTotal"/>.</summary>
    public long? MaxPendingTotal { get; set; }

    /// <summary>See <see cref="BrokerServerOptions.SlowConsumers"/>.</summary>
    public SlowConsumerPolicy? SlowConsumers { get; set; }

    /// <summary>See <see cref="BrokerServerOptions.StallFastPublishers"/>.</summary>
    public bool? StallFastPublishers { get; set; }

    /// <summary>See <see cref="BrokerServerOptions.MaxSubscriptions"/>.</summary>
    public int? MaxSubscriptions { get; set; }

    /// <summary>As <see cref="BrokerServerOptions.MaxSubscriptionTokens"/>.</summary>
    public int? MaxSubscriptionTokens { get; set; }

    /// <summary>As <see cref="BrokerServerOptions.MaxConnections"/>.</summary>
    public int? MaxConnections { get; set; }

    /// <summary>See <see cref="BrokerServerOptions.SampleSubjects"/>.</summary>
    public int? SampleSubjects { get; set; }

    /// <summary>See <see cref="BrokerServerOptions.WriteDeadline"/>.</summary>
    public TimeSpan? WriteDeadline { get; set; }

    /// <summary>See <see cref="BrokerServerOptions.PingInterval"/>.</summary>
    public TimeSpan? PingInterval { get; set; }

    /// <summary>See <see cref="BrokerServerOptions.PingMax"/>.</summary>
    public int? PingMax { get; set; }

    /// <summary>See <see cref="BrokerServerOptions.ClientAdvertise"/>.</summary>
    public string? ClientAdvertise { get; set; }

    /// <summary>See <see cref="BrokerServerOptions.ConnectUrls"/>.</summary>
    public IList<string> ConnectUrls { get; } = [];

    /// <summary>See <see cref="BrokerServerOptions.AuthTimeout"/>.</summary>
    public TimeSpan? AuthTimeout { get; set; }

    /// <summary>See <see cref="BrokerServerOptions.Token"/>.</summary>
    public string? Token { get; set; }

    /// <summary>See <see cref="BrokerServerOptions.NoAuthUser"/>.</summary>
    public string? NoAuthUser { get; set; }

    /// <summary>
    /// The users that may connect. If the list is empty (the default) and there is no token, every client may connect.
    /// </summary>
    public IList<BrokerUserSettings> Users { get; } = [];

    /// <summary>
    /// The operators whose accounts and users the server accepts, in place of <see cref="Users"/> and
    /// <see cref="Token"/>. Null, the default, means none.
    /// </summary>
    public BrokerOperatorSettings? Operator { get; set; }

    /// <summary>A service that decides which clients may connect. Null, the default, means none.</summary>
    public BrokerAuthCalloutSettings? AuthCallout { get; set; }

    /// <summary>The TLS settings for clients. Null, the default, means no TLS.</summary>
    public BrokerTlsSettings? Tls { get; set; }

    /// <summary>
    /// The clusters of nats-servers that the server joins as a leaf node. Null, the default, means none.
    /// </summary>
    public BrokerLeafSettings? LeafNodes { get; set; }

    /// <summary>The streams of the server, which store messages. Null, the default, means none.</summary>
    public BrokerServerStreamsSettings? Streams { get; set; }

    /// <summary>
    /// The number of event loops. Each has one thread. This host's server, clients and bridge share the loops. 0, the
    /// default, means half of the number of processors, at most 8.
    /// </summary>
    public int Loops { get; set; }

    /// <summary>
    /// The callbacks of <see cref="Configure(Action{BrokerServerOptions})"/>. They run at the start and at each reload.
    /// </summary>
    internal List<Action<IServiceProvider, BrokerServerOptions>> Configurations { get; } = [];

    /// <summary>The callbacks of <see cref="ConfigureLeafNodes"/>.</summary>
    internal List<Func<IServiceProvider, LeafNodeOptions, LeafNodeOptions>> LeafConfigurations { get; } = [];

    /// <summary>Adds streams, which store messages in a directory: <c>AddBroker(broker => broker.UseStreams("data"))</c>.</summary>
    /// <param name="directory">
    /// The directory, which is created if it does not exist. A relative path begins in the host's content root.
    /// </param>
    /// <returns>The same settings, for chained calls.</returns>
    public BrokerSettings UseStreams(string directory)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(directory);
        (Streams ??= new BrokerServerStreamsSettings()).Directory = directory;
        return this;
    }

    /// <summary>
    /// Adds a callback that sets options which the configuration cannot set: callbacks, accounts, certificates from a
    /// store.
    /// </summary>
    /// <param name="configure">Runs after the other settings were applied, at the start and at each reload.</param>
    /// <returns>The same settings, for chained calls.</returns>
    public BrokerSettings Configure(Action<BrokerServerOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        return Configure((_, options) => configure(options));
    }

    /// <inheritdoc cref="Configure(Action{BrokerServerOptions})"/>
    /// <param name="configure">The same callback, which also receives the host's services.</param>
    public BrokerSettings Configure(Action<IServiceProvider, BrokerServerOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        Configurations.Add(configure);
        return this;
    }

    /// <summary>
    /// Adds a callback that sets options of leaf nodes which the configuration cannot set, such as keys:
    /// <c>settings.ConfigureLeafNodes((services, options) => options with { … })</c>.
    /// </summary>
    /// <param name="configure">
    /// Receives the options after the other settings were applied, and returns the options to use. Runs at the start and
    /// at each reload.
    /// </param>
    /// <returns>The same settings, for chained calls.</returns>
    public BrokerSettings ConfigureLeafNodes(Func<IServiceProvider, LeafNodeOptions, LeafNodeOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        LeafConfigurations.Add(configure);
        return this;
    }
}
