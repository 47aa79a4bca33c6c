namespace Broker.ZeroMqLoad.Comparing;

/// <summary>The library whose sockets an end uses.</summary>
internal enum Kind
{
    Libzmq,
    Threads,
    Loops,

    /// <summary>Sockets for threads; each message is received as an array.</summary>
    Arrays,

    /// <summary>NetMQ, with an array for each message.</summary>
    NetMqBytes,

    /// <summary>NetMQ, with one Msg.</summary>
    NetMqMsg,

    /// <summary>NetMQ's API on this project's sockets, with an array for each message.</summary>
    CompatibleBytes,

    /// <summary>NetMQ's API on this project's sockets, with one Msg.</summary>
    CompatibleMsg,

    /// <summary>A bridge, with a broker in its process.</summary>
    Bridge,
}
