namespace Broker.ZeroMq.Tests.Foreign;

/// <summary>The implementations of ZeroMQ sockets.</summary>
public enum ForeignKind
{
    /// <summary>libzmq through pyzmq.</summary>
    Python,

    /// <summary>zeromq of npm, which contains its own libzmq.</summary>
    Node,

    /// <summary>The real NetMQ, in the program Broker.NetMqPeer.</summary>
    NetMq,

    /// <summary>The thread-safe sockets of this library, in this process.</summary>
    Ours,
}
