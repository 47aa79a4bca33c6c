namespace NetMQ.Sockets;

/// <summary>GATHER: receives from all its SCATTER peers.</summary>
public class GatherSocket : ThreadSafeSocket, IThreadSafeInSocket
{
    /// <summary>Creates a socket.</summary>
    public GatherSocket()
        : base(ZmqSocketType.Gather)
    {
    }
}
