using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>
/// ROUTER on an event loop: receives from all peers, and sends each message to the peer with the given routing id (RFC
/// 28).
/// </summary>
/// <remarks>
/// The handler gets the peer and the message as the peer sent it. Unlike libzmq, this socket does not add the peer's
/// <see cref="ZeroMqPeer.RoutingId"/> as the first frame. A peer that announces no id gets a generated id of five
/// bytes, which begins with byte 0. An endpoint that this socket connects to keeps its id and its queued messages
/// between connections. <see cref="LoopPull"/> describes what happens to messages that the handler refuses.
/// </remarks>
public sealed class LoopRouter : SingleLoopSocket
{
    private const int GeneratedIdSize = 5;
    private const int DraftIdSize = 4;

    private readonly RoutingIds _ids;
    private readonly LoopRouterOptions _options;
    private bool _closed;
    private long _dropped;

    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="loop">The socket's loop, for example from <see cref="EventLoopGroup.Next"/>.</param>
    /// <param name="onMessage">Handles the received messages.</param>
    /// <param name="options">The options; null for a new <see cref="LoopRouterOptions"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public LoopRouter(EventLoop loop, ZeroMqMessageHandler onMessage, LoopRouterOptions? options = null)
        : this(loop, new HandlerSink(onMessage ?? throw new ArgumentNullException(nameof(onMessage))), options)
    {
    }

    internal LoopRouter(EventLoop loop, InboundSink sink, LoopRouterOptions? options = null)
        : base(loop, ZmtpSocketType.Router, options ??= new LoopRouterOptions(), sink)
    {
        _options = options;
        _ids = new RoutingIds(options.DraftType is null ? GeneratedIdSize : DraftIdSize);
    }

    /// <summary>
    /// Called on the loop when a peer that had no room for a message has room again: half of its high-water mark is
    /// free. The argument is the peer's routing id. An exception that the callback throws closes that peer's
    /// connection.
    /// </summary>
    public Action<ReadOnlyMemory<byte>>? OnWritable { get; set; }

    /// <summary>
    /// Called on the loop when a peer was removed. A message that waits until this peer has room is now unroutable.
    /// </summary>
    internal Action? OnPeerRemoved { get; set; }

    /// <summary>
    /// Whether a peer has this routing id. May be called on any thread; the result may be out of date at once.
    /// </summary>
    public bool HasPeer(ReadOnlySpan<byte> routingId) => _ids.Contains(routingId);

    /// <summary>
    /// The number of messages that were dropped because no peer could take them. May be read on any thread; the value
    /// may be out of date at once.
    /// </summary>
    public long MessagesDropped => Volatile.Read(ref _dropped) + base.Dropped;

    private protected override long Dropped => MessagesDropped;

    /// <summary>
    /// Connects to an endpoint whose peer has the given routing id here, whatever it announces. Messages may be sent to
    /// this id as soon as the loop has run: they wait for the connection.
    /// </summary>
    /// <param name="endpoint">The endpoint; see <see cref="LoopSocket.Connect(string)"/>.</param>
    /// <param name="routingId">1 to 255 bytes.</param>
    /// <exception cref="ArgumentException">The id is not valid, or a peer has it already.</exception>
    /// <exception cref="FormatException">The text is not an endpoint, or it contains a wildcard.</exception>
    /// <exception cref="ObjectDisposedException">The socket is closed.</exception>
    public void Connect(string endpoint, ReadOnlySpan<byte> routingId)
    {
        ZmtpError error = ZmtpPeer.CheckIdentity(routingId);
        if (error != ZmtpError.None || routingId.IsEmpty)
        {
            throw new ArgumentException(
                error == ZmtpError.None ? "The routing id is empty." : ZmtpErrors.Text(error), nameof(routingId));
        }

        if (_ids.Contains(routingId))
        {
            throw new ArgumentException("Another peer has this routing id.", nameof(routingId));
        }

        ConnectAs(endpoint, routingId.ToArray());
    }

    /// <summary>Queues a message of one frame for a peer.</summary>
    /// <inheritdoc cref="SendTo{TMessage}(ReadOnlySpan{byte}, ref TMessage)"/>
    public RouteResult SendTo(ReadOnlySpan<byte> routingId, ReadOnlySpan<byte> frame)
    {
        var message = new Encoders.OneFrame(frame);
        return SendTo(routingId, ref message);
    }

    /// <summary>Queues a message of two frames for a peer, such as an empty frame and a reply.</summary>
    /// <inheritdoc cref="SendTo{TMessage}(ReadOnlySpan{byte}, ref TMessage)"/>
    public RouteResult SendTo(ReadOnlySpan<byte> routingId, ReadOnlySpan<byte> first, ReadOnlySpan<byte> second)
    {
        var message = new Encoders.TwoFrames(first, second);
        return SendTo(routingId, ref message);
    }

    /// <summary>Queues a message of any number of frames for a peer.</summary>
    /// <exception cref="ArgumentException">There are no frames.</exception>
    /// <inheritdoc cref="SendTo{TMessage}(ReadOnlySpan{byte}, ref TMessage)"/>
    public RouteResult SendTo(ReadOnlySpan<byte> routingId, ReadOnlySpan<ReadOnlyMemory<byte>> frames)
    {
        var message = new Encoders.ManyFrames(frames);
        return SendTo(routingId, ref message);
    }

