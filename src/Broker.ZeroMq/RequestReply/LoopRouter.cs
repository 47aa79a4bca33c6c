using Broker.Transport;
using Broker.ZeroMq.Sockets;
using Broker.ZeroMq.Zmtp;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.RequestReply;

/// <summary>ROUTER on an event loop: receives from all peers, and sends to the one whose routing id is given (RFC 28).</summary>
/// <remarks>
/// The handler is told of the peer, whose <see cref="ZeroMqPeer.RoutingId"/> libzmq puts before the message; the message itself is as the
/// peer
/// sent it. A peer without an id of its own gets one of five octets, of which the first is 0. An endpoint that was connected
/// to keeps its id and what waits for it while it is away. What is said of messages that are not taken at
/// <see cref="Pipeline.LoopPull"/> is true here.
/// </remarks>
public sealed class LoopRouter : SingleLoopSocket
{
    private readonly RoutingIds _ids = new();
    private readonly LoopRouterOptions _options;
    private bool _closed;
    private long _dropped;

    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="loop">The loop it lives on; <see cref="EventLoopGroup.Next"/> gives one.</param>
    /// <param name="onMessage">Receives the messages.</param>
    /// <param name="options">Default: those of a new <see cref="LoopRouterOptions"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public LoopRouter(EventLoop loop, ZeroMqMessageHandler onMessage, LoopRouterOptions? options = null)
        : this(loop, new HandlerSink(onMessage ?? throw new ArgumentNullException(nameof(onMessage))), options)
    {
    }

    internal LoopRouter(EventLoop loop, InboundSink sink, LoopRouterOptions? options = null)
        : base(loop, ZmtpSocketType.Router, options ??= new LoopRouterOptions(), sink)
    {
        _options = options;
    }

    /// <summary>
    /// Called on the loop with the routing id of a peer that was full when a message was given for it, once half of its mark is free again.
    /// What it throws closes that peer's connection.
    /// </summary>
    public Action<ReadOnlyMemory<byte>>? OnWritable { get; set; }

    /// <summary>Called on the loop when a peer is gone for good: whoever waits for room there need not any more.</summary>
    internal Action? OnForgotten { get; set; }

    /// <summary>Whether a peer has this routing id. Any thread, a moment's truth.</summary>
    public bool Knows(ReadOnlySpan<byte> routingId) => _ids.Knows(routingId);

    /// <summary>Messages that went to nobody. Any thread, a moment's truth.</summary>
    public long MessagesDropped => Volatile.Read(ref _dropped);

    private protected override long Dropped => MessagesDropped;

    /// <summary>Queues a message of one frame for a peer.</summary>
    /// <inheritdoc cref="TrySend{TMessage}"/>
    public RouteResult TrySend(ReadOnlySpan<byte> routingId, ReadOnlySpan<byte> frame)
    {
        var message = new Encoders.OneFrame(frame);
        return TrySend(routingId, ref message);
    }

    /// <summary>Queues a message of two frames for a peer, such as an empty one and a reply.</summary>
    /// <inheritdoc cref="TrySend{TMessage}"/>
    public RouteResult TrySend(ReadOnlySpan<byte> routingId, ReadOnlySpan<byte> first, ReadOnlySpan<byte> second)
    {
        var message = new Encoders.TwoFrames(first, second);
        return TrySend(routingId, ref message);
    }

    /// <summary>Queues a message of any number of frames for a peer.</summary>
    /// <exception cref="ArgumentException">No frames: a message has at least one.</exception>
    /// <inheritdoc cref="TrySend{TMessage}"/>
    public RouteResult TrySend(ReadOnlySpan<byte> routingId, ReadOnlySpan<ReadOnlyMemory<byte>> frames)
    {
        if (frames.IsEmpty)
        {
            throw new ArgumentException("A message has at least one frame.", nameof(frames));
        }

        var message = new Encoders.ManyFrames(frames);
        return TrySend(routingId, ref message);
    }

    /// <summary>Queues a received message for a peer, as it is.</summary>
    /// <inheritdoc cref="TrySend{TMessage}"/>
    public RouteResult TrySend(ReadOnlySpan<byte> routingId, in ZmtpMessage message)
    {
        var copy = new Encoders.Received(message);
        return TrySend(routingId, ref copy);
    }

    /// <summary>Queues the rest of a received message for the peer that its first frame names, as libzmq's ROUTER does.</summary>
    /// <returns>As the others; a message of one frame has nowhere to go.</returns>
    public RouteResult TrySendRouted(in ZmtpMessage message)
    {
        if (message.FrameCount < 2)
        {
            return Miss(RouteResult.Unroutable);
        }

        var copy = new Encoders.Received(message.Skip(1));
        return TrySend(message.FirstFrame.Body, ref copy);
    }

    /// <summary>Queues a message of any shape for a peer.</summary>
    /// <param name="routingId">The peer's id, as <see cref="ZeroMqPeer.RoutingId"/> says it.</param>
    /// <param name="message">Writes the message, once, and not at all when it goes nowhere.</param>
    /// <returns>What became of it.</returns>
    /// <exception cref="InvalidOperationException">Not on the loop; found out with the first message of a turn to a peer.</exception>
    public RouteResult TrySend<TMessage>(ReadOnlySpan<byte> routingId, ref TMessage message)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        if (_ids.Find(routingId) is not { } pipe || _closed)
        {
            return Miss(RouteResult.Unroutable);
        }

        return pipe.TryWrite(ref message, message.EncodedSize) ? RouteResult.Sent : Miss(RouteResult.Full);
    }

    internal override void OnRoom(OutboundPipe pipe) => OnWritable?.Invoke(pipe.RoutingId!);

    internal override string? RefusalOf(PeerSession session)
    {
        var announced = session.Peer!.Zmtp.Identity.Span;
        if (announced.IsEmpty || _ids.Find(announced) is not { } other || other == session.Link?.Pipe)
        {
            return null;
        }

        return _options.Handover ? null : "its routing id is in use";
    }

    private protected override bool SendsToStrangers => false;

    private protected override void OnAttaching(MessageSession session, OutboundPipe pipe)
    {
        byte[] announced = session.Peer!.Zmtp.Identity.ToArray();
        byte[] id = announced.Length > 0 ? announced : pipe.RoutingId is [0, ..] given ? given : _ids.Make();
        if (pipe.RoutingId is { } before)
        {
            _ids.Remove(before, pipe);
        }

        // One step, so that threads which look the id up always find a peer of it.
        var other = _ids.Find(id);
        pipe.RoutingId = id;
        session.Peer.RoutingId = id;
        _ids.Set(id, pipe);
        if (other is not null && other != pipe)
        {
            // What it had is lost with it.
            OnPipeRemoved(other);
            other.Peer?.Session.Refuse("its routing id was taken over");
        }
    }

    private protected override void OnPipeRemoved(OutboundPipe pipe)
    {
        _ids.Remove(pipe.RoutingId!, pipe);
        OnForgotten?.Invoke();
    }

    private protected override void OnClosing() => Loop.Post(() => _closed = true);

    private RouteResult Miss(RouteResult why)
    {
        if (_options.Mandatory)
        {
            return why;
        }

        Volatile.Write(ref _dropped, _dropped + 1);
        return RouteResult.Dropped;
    }
}
