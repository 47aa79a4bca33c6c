namespace NetMQ;

/// <summary>
/// Receives the messages of a socket on a thread of its own, and passes them to a handler one by one.
/// </summary>
public class NetMQProactor : IDisposable
{
    private readonly NetMQSocket _socket;
    private readonly Action<NetMQSocket, NetMQMessage> _handler;
    private readonly NetMQPoller _poller;

    /// <summary>Starts to receive.</summary>
    /// <param name="receiveSocket">The socket, which stays open when the object is disposed.</param>
    /// <param name="handler">Called on the object's thread with each message.</param>
    public NetMQProactor(NetMQSocket receiveSocket, Action<NetMQSocket, NetMQMessage> handler)
    {
        ArgumentNullException.ThrowIfNull(receiveSocket);
        ArgumentNullException.ThrowIfNull(handler);
        _socket = receiveSocket;
        _handler = handler;
        _poller = new NetMQPoller { receiveSocket };
        receiveSocket.ReceiveReady += OnReady;
        _poller.RunAsync("NetMQProactor");
    }

    /// <summary>Ends the thread when the handler has returned.</summary>
    public void Dispose()
    {
        _poller.Dispose();
        _socket.ReceiveReady -= OnReady;
        GC.SuppressFinalize(this);
    }

    private void OnReady(object? sender, NetMQSocketEventArgs e) => _handler(_socket, _socket.ReceiveMultipartMessage());
}
