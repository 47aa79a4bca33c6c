namespace Broker.ZeroMqLoad.Comparing;

/// <summary>Whose sockets an end has.</summary>
internal enum Kind
{
    Libzmq,
    Threads,
    Loops,

    /// <summary>A bridge, with a broker in its process.</summary>
    Bridge,
}
