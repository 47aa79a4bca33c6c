namespace Broker.Interop.Tests.Harness;

/// <summary>The libraries that the tests run against, by the names that test data uses.</summary>
internal static class Peers
{
    public static IZeroMqPeers Python { get; } = new PythonPeers();

    public static IZeroMqPeers Libzmq { get; } = new LibzmqPeers();

    public static INatsPeers Libnats { get; } = new LibnatsPeers();

    public static NodePeers Node { get; } = new();

    public static IZeroMqPeers ZeroMq(string name) => name switch
    {
        "pyzmq" => Python,
        "libzmq" => Libzmq,
        "zeromq.js" => Node,
        _ => throw new ArgumentOutOfRangeException(nameof(name), name, "no such ZeroMQ peer"),
    };

    public static INatsPeers Nats(string name) => name switch
    {
        "nats.js" => Node,
        "nats.c" => Libnats,
        _ => throw new ArgumentOutOfRangeException(nameof(name), name, "no such NATS peer"),
    };
}
