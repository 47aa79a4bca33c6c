namespace Broker.Interop.Tests.Harness;

/// <summary>The client libraries of the tests, by their names in test data.</summary>
internal static class Peers
{
    public static IZeroMqPeers Python { get; } = new PythonPeers();

    public static IZeroMqPeers Libzmq { get; } = new LibzmqPeers();

    public static IZeroMqPeers NetMq { get; } = new NetMqPeers();

    public static INatsPeers Libnats { get; } = new LibnatsPeers();

    public static IZeroMqPeers ZeroMqJs { get; } = new NodePeers();

    public static INatsPeers NatsJs { get; } = new NodePeers();

    public static INatsPeers NatsGo { get; } = new GoPeers();

    public static IZeroMqPeers ZeroMq(string name) => name switch
    {
        "pyzmq" => Python,
        "libzmq" => Libzmq,
        "zeromq.js" => ZeroMqJs,
        "NetMQ" => NetMq,
        _ => throw new ArgumentOutOfRangeException(nameof(name), name, "no such ZeroMQ peer"),
    };

    public static INatsPeers Nats(string name) => name switch
    {
        "nats.js" => NatsJs,
        "nats.c" => Libnats,
        "nats.go" => NatsGo,
        _ => throw new ArgumentOutOfRangeException(nameof(name), name, "no such NATS peer"),
    };
}
