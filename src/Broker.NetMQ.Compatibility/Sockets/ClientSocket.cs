namespace NetMQ.Sockets;

/// <summary>CLIENT: sends to its SERVER peers in turn, and receives from all of them.</summary>
public class ClientSocket : ThreadSafeSocket, IThreadSafeOutSocket, IThreadSafeInSocket
{
    /// <summary>Creates a socket.</summary>
    public ClientSocket()
        : base(ZmqSocketType.Client)
    {
    }
}
