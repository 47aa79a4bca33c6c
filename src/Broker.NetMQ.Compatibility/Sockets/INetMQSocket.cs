namespace NetMQ;

/// <summary>A socket.</summary>
public interface INetMQSocket : IOutgoingSocket, IReceivingSocket, ISocketPollable, IDisposable
{
    /// <summary>Raised by a poll when a message can be received.</summary>
    event EventHandler<NetMQSocketEventArgs>? ReceiveReady;

    /// <summary>Raised by a poll when a message can be sent.</summary>
    event EventHandler<NetMQSocketEventArgs>? SendReady;

    /// <summary>The options.</summary>
    SocketOptions Options { get; }

    /// <summary>Whether a frame can be received without waiting.</summary>
    bool HasIn { get; }

    /// <summary>Whether a message can be sent without waiting.</summary>
    bool HasOut { get; }

    /// <summary>Accepts peers at an address, such as <c>tcp://*:5555</c> or <c>inproc://name</c>.</summary>
    /// <exception cref="AddressAlreadyInUseException">The address is in use.</exception>
    /// <exception cref="ProtocolNotSupportedException">The transport is not supported.</exception>
    void Bind(string address);

    /// <summary>Binds to a free port of an address without a port, such as <c>tcp://*</c>.</summary>
    /// <returns>The port.</returns>
    int BindRandomPort(string address);

    /// <summary>Connects to an address, and reconnects when the connection is lost.</summary>
    /// <exception cref="EndpointNotFoundException">No socket has bound the inproc address.</exception>
    void Connect(string address);

    /// <summary>Ends what <see cref="Connect"/> began.</summary>
    /// <exception cref="EndpointNotFoundException">The socket is not connected to the address.</exception>
    void Disconnect(string address);

    /// <summary>Ends what <see cref="Bind"/> began. Connected peers stay connected.</summary>
    /// <exception cref="EndpointNotFoundException">The socket has not bound the address.</exception>
    void Unbind(string address);

    /// <summary>
    /// Binds a socket that sends the events of this socket's connections to a
    /// <see cref="Monitoring.NetMQMonitor"/>. A socket has one monitor: the call ends an earlier one.
    /// </summary>
    /// <param name="endpoint">The inproc address for the monitor.</param>
    /// <param name="events">The events to report.</param>
    /// <exception cref="AddressAlreadyInUseException">The address is in use.</exception>
    /// <exception cref="ProtocolNotSupportedException">The address is not an inproc address.</exception>
    void Monitor(string endpoint, SocketEvents events = SocketEvents.All);

    /// <summary>Closes the socket, as its disposal does.</summary>
    void Close();

    /// <summary>Waits for an event without a limit, and raises it.</summary>
    void Poll();

    /// <summary>Waits for an event, and raises it.</summary>
    /// <returns>False if there was none within the timeout.</returns>
    bool Poll(TimeSpan timeout);

    /// <summary>Waits until the socket is ready for one of the given operations. Raises no event.</summary>
    /// <returns>What the socket is ready for.</returns>
    PollEvents Poll(PollEvents pollEvents, TimeSpan timeout);
}
