namespace Broker.ZeroMq.Tests.Foreign;

/// <summary>Whose sockets.</summary>
public enum ForeignKind
{
    /// <summary>libzmq, through pyzmq.</summary>
    Python,

    /// <summary>npm's zeromq, which carries a libzmq of its own.</summary>
    Node,

    /// <summary>Ours, for threads, in this process.</summary>
    Ours,
}
