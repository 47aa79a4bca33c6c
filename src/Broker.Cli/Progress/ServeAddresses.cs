namespace Broker.Cli.Progress;

/// <summary>The addresses in use, with the real ports. Hosts are as a client on this machine would write them.</summary>
/// <param name="Nats">Of the NATS protocol, <c>nats://127.0.0.1:4222</c>.</param>
/// <param name="ZeroMqPublishers">What ZeroMQ publishers connect to, <c>tcp://127.0.0.1:5556</c>; empty without a bridge.</param>
/// <param name="ZeroMqSubscribers">What ZeroMQ subscribers connect to.</param>
/// <param name="Monitoring">Of the monitoring pages, <c>http://127.0.0.1:8222</c>; empty without them.</param>
/// <param name="WebSocket">Of clients by WebSocket, <c>wss://127.0.0.1:8443</c>; empty without them.</param>
internal sealed record ServeAddresses(
    IReadOnlyList<string> Nats, IReadOnlyList<string> ZeroMqPublishers, IReadOnlyList<string> ZeroMqSubscribers,
    IReadOnlyList<string> Monitoring, IReadOnlyList<string> WebSocket)
{
    /// <summary>What a program of this machine finds when nothing listens.</summary>
    public static ServeAddresses None { get; } = new([], [], [], [], []);

    /// <summary>Those of the bridge's routes that are not PUB/SUB.</summary>
    public IReadOnlyList<RouteAddresses> ZeroMqRoutes { get; init; } = [];
}
