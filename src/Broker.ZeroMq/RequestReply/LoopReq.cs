using System.Buffers.Binary;
using Broker.Transport;
using Broker.ZeroMq.Sockets;
using Broker.ZeroMq.Zmtp;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.RequestReply;

/// <summary>REQ on an event loop: a request to one peer, then its reply, then the next request (RFC 28).</summary>
/// <remarks>
/// Requests go to the peers in turn. The envelope is written before them and taken off replies; the handler gets the body. Anything but the
/// reply that is waited for is dropped: from another peer, unasked, or without the envelope.
/// </remarks>
public sealed class LoopReq : SingleLoopSocket
{
    private const int NumberFrame = 2 + sizeof(uint);
    private const int EmptyFrame = 2;

    private readonly PipeRing _ring = new();
    private readonly LoopReqOptions _options;
    private readonly byte[] _envelope;
    private OutboundPipe? _asked;
    private uint _number = (uint)Random.Shared.Next();

    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="loop">The loop it lives on; <see cref="EventLoopGroup.Next"/> gives one.</param>
    /// <param name="onReply">
    /// Receives the replies. When it is called the request is answered, so it may send the next one. A reply that it does not take is
    /// delivered again after its peer was resumed.
    /// </param>
    /// <param name="options">Default: those of a new <see cref="LoopReqOptions"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public LoopReq(EventLoop loop, ZeroMqMessageHandler onReply, LoopReqOptions? options = null)
        : this(loop, new HandlerSink(onReply ?? throw new ArgumentNullException(nameof(onReply))), options)
    {
    }

    internal LoopReq(EventLoop loop, InboundSink sink, LoopReqOptions? options = null)
        : base(loop, ZmtpSocketType.Req, options ??= new LoopReqOptions(), sink)
    {
        _options = options;
        _envelope = new byte[options.Correlate ? NumberFrame + EmptyFrame : EmptyFrame];
        int written = options.Correlate ? ZmtpWriter.WriteFrame(_envelope, new byte[sizeof(uint)], more: true) : 0;
        ZmtpWriter.WriteFrame(_envelope.AsSpan(written), [], more: true);
    }

    /// <summary>As <see cref="DistributingSocket.OnWritable"/>.</summary>
    public Action? OnWritable
    {
        get => _ring.OnWritable;
        set => _ring.OnWritable = value;
    }

    /// <inheritdoc cref="DistributingSocket.OnUnwritable"/>
    internal Action? OnUnwritable
    {
        get => _ring.OnUnwritable;
        set => _ring.OnUnwritable = value;
    }

    /// <summary>Whether a reply is waited for. Also after its peer has gone, until <see cref="GiveUp"/>: another may send it.</summary>
    public bool IsAwaitingReply { get; private set; }

    /// <summary>Queues a request of one frame.</summary>
    /// <inheritdoc cref="TrySend{TMessage}"/>
    public bool TrySend(ReadOnlySpan<byte> frame)
    {
        var message = new Encoders.OneFrame(frame);
        return TrySend(ref message);
    }

    /// <summary>Queues a request of any number of frames.</summary>
    /// <exception cref="ArgumentException">No frames: a message has at least one.</exception>
    /// <inheritdoc cref="TrySend{TMessage}"/>
    public bool TrySend(ReadOnlySpan<ReadOnlyMemory<byte>> frames)
    {
        if (frames.IsEmpty)
        {
            throw new ArgumentException("A message has at least one frame.", nameof(frames));
        }

        var message = new Encoders.ManyFrames(frames);
        return TrySend(ref message);
    }

    /// <summary>Queues a received message as a request, as it is.</summary>
    /// <inheritdoc cref="TrySend{TMessage}"/>
    public bool TrySend(in ZmtpMessage message)
    {
        var copy = new Encoders.Received(message);
        return TrySend(ref copy);
    }

    /// <summary>Queues a request of any shape.</summary>
    /// <param name="message">Writes the body, once.</param>
    /// <returns>False when no peer has room, or the socket is closed; nothing has changed then.</returns>
    /// <exception cref="InvalidOperationException">
    /// A reply is waited for, and <see cref="LoopReqOptions.Relaxed"/> is not set; or not on the loop.
    /// </exception>
    public bool TrySend<TMessage>(ref TMessage message)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        if (IsAwaitingReply && !_options.Relaxed)
        {
            throw new InvalidOperationException("A REQ socket sends no request while it waits for a reply; GiveUp ends the wait.");
        }

        if (_options.Correlate)
        {
            BinaryPrimitives.WriteUInt32BigEndian(_envelope.AsSpan(2), _number + 1);
        }

        var request = new Encoders.Enveloped<TMessage>(_envelope, message);
        if (_ring.TrySend(ref request) is not { } pipe)
        {
            return false;
        }

        _number++;
        _asked = pipe;
        IsAwaitingReply = true;
        return true;
    }

    /// <summary>
    /// Waits for the reply no more, so that another request can be sent. Should the reply come nevertheless while that one waits, from the
    /// same peer, only
    /// <see cref="LoopReqOptions.Correlate"/> tells them apart.
    /// </summary>
    public void GiveUp()
    {
        IsAwaitingReply = false;
        _asked = null;
    }

    /// <summary>Whether threads have sent a request that is still to go out, so that no reply is waited for; under the gate of pipes.</summary>
    internal Func<bool>? IsSuperseded { get; set; }

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
        int frames = _options.Correlate ? 2 : 1;
        if (!IsAwaitingReply || (_asked is not null && session.Pipe != _asked) || message.FrameCount <= frames || !HasEnvelope(message)
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

    /// <inheritdoc cref="DistributingSocket.FlushPipes"/>
    internal void FlushPipes() => _ring.Flush();

    internal override void OnRoom(OutboundPipe pipe) => _ring.Add(pipe);

    private protected override void OnPipeAdded(OutboundPipe pipe) => _ring.Add(pipe);

    private protected override void OnPipeRemoved(OutboundPipe pipe)
    {
        _ring.Remove(pipe);
        if (_asked == pipe)
        {
            _asked = null;
        }
    }

    private protected override void OnClosing() => Loop.Post(() =>
    {
        lock (PipeGate)
        {
            _ring.Close();
        }
    });

    private bool HasEnvelope(in ZmtpMessage message)
    {
        var frames = message.GetEnumerator();
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
