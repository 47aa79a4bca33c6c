using Broker.ZeroMq.Loops;

namespace Broker.ZeroMq;

/// <summary>
/// ROUTER: receives messages from all peers and adds the sender's routing id to each message as the first frame. When
/// it sends, the first frame is the routing id of the peer that gets the message (RFC 28). If that peer does not exist
/// or has no room, the message is dropped and counted, unless the socket is mandatory
/// (<see cref="RouterSocketOptions.Mandatory"/>).
/// </summary>
/// <example><code>
/// using var router = new RouterSocket();
/// router.Bind("tcp://127.0.0.1:5560");
/// byte[][] frames = router.ReceiveFrames(); // the first frame is the routing id of the sender
/// router.Send(frames[0], "done"u8);
/// </code></example>
public sealed class RouterSocket : MessageSocket, ISendingSocket, IReceivingSocket
{
    private readonly LoopRouter _socket;
    private readonly bool _isMandatory;
    private long _unroutable;

    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="options">The options; null for a new <see cref="RouterSocketOptions"/>.</param>
    /// <param name="context">
    /// The context; null creates a separate context on the shared event loops of the process.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public RouterSocket(RouterSocketOptions? options = null, ZeroMqContext? context = null)
        : base(options, context)
    {
        options ??= new RouterSocketOptions();
        _isMandatory = options.Mandatory;
        _socket = Attach(() => Create(options));
    }

    /// <inheritdoc/>
    public bool HasRoom => Sender.Queue.HasRoom;

    /// <inheritdoc/>
    public bool HasMessages => Receiver.Queue.HasMessages;

    /// <summary>
    /// The number of messages that were dropped because no peer could take them. The value may be out of date at once.
    /// </summary>
    public long MessagesDropped => _socket.MessagesDropped + Volatile.Read(ref _unroutable);

    /// <summary>Whether a peer has this routing id. The result may be out of date at once.</summary>
    public bool HasPeer(ReadOnlySpan<byte> routingId) => _socket.HasPeer(routingId);

    /// <inheritdoc/>
    public override ZeroMqCounts GetCounts() => base.GetCounts() with { MessagesDropped = MessagesDropped };

    /// <summary>
    /// Connects to an endpoint whose peer has the given routing id here, whatever it announces (libzmq:
    /// <c>ZMQ_CONNECT_ROUTING_ID</c>). Messages may be sent to this id at once: they wait for the connection.
    /// </summary>
    /// <param name="endpoint">The endpoint; see <see cref="MessageSocket.Connect"/>.</param>
    /// <param name="routingId">1 to 255 bytes.</param>
    /// <exception cref="ArgumentException">The id is not valid, or a peer has it already.</exception>
    /// <exception cref="FormatException">The text is not an endpoint, or it contains a wildcard.</exception>
    /// <exception cref="ObjectDisposedException">The socket is closed.</exception>
    public void Connect(string endpoint, ReadOnlySpan<byte> routingId)
    {
        _socket.Connect(endpoint, routingId);
        OnConnectCalled(endpoint);
    }

    private LoopRouter Create(RouterSocketOptions options)
    {
        var socket = new LoopRouter(
            Loop, CreateSink(options), new LoopRouterOptions(options)
            {
                Handover = options.Handover,
                Mandatory = options.Mandatory,
            });
        SendQueue outbound = CreateSendQueue(new OneByOneSender(Route), isOpen: true);
        if (_isMandatory)
        {
            Sender.Routes = socket.HasPeer;
            socket.OnWritable = _ => outbound.Resume();
            socket.OnPeerRemoved = outbound.Resume;
        }

        return socket;
    }

    private QueueSink CreateSink(RouterSocketOptions options)
    {
        if (options.NotifyDisconnect && !options.DisconnectMessage.IsEmpty)
        {
            throw new ArgumentException("NotifyDisconnect and a disconnect message exclude each other.", nameof(options));
        }

        MayHaveDisconnectMessage = true;
        return new QueueSink(CreateReceiveQueue(), showsIds: true)
        {
            NotifiesConnect = options.NotifyConnect,
            DisconnectMessage = options.NotifyDisconnect ? QueueSink.EmptyMessage : EncodedDisconnectMessage,
            IsForAcceptedPeersOnly = !options.NotifyDisconnect,
        };
    }

    // Returns false while the peer of a mandatory socket has no room.
    private bool Route(ReadOnlySpan<byte> message)
    {
        ReadOnlySpan<byte> id = EncodedMessage.SplitFrame(message, out bool more, out int size);
        RouteResult result = RouteResult.Unroutable;
        if (more)
        {
            var rest = new Encoders.Verbatim(message[size..]);
            result = _socket.SendTo(id, ref rest);
        }

        if (result == RouteResult.Full)
        {
            return false;
        }

        if (result == RouteResult.Unroutable)
        {
            Volatile.Write(ref _unroutable, _unroutable + 1);
        }

        return true;
    }
}