    /// <summary>Queues a received message unchanged for a peer.</summary>
    /// <inheritdoc cref="SendTo{TMessage}(ReadOnlySpan{byte}, ref TMessage)"/>
    public RouteResult SendTo(ReadOnlySpan<byte> routingId, in ZmtpMessage message)
    {
        var copy = new Encoders.Received(message);
        return SendTo(routingId, ref copy);
    }

    /// <summary>
    /// Queues a received message for the peer whose routing id is in the message's first frame. The first frame itself
    /// is not sent, as in libzmq's ROUTER.
    /// </summary>
    /// <returns>The result of the send. A message of one frame is unroutable.</returns>
    public RouteResult SendRouted(in ZmtpMessage message)
    {
        if (message.FrameCount < 2)
        {
            return NotSent(RouteResult.Unroutable);
        }

        var copy = new Encoders.Received(message.Skip(1));
        return SendTo(message.FirstFrame.Body, ref copy);
    }

    /// <summary>Queues a message for a peer. An encoder writes the message.</summary>
    /// <param name="routingId">The peer's id; see <see cref="ZeroMqPeer.RoutingId"/>.</param>
    /// <param name="message">The encoder. It is called once, or not at all if the message is not queued.</param>
    /// <returns>The result of the send.</returns>
    /// <exception cref="InvalidOperationException">
    /// The call is not on the loop. This mistake is detected only for the first message to a peer in an iteration.
    /// </exception>
    public RouteResult SendTo<TMessage>(ReadOnlySpan<byte> routingId, ref TMessage message)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        if (_ids.Find(routingId) is not { } pipe || _closed)
        {
            return NotSent(RouteResult.Unroutable);
        }

        return pipe.TryWrite(ref message, message.EncodedSize) ? RouteResult.Sent : NotSent(RouteResult.Full);
    }

    /// <summary>
    /// Queues a message for one connection of a peer, for example the connection that a request came from. A newer
    /// connection with the same routing id does not get the message. An encoder writes the message.
    /// </summary>
    /// <param name="peer">A peer of this socket, as the handler got it.</param>
    /// <param name="message">The encoder. It is called once, or not at all if the message is not queued.</param>
    /// <returns>The result of the send. A peer that has disconnected is unroutable.</returns>
    /// <exception cref="InvalidOperationException">
    /// The call is not on the loop. This mistake is detected only for the first message to a peer in an iteration.
    /// </exception>
    public RouteResult SendTo<TMessage>(ZeroMqPeer peer, ref TMessage message)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        ArgumentNullException.ThrowIfNull(peer);
        if (_closed || peer.Session is not MessageSession { Pipe: { } pipe } || pipe.Peer != peer || !_ids.Has(pipe))
        {
            return NotSent(RouteResult.Unroutable);
        }

        return pipe.TryWrite(ref message, message.EncodedSize) ? RouteResult.Sent : NotSent(RouteResult.Full);
    }

    internal override void OnRoom(OutboundPipe pipe) => OnWritable?.Invoke(pipe.RoutingId!);

    internal override string? RefusalOf(PeerSession session)
    {
        ReadOnlySpan<byte> announced = session.Peer!.Zmtp.Identity.Span;
        bool isUsed = !announced.IsEmpty && session.Link is not { RoutingId: not null };
        if (!isUsed || _ids.Find(announced) is not { IsEnding: false } other || other == session.Link?.Pipe)
        {
            return null;
        }

        return _options.Handover ? null : "its routing id is in use";
    }

    private protected override bool QueuesBeforeHandshake => false;

    private protected override void OnAttaching(MessageSession session, OutboundPipe pipe)
    {
        byte[] announced = session.Peer!.Zmtp.Identity.ToArray();
        byte[] id = session.Link?.RoutingId is { } assigned ? assigned
            : announced.Length > 0 ? announced : pipe is { HasGeneratedId: true, RoutingId: { } given } ? given : _ids.Generate();
        if (pipe.RoutingId is { } before)
        {
            _ids.Remove(before, pipe);
        }

        // Replace the old pipe in one step, so that threads that look up the id always find a peer.
        OutboundPipe? other = _ids.Find(id);
        pipe.RoutingId = id;
        pipe.HasGeneratedId = session.Link?.RoutingId is null && announced.Length == 0;
        session.Peer.RoutingId = id;
        _ids.Set(id, pipe);
        if (other is not null && other != pipe)
        {
            // The messages that were queued for the replaced peer are lost.
            OnPipeRemoved(other);
            other.Peer?.Session.Refuse("its routing id was taken over");
        }
    }

    private protected override void OnPipeAdded(OutboundPipe pipe)
    {
        if (pipe.RoutingId is { } id)
        {
            _ids.Set(id, pipe);
        }
    }

    private protected override void OnPipeRemoved(OutboundPipe pipe)
    {
        _ids.Remove(pipe.RoutingId!, pipe);
        OnPeerRemoved?.Invoke();
    }

    private protected override void OnClosing() => Loop.Post(() => _closed = true);

    private RouteResult NotSent(RouteResult why)
    {
        if (_options.Mandatory)
        {
            return why;
        }

        Volatile.Write(ref _dropped, _dropped + 1);
        return RouteResult.Dropped;
    }
}
