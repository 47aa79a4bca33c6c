namespace Broker.Cli.Progress;

/// <summary>
/// The addresses in use, with their real ports. A client on this machine can connect to them as they are.
/// </summary>
/// <param name="Nats">The addresses for NATS clients, such as <c>nats://127.0.0.1:4222</c>.</param>
/// <param name="ZeroMqPublishers">
/// The endpoints for ZeroMQ publishers, such as <c>tcp://127.0.0.1:5556</c>. Empty without a bridge.
/// </param>
/// <param name="ZeroMqSubscribers">The endpoints for ZeroMQ subscribers. Empty without a bridge.</param>
/// <param name="Monitoring">
/// The addresses of the monitoring pages, such as <c>http://127.0.0.1:8222</c>, or empty.
/// </param>
/// <param name="WebSocket">The addresses for WebSocket clients, such as <c>wss://127.0.0.1:8443</c>, or empty.</param>
internal sealed record ServeAddresses(
    IReadOnlyList<string> Nats, IReadOnlyList<string> ZeroMqPublishers, IReadOnlyList<string> ZeroMqSubscribers,
    IReadOnlyList<string> Monitoring, IReadOnlyList<string> WebSocket)
{
    /// <summary>No addresses.</summary>
    public static ServeAddresses None { get; } = new([], [], [], [], []);

    /// <summary>The addresses of the bridge's routes, except for PUB/SUB routes.</summary>
    public IReadOnlyList<RouteAddresses> ZeroMqRoutes { get; init; } = [];
}
