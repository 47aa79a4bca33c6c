namespace Broker.Cli.Serving;

/// <summary>The PUB/SUB bridge between ZeroMQ sockets and subjects.</summary>
internal sealed record ZeroMqSettings
{
    /// <summary>The port that ZeroMQ publishers connect to by default.</summary>
    public const int PublishersPort = 5556;

    /// <summary>The port that ZeroMQ subscribers connect to by default.</summary>
    public const int SubscribersPort = 5557;

    /// <summary>Where ZeroMQ PUB sockets are found: the broker subscribes here.</summary>
    public IReadOnlyList<ZeroMqEndpoint> Publishers { get; init; } = [new(true, "127.0.0.1", PublishersPort)];

    /// <summary>Where ZeroMQ SUB sockets are found: the broker publishes here.</summary>
    public IReadOnlyList<ZeroMqEndpoint> Subscribers { get; init; } = [new(true, "127.0.0.1", SubscribersPort)];

    /// <summary>The first subject token of every bridged message.</summary>
    public string Prefix { get; init; } = "zmq";

    /// <summary>The topic character that becomes a token separator.</summary>
    public char Delimiter { get; init; } = '.';

    /// <summary>The character that ends the topic of a message of one frame.</summary>
    public char SingleFrameDelimiter { get; init; } = ' ';

    /// <summary>Whether what ZeroMQ publishers send also reaches ZeroMQ subscribers.</summary>
    public bool Echo { get; init; } = true;

    /// <summary>What may wait for one slow ZeroMQ peer, in bytes; above it whole messages are dropped, as ZeroMQ does.</summary>
    public long SendHighWaterMark { get; init; } = 16 * 1024 * 1024;

    /// <summary>The largest message with all its frames, in bytes; a peer that announces more is closed.</summary>
    public long MaxMessageSize { get; init; } = 1024 * 1024;

    /// <summary>How many ZeroMQ peers may be connected to each side.</summary>
    public int MaxPeers { get; init; } = 1024;

    /// <summary>The NATS server to bridge to, or null for the one in this process.</summary>
    public string? Url { get; init; }
}
