using System.Buffers;
using Broker.Transport;
using Broker.ZeroMq.Sockets;
using Broker.ZeroMq.Zmtp;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.RequestReply;

/// <summary>REP on an event loop: one request at a time, from the peers in turn, and its reply (RFC 28).</summary>
/// <remarks>
/// The envelope, all frames up to the first empty one, is kept and written before the reply; the handler gets the body. A message without
/// an envelope is dropped. While a request is open the peers are held up, each at its next request, and then served in that order.
/// </remarks>
public sealed class LoopRep : SingleLoopSocket
{
    // Envelopes above that are not kept for the next.
    private const int LargestToKeep = 4096;

    private readonly Queue<MessageSession> _waiting = new();
    private readonly Action _serveNext;
    private byte[] _envelope = [];
    private int _envelopeLength;
    private OutboundPipe? _asking;
    private OutboundPipe? _replied;
    private long _dropped;

    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="loop">The loop it lives on; <see cref="EventLoopGroup.Next"/> gives one.</param>
    /// <param name="onRequest">
    /// Receives the requests; it may reply within the call or later. A request that it does not take is not open, and is delivered again
    /// after its
    /// peer was resumed.
    /// </param>
    /// <param name="options">Default: those of a new <see cref="LoopMessageOptions"/>.</param>
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

    /// <summary>Replies whose peer was gone or full. Any thread, a moment's truth.</summary>
    public long RepliesDropped => Volatile.Read(ref _dropped);

    private protected override long Dropped => RepliesDropped;

    /// <summary>Replies by a message of one frame.</summary>
    /// <inheritdoc cref="Reply{TMessage}"/>
    public bool Reply(ReadOnlySpan<byte> frame)
    {
        var message = new Encoders.OneFrame(frame);
        return Reply(ref message);
    }

    /// <summary>Replies by a message of any number of frames.</summary>
    /// <exception cref="ArgumentException">No frames: a message has at least one.</exception>
    /// <inheritdoc cref="Reply{TMessage}"/>
    public bool Reply(ReadOnlySpan<ReadOnlyMemory<byte>> frames)
    {
        if (frames.IsEmpty)
        {
            throw new ArgumentException("A message has at least one frame.", nameof(frames));
        }

        var message = new Encoders.ManyFrames(frames);
        return Reply(ref message);
    }

    /// <summary>Replies by a received message, such as the request, as it is.</summary>
    /// <inheritdoc cref="Reply{TMessage}"/>
    public bool Reply(in ZmtpMessage message)
    {
        var copy = new Encoders.Received(message);
        return Reply(ref copy);
    }

    /// <summary>Replies by a message of any shape; the next request is delivered after that.</summary>
    /// <param name="message">Writes the body, once, and not at all when it goes nowhere.</param>
    /// <returns>Whether it is queued. If not, it is dropped and counted: the peer is gone, or at its high-water mark.</returns>
    /// <exception cref="InvalidOperationException">No request is open; or not on the loop.</exception>
    public bool Reply<TMessage>(ref TMessage message)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        if (!IsRequestOpen)
        {
            throw new InvalidOperationException("A REP socket replies once to each request, and none is open.");
        }

        var reply = new Encoders.Enveloped<TMessage>(_envelope.AsSpan(0, _envelopeLength), message);
        bool sent = _asking is { } pipe && pipe.TryWrite(ref reply, reply.EncodedSize);
        if (!sent)
        {
            Volatile.Write(ref _dropped, _dropped + 1);
        }

        _replied = _asking;

        Close();
        ServeNext();
        return sent;
    }

    internal override bool Screens => true;

    internal override Screening Screen(MessageSession session, in ZmtpMessage message, out ZmtpMessage body)
    {
        lock (PipeGate)
        {
            return ScreenAlone(session, message, out body);
        }
    }

    private Screening ScreenAlone(MessageSession session, in ZmtpMessage message, out ZmtpMessage body)
    {
        body = message;
        if (IsRequestOpen)
        {
            if (!session.IsInLine)
            {
                session.IsInLine = true;
                _waiting.Enqueue(session);
            }

            return Screening.Hold;
        }

        int frames = CountEnvelope(message, out int size);
        if (frames == 0)
        {
            return Screening.Drop;
        }

        Keep(message, frames, size);
        body = message.Skip(frames);
        _asking = session.Pipe;
        IsRequestOpen = true;
        return Screening.Deliver;
    }

    internal override void OnRefused(MessageSession session)
    {
        lock (PipeGate)
        {
            Close();
            ServeNext();
        }
    }

    /// <summary>Sends the reply that was written last, where threads send.</summary>
    internal void FlushReply()
    {
        _replied?.Flush();
        _replied = null;
    }

    // Who asked by a connection that is gone does not wait any more.
    private protected override bool KeepsForNextConnection => false;

    internal override void OnBatchEnd()
    {
        lock (PipeGate)
        {
            // The one that was let on may have had nothing but what is dropped.
            if (!IsRequestOpen)
            {
                ServeNext();
            }
        }
    }

    private protected override void OnPipeRemoved(OutboundPipe pipe)
    {
        if (_asking == pipe)
        {
            _asking = null;
        }

        if (_replied == pipe)
        {
            _replied = null;
        }

        OnBatchEnd();
    }

    // All frames up to the first empty one, if there is another behind it; else none.
    private static int CountEnvelope(in ZmtpMessage message, out int size)
    {
        int frames = 0;
        size = 0;
        foreach (var frame in message)
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

    private void Keep(in ZmtpMessage message, int frames, int size)
    {
        if (_envelope.Length < size)
        {
            _envelope = size <= LargestToKeep ? new byte[LargestToKeep] : ArrayPool<byte>.Shared.Rent(size);
        }

        _envelopeLength = 0;
        foreach (var frame in message)
        {
            _envelopeLength += ZmtpWriter.WriteFrame(_envelope.AsSpan(_envelopeLength), frame.Body, more: true);
            if (--frames == 0)
            {
                break;
            }
        }
    }

    private void Close()
    {
        IsRequestOpen = false;
        _asking = null;
        if (_envelope.Length > LargestToKeep)
        {
            ArrayPool<byte>.Shared.Return(_envelope);
            _envelope = [];
        }
    }

    // One at a time: the others would only come to be held up again.
    private void ServeNext()
    {
        if (!Loop.IsCurrent)
        {
            // A thread has replied. Who is to be read is the loop's business.
            if (_waiting.Count > 0)
            {
                Loop.Post(_serveNext);
            }

            return;
        }

        while (!IsReceivingPaused && _waiting.TryDequeue(out var next))
        {
            next.IsInLine = false;
            if (next.IsPaused && next.Peer!.IsConnected)
            {
                next.Resume();
                return;
            }
        }
    }
}
