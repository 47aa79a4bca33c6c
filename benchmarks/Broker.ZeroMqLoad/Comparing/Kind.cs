namespace Broker.ZeroMqLoad.Comparing;

/// <summary>The library whose sockets an end uses.</summary>
internal enum Kind
{
    Libzmq,
    Threads,
    Loops,

    /// <summary>A bridge, with a broker in its process.</summary>
    Bridge,
}
