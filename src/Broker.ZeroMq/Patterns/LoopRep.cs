using System.Buffers;
using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>
/// REP on an event loop: receives one request at a time, from the peers in turn, and sends the reply to it (RFC 28).
/// </summary>
/// <remarks>
/// The envelope of a request consists of all frames up to the first empty frame. The socket stores the envelope and
/// writes it before the reply; the handler gets the body, which is the rest of the message. A message without an
/// envelope is dropped. While a request waits for its reply, each other peer is paused at its next request. Later the
/// peers are served in the order in which they were paused.
/// </remarks>
public sealed class LoopRep : SingleLoopSocket
{
    // A larger envelope is rented and returned after the reply.
    private const int MaxKeptEnvelope = 4096;

    private readonly Queue<MessageSession> _pausedPeers = new();
    private readonly Action _serveNext;
    private byte[] _envelope = [];
    private int _envelopeLength;
    private OutboundPipe? _requester;
    private OutboundPipe? _replyPipe;
    private long _dropped;

    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="loop">The socket's loop, for example from <see cref="EventLoopGroup.Next"/>.</param>
    /// <param name="onRequest">
    /// Handles the requests. The handler may reply within the call or later. If it refuses a request, it must not
    /// reply; the request is delivered again after its peer was resumed.
    /// </param>
    /// <param name="options">The options; null for a new <see cref="LoopMessageOptions"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public LoopRep(EventLoop loop, ZeroMqMessageHandler onRequest, LoopMessageOptions? options = null)
        : this(loop, new HandlerSink(onRequest ?? throw new ArgumentNullException(nameof(onRequest))), options)
    {
    }

    internal LoopRep(EventLoop loop, InboundSink sink, LoopMessageOptions? options = null)
        : base(loop, ZmtpSocketType.Rep, options ?? new LoopMessageOptions(), sink)
    {
        _serveNext = () =>
        {
            lock (PipeGate)
            {
                ServeNext();
            }
        };
    }

    /// <summary>Whether a request waits for its reply.</summary>
    public bool IsRequestOpen { get; private set; }

    /// <summary>
    /// The number of replies that were dropped because the peer had disconnected or was full. May be read on any
    /// thread; the value may be out of date at once.
    /// </summary>
    public long RepliesDropped => Volatile.Read(ref _dropped);

    private protected override long Dropped => RepliesDropped;

    /// <summary>Replies with a message of one frame.</summary>
    /// <inheritdoc cref="Reply{TMessage}"/>
    public bool Reply(ReadOnlySpan<byte> frame)
    {
        var message = new Encoders.OneFrame(frame);
        return Reply(ref message);
    }

    /// <summary>Replies with a message of any number of frames.</summary>
    /// <exception cref="ArgumentException">There are no frames.</exception>
    /// <inheritdoc cref="Reply{TMessage}"/>
    public bool Reply(ReadOnlySpan<ReadOnlyMemory<byte>> frames)
    {
        var message = new Encoders.ManyFrames(frames);
        return Reply(ref message);
    }

    /// <summary>Replies with a received message, such as the request, unchanged.</summary>
    /// <inheritdoc cref="Reply{TMessage}"/>
    public bool Reply(in ZmtpMessage message)
    {
        var copy = new Encoders.Received(message);
        return Reply(ref copy);
    }

    /// <summary>Replies with a message that an encoder writes. Then the next request is delivered.</summary>
    /// <param name="message">The encoder of the body. It is called once, or not at all if the reply is dropped.</param>
    /// <returns>
    /// Whether the reply was queued. Otherwise it is dropped and counted, because the peer has disconnected or is at
    /// its high-water mark.
    /// </returns>
    /// <exception cref="InvalidOperationException">No request is open, or the call is not on the loop.</exception>
    public bool Reply<TMessage>(ref TMessage message)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        if (!IsRequestOpen)
        {
            throw new InvalidOperationException(
                "A REP socket must receive a request before it replies, and no request is open.");
        }

