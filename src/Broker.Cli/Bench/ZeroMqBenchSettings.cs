using Broker.ZeroMq;

namespace Broker.Cli.Bench;

/// <summary>The ends of the traffic of <c>broker bench zmq</c>.</summary>
/// <param name="Sockets">The kind of the sockets.</param>
internal sealed record ZeroMqBenchSettings(ZeroMqSockets Sockets)
{
    /// <summary>
    /// The endpoint of a bridge to which the sending sockets connect. If this property and <see cref="To"/> are null,
    /// the sockets connect to each other.
    /// </summary>
    public string? From { get; init; }

    /// <summary>The endpoint of a bridge to which the receiving sockets connect.</summary>
    public string? To { get; init; }

    /// <summary>The subject of the NATS clients that take the place of one side; null for none.</summary>
    public string? Subject { get; init; }

    /// <summary>The topic of PUB and SUB sockets.</summary>
    public required string Topic { get; init; }

    /// <summary>How long to wait for peers and for the first message.</summary>
    public required TimeSpan ConnectTimeout { get; init; }

    /// <summary>The options of the sockets. A measurement ends without its unsent messages.</summary>
    public ZeroMqSocketOptions Options { get; init; } = new() { Linger = TimeSpan.Zero };

    /// <summary>Whether the sockets connect to each other, without a bridge.</summary>
    public bool IsDirect => From is null && To is null;

    /// <summary>Whether the sending side is a ZeroMQ socket.</summary>
    public bool SendsZeroMq => IsDirect || From is not null;

    /// <summary>Whether the receiving side is a ZeroMQ socket.</summary>
    public bool ReceivesZeroMq => IsDirect || To is not null;

    /// <summary>The name in the results.</summary>
    public string Name => IsDirect ? "direct" : $"{From ?? Subject} > {To ?? Subject}";
}
