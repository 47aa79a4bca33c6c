using Broker.Bridge;
using Broker.Hosting;

namespace Broker.Cli.Settings;

/// <summary>
/// The bridge between ZeroMQ sockets and subjects: one PUB/SUB route with settings of its own, and any routes beside it. The defaults are those
/// of the bridge.
/// </summary>
internal sealed record ZeroMqSettings
{
    private static readonly PubSubRouteOptions Defaults = new();

    /// <summary>Whether there is the one PUB/SUB route.</summary>
    public bool HasPubSub { get; init; } = true;

    /// <summary>The other routes.</summary>
    public IReadOnlyList<RouteSettings> Routes { get; init; } = [];

    /// <summary>The security of the PUB/SUB route, and of the others that say nothing of their own; null for none.</summary>
    public SocketSecurity? Security { get; init; }

    /// <summary>Where ZeroMQ PUB sockets are found: the broker subscribes here.</summary>
    public IReadOnlyList<BridgeEndpoint> Publishers { get; init; } = Defaults.Publishers;

    /// <summary>Where ZeroMQ SUB sockets are found: the broker publishes here.</summary>
    public IReadOnlyList<BridgeEndpoint> Subscribers { get; init; } = Defaults.Subscribers;

    /// <summary>The user whose permissions publishers have, one of the server's; null, for everything, when <see cref="SubscribersUser"/> is.</summary>
    public string? PublishersUser { get; init; }

    /// <summary>The same of subscribers. Both are of one account.</summary>
    public string? SubscribersUser { get; init; }

    /// <summary>The first subject token of every bridged message.</summary>
    public string Prefix { get; init; } = Defaults.Mapping.Prefix;

    /// <summary>The topic character that becomes a token separator.</summary>
    public char Delimiter { get; init; } = (char)Defaults.Mapping.TopicDelimiter;

    /// <summary>The character that ends the topic of a message of one frame.</summary>
    public char SingleFrameDelimiter { get; init; } = (char)Defaults.Mapping.SingleFrameDelimiter!;

    /// <summary>Whether what ZeroMQ publishers send also reaches ZeroMQ subscribers.</summary>
    public bool Echo { get; init; } = Defaults.Mapping.Echo;

    /// <summary>What may wait for one slow ZeroMQ peer, in bytes; above it whole messages are dropped, as ZeroMQ does.</summary>
    public long SendHighWaterMark { get; init; } = Defaults.HighWaterMark;

    /// <summary>The largest message with all its frames, in bytes; a peer that announces more is closed.</summary>
    public int MaxMessageSize { get; init; } = Defaults.MaxMessageSize;

    /// <summary>How many ZeroMQ peers may be connected to each side.</summary>
    public int MaxPeers { get; init; } = Defaults.MaxPeers;

    /// <summary>The NATS servers to bridge to, or null for the one in this process.</summary>
    public BridgeConnection? Connection { get; init; }

    /// <summary>What a log may show: the servers without passwords.</summary>
    public override string ToString() =>
        $"{nameof(ZeroMqSettings)} {{ Prefix = {Prefix}, Routes = {string.Join(", ", Routes)}, Connection = {Connection} }}";
}
