namespace NetMQ.Sockets;

/// <summary>RADIO: sends to the DISH peers that have joined a group.</summary>
public class RadioSocket : ThreadSafeSocket, IGroupOutSocket
{
    /// <summary>Creates a socket.</summary>
    public RadioSocket()
        : base(ZmqSocketType.Radio)
    {
    }
}
