namespace NetMQ.Sockets;

/// <summary>SCATTER: sends to its GATHER peers in turn.</summary>
public class ScatterSocket : ThreadSafeSocket, IThreadSafeOutSocket
{
    /// <summary>Creates a socket.</summary>
    public ScatterSocket()
        : base(ZmqSocketType.Scatter)
    {
    }
}