        var reply = new Encoders.Enveloped<TMessage>(_envelope.AsSpan(0, _envelopeLength), message);
        bool sent = _requester is { } pipe && pipe.TryWrite(ref reply, reply.EncodedSize);
        if (!sent)
        {
            Volatile.Write(ref _dropped, _dropped + 1);
        }

        _replyPipe = _requester;

        CloseRequest();
        ServeNext();
        return sent;
    }

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
        if (IsRequestOpen)
        {
            if (!session.IsQueued)
            {
                session.IsQueued = true;
                _pausedPeers.Enqueue(session);
            }

            return Screening.Pause;
        }

        int frames = CountEnvelope(message, out int size);
        if (frames == 0)
        {
            return Screening.Drop;
        }

        StoreEnvelope(message, frames, size);
        body = message.Skip(frames);
        _requester = session.Pipe;
        IsRequestOpen = true;
        return Screening.Deliver;
    }

    internal override void OnRefused(MessageSession session)
    {
        lock (PipeGate)
        {
            CloseRequest();
            ServeNext();
        }
    }

    /// <summary>Flushes the last reply, for sockets on which other threads send.</summary>
    internal void FlushReply()
    {
        _replyPipe?.Flush();
        _replyPipe = null;
    }

    // When a connection has ended, its peer no longer waits for a reply, so replies are not kept for the next
    // connection.
    private protected override bool QueuesAcrossConnections => false;

    internal override void OnBatchEnd()
    {
        lock (PipeGate)
        {
            // If the resumed peer sent only messages that are dropped, no request is open, so resume the next peer.
            if (!IsRequestOpen)
            {
                ServeNext();
            }
        }
    }

    private protected override void OnPipeRemoved(OutboundPipe pipe)
    {
        if (_requester == pipe)
        {
            _requester = null;
        }

        if (_replyPipe == pipe)
        {
            _replyPipe = null;
        }

        OnBatchEnd();
    }

    // Counts the frames up to and including the first empty frame. Returns 0 if there is no empty frame, or no frame
    // after it.
    private static int CountEnvelope(in ZmtpMessage message, out int size)
    {
        int frames = 0;
        size = 0;
        foreach (ZmtpFrame frame in message)
        {
            if (!frame.More)
            {
                break;
            }

            frames++;
            size += ZmtpWriter.FrameSize(frame.Body.Length);
            if (frame.Body.IsEmpty)
            {
                return frames;
            }
        }

        return 0;
    }

    private void StoreEnvelope(in ZmtpMessage message, int frames, int size)
    {
        if (_envelope.Length < size)
        {
            _envelope = size <= MaxKeptEnvelope ? new byte[MaxKeptEnvelope] : ArrayPool<byte>.Shared.Rent(size);
        }

        _envelopeLength = 0;
        foreach (ZmtpFrame frame in message)
        {
            _envelopeLength += ZmtpWriter.WriteFrame(_envelope.AsSpan(_envelopeLength), frame.Body, more: true);
            if (--frames == 0)
            {
                break;
            }
        }
    }

    private void CloseRequest()
    {
        IsRequestOpen = false;
        _requester = null;
        if (_envelope.Length > MaxKeptEnvelope)
        {
            ArrayPool<byte>.Shared.Return(_envelope);
            _envelope = [];
        }
    }

    // Resumes only one peer, because the others would be paused again at once.
    private void ServeNext()
    {
        if (!Loop.IsCurrent)
        {
            // Another thread has replied, but only the loop may resume a peer.
            if (_pausedPeers.Count > 0)
            {
                Loop.Post(_serveNext);
            }

            return;
        }

        while (!IsReceivingPaused && _pausedPeers.TryDequeue(out MessageSession? next))
        {
            next.IsQueued = false;
            if (next.IsPaused && next.Peer!.IsConnected)
            {
                next.Resume();
                return;
            }
        }
    }
}
