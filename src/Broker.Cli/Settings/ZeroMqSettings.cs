using Broker.Bridge;

namespace Broker.Cli.Settings;

/// <summary>
/// The settings of the ZeroMQ bridge: one PUB/SUB route whose settings are here, and any number of other routes. The
/// defaults are those of the bridge.
/// </summary>
internal sealed record ZeroMqSettings
{
    private static readonly PubSubRouteOptions Defaults = new();

    /// <summary>Whether the bridge has the PUB/SUB route of these settings.</summary>
    public bool HasPubSub { get; init; } = true;

    /// <summary>The other routes.</summary>
    public IReadOnlyList<ConfiguredRoute> Routes { get; init; } = [];

    /// <summary>
    /// The security of the PUB/SUB route, and of other routes without their own security; null for none.
    /// </summary>
    public SocketSecurity? Security { get; init; }

    /// <summary>The endpoints for ZeroMQ PUB sockets. The bridge subscribes there.</summary>
    public IReadOnlyList<BridgeEndpoint> Publishers { get; init; } = Defaults.Publishers;

    /// <summary>The endpoints for ZeroMQ SUB sockets. The bridge publishes there.</summary>
    public IReadOnlyList<BridgeEndpoint> Subscribers { get; init; } = Defaults.Subscribers;

    /// <summary>
    /// The user of the server whose permissions ZeroMQ publishers have. If this property and
    /// <see cref="SubscribersUser"/> are null, everything is permitted.
    /// </summary>
    public string? PublishersUser { get; init; }

    /// <summary>
    /// The user of the server whose permissions ZeroMQ subscribers have. It is in the same account as
    /// <see cref="PublishersUser"/>.
    /// </summary>
    public string? SubscribersUser { get; init; }

    /// <summary>The first tokens of every subject of the PUB/SUB route.</summary>
    public string Prefix { get; init; } = Defaults.Mapping.Prefix;

    /// <summary>The topic character that becomes a token separator.</summary>
    public char Delimiter { get; init; } = (char)Defaults.Mapping.TopicDelimiter;

    /// <summary>The character that ends the topic of a message of one frame.</summary>
    public char SingleFrameDelimiter { get; init; } = (char)Defaults.Mapping.SingleFrameDelimiter!;

    /// <summary>Whether messages of ZeroMQ publishers also go to ZeroMQ subscribers.</summary>
    public bool Echo { get; init; } = Defaults.Mapping.Echo;

    /// <summary>
    /// The maximum number of bytes that may be queued for one ZeroMQ peer. Messages above it are dropped, as ZeroMQ
    /// does.
    /// </summary>
    public long SendHighWaterMark { get; init; } = Defaults.HighWaterMark;

    /// <summary>
    /// The maximum size of a message with all its frames, in bytes. The connection of a peer that announces a larger
    /// message is closed.
    /// </summary>
    public int MaxMessageSize { get; init; } = Defaults.MaxMessageSize;

    /// <summary>The maximum number of ZeroMQ publishers, and of ZeroMQ subscribers.</summary>
    public int MaxPeers { get; init; } = Defaults.MaxPeers;

    /// <summary>The NATS servers that the bridge connects to, or null for the server in this process.</summary>
    public BridgeConnection? Connection { get; init; }

    /// <summary>Returns a text for logs, without passwords.</summary>
    public override string ToString()
        => $"{nameof(ZeroMqSettings)} {{ Prefix = {Prefix}, Routes = {string.Join(", ", Routes)}, Connection = {Connection} }}";
}
