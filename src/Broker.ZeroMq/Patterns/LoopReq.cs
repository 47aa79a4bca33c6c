using System.Buffers.Binary;
using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>
/// REQ on an event loop: sends a request to one peer, receives its reply, and then sends the next request (RFC 28).
/// </summary>
/// <remarks>
/// The requests go to the peers in turn. The socket writes the envelope before a request and removes it from the reply;
/// the handler gets the body. A message is dropped if it is not the awaited reply: it comes from another peer, no reply
/// is awaited, or its envelope is wrong. <c>TrySend</c> throws <see cref="InvalidOperationException"/> while a reply is
/// awaited, unless <see cref="LoopReqOptions.Relaxed"/> is set.
/// </remarks>
public sealed class LoopReq : DistributingSocket
{
    private const int NumberFrame = 2 + sizeof(uint);
    private const int EmptyFrame = 2;

    private readonly LoopReqOptions _options;
    private readonly byte[] _envelope;
    private OutboundPipe? _requestPipe;
    private uint _number = (uint)Random.Shared.Next();

    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="loop">The socket's loop, for example from <see cref="EventLoopGroup.Next"/>.</param>
    /// <param name="onReply">
    /// Handles the replies. When the handler is called, the request is complete, so the handler may send the next
    /// request. A reply that the handler refuses is delivered again after its peer was resumed.
    /// </param>
    /// <param name="options">The options; null for a new <see cref="LoopReqOptions"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public LoopReq(EventLoop loop, ZeroMqMessageHandler onReply, LoopReqOptions? options = null)
        : this(loop, new HandlerSink(onReply ?? throw new ArgumentNullException(nameof(onReply))), options)
    {
    }

    internal LoopReq(EventLoop loop, InboundSink sink, LoopReqOptions? options = null)
        : base(loop, ZmtpSocketType.Req, options ??= new LoopReqOptions(), sink, hasEnvelope: true)
    {
        _options = options;
        _envelope = new byte[options.Correlate ? NumberFrame + EmptyFrame : EmptyFrame];
        int written = options.Correlate ? ZmtpWriter.WriteFrame(_envelope, new byte[sizeof(uint)], more: true) : 0;
        ZmtpWriter.WriteFrame(_envelope.AsSpan(written), [], more: true);
    }

    /// <summary>
    /// Whether the socket waits for a reply. The value stays true after the peer has disconnected, because the peer of
    /// a new connection may send the reply. <see cref="AbandonRequest"/> ends the wait.
    /// </summary>
    public bool IsAwaitingReply { get; private set; }

    /// <summary>
    /// Stops waiting for the reply, so that another request can be sent. If the same peer sends the late reply during
    /// the next request, the socket can tell the two replies apart only with <see cref="LoopReqOptions.Correlate"/>.
    /// </summary>
    public void AbandonRequest()
    {
        IsAwaitingReply = false;
        _requestPipe = null;
    }

    /// <summary>
    /// Returns whether another thread has queued a newer request. Replies to the current request are then dropped.
    /// Called while the calling thread holds the pipes' gate.
    /// </summary>
    internal Func<bool>? IsSuperseded { get; set; }

    internal override bool Screens => true;

    internal override Screening Screen(MessageSession session, in ZmtpMessage message, out ZmtpMessage body)
    {
        lock (PipeGate)
        {
            return ScreenUnderGate(session, message, out body);
        }
    }

    private Screening ScreenUnderGate(MessageSession session, in ZmtpMessage message, out ZmtpMessage body)
    {
        body = message;
        int frames = _options.Correlate ? 2 : 1;
        if (!IsAwaitingReply
            || (_requestPipe is not null && session.Pipe != _requestPipe)
            || message.FrameCount <= frames
            || !HasEnvelope(message)
            || (IsSuperseded is { } isSuperseded && isSuperseded()))
        {
            return Screening.Drop;
        }

        body = message.Skip(frames);
        IsAwaitingReply = false;
        return Screening.Deliver;
    }

    internal override void OnRefused(MessageSession session)
    {
        lock (PipeGate)
        {
            IsAwaitingReply = true;
        }
    }

    private protected override ReadOnlySpan<byte> BeginMessage()
    {
        if (IsAwaitingReply && !_options.Relaxed)
        {
            throw new InvalidOperationException(
                "A REQ socket cannot send a request while it waits for a reply; AbandonRequest ends the wait.");
        }

        if (_options.Correlate)
        {
            BinaryPrimitives.WriteUInt32BigEndian(_envelope.AsSpan(2), _number + 1);
        }

        return _envelope;
    }

    private protected override void EndMessage(OutboundPipe pipe)
    {
        _number++;
        _requestPipe = pipe;
        IsAwaitingReply = true;
    }

    private protected override void OnPipeRemoved(OutboundPipe pipe)
    {
        base.OnPipeRemoved(pipe);
        if (_requestPipe == pipe)
        {
            _requestPipe = null;
        }
    }

    private bool HasEnvelope(in ZmtpMessage message)
    {
        ZmtpMessage.Enumerator frames = message.GetEnumerator();
        frames.MoveNext();
        if (!_options.Correlate)
        {
            return frames.Current.Body.IsEmpty;
        }

        if (!BinaryPrimitives.TryReadUInt32BigEndian(frames.Current.Body, out uint number)
            || number != _number
            || frames.Current.Body.Length != sizeof(uint))
        {
            return false;
        }

        frames.MoveNext();
        return frames.Current.Body.IsEmpty;
    }
}
