namespace NetMQ.Sockets;

/// <summary>SERVER: knows each CLIENT peer by a number, by which it answers.</summary>
public class ServerSocket : ThreadSafeSocket, IRoutingIdSocket
{
    /// <summary>Creates a socket.</summary>
    public ServerSocket()
        : base(ZmqSocketType.Server)
    {
    }
}
