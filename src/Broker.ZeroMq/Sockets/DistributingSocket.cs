using Broker.Transport;
using Broker.ZeroMq.Zmtp;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Sockets;

/// <summary>A socket that gives each message to one of its peers: to the next in turn that is not full.</summary>
/// <remarks>
/// Nothing waits and nothing is dropped: <c>TrySend</c> queues the whole message, or returns false when there is no peer or all are at
/// their high-water marks. Then <see cref="OnWritable"/> tells once of room. On <see cref="SingleLoopSocket.Loop"/>; what was
/// queued leaves at the end of the loop's turn.
/// </remarks>
public abstract class DistributingSocket : SingleLoopSocket
{
    private readonly PipeRing _ring = new();

    private protected DistributingSocket(EventLoop loop, ZmtpSocketType type, LoopMessageOptions options, InboundSink sink)
        : base(loop, type, options, sink)
    {
    }

    /// <summary>
    /// Called on the loop after a message was refused, exactly once: when a peer has come, or one that was full has half of its mark free
    /// again. Set it before the first message is sent. What it throws closes that peer's connection.
    /// </summary>
    public Action? OnWritable
    {
        get => _ring.OnWritable;
        set => _ring.OnWritable = value;
    }

    /// <summary>
    /// How many messages fit now below the marks of all peers that are not full, if their octets do; one that was full counts again when
    /// half of its
    /// mark is free. On the loop.
    /// </summary>
    public long Room => _ring.Room;

    /// <summary>
    /// For who must know without trying: called on the loop when there is no peer with room any more, and sees to it that
    /// <see cref="OnWritable"/> tells when there is again, as it does of the first.
    /// </summary>
    internal Action? OnUnwritable
    {
        get => _ring.OnUnwritable;
        set => _ring.OnUnwritable = value;
    }

    /// <summary>Queues a message of one frame.</summary>
    /// <inheritdoc cref="TrySend{TMessage}"/>
    public bool TrySend(ReadOnlySpan<byte> frame)
    {
        var message = new Encoders.OneFrame(frame);
        return TrySend(ref message);
    }

    /// <summary>Queues a message of two frames.</summary>
    /// <inheritdoc cref="TrySend{TMessage}"/>
    public bool TrySend(ReadOnlySpan<byte> first, ReadOnlySpan<byte> second)
    {
        var message = new Encoders.TwoFrames(first, second);
        return TrySend(ref message);
    }

    /// <summary>Queues a message of any number of frames.</summary>
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

    /// <summary>Queues a received message as it is.</summary>
    /// <inheritdoc cref="TrySend{TMessage}"/>
    public bool TrySend(in ZmtpMessage message)
    {
        var copy = new Encoders.Received(message);
        return TrySend(ref copy);
    }

    /// <summary>Queues a message that is encoded already.</summary>
    /// <param name="encoded">
    /// The frames of exactly one message, as <see cref="ZmtpWriter"/> makes them. They are not checked: anything else makes the
    /// peer close the connection.
    /// </param>
    /// <inheritdoc cref="TrySend{TMessage}"/>
    public bool TrySendEncoded(ReadOnlySpan<byte> encoded)
    {
        var message = new Encoders.Verbatim(encoded);
        return TrySend(ref message);
    }

    /// <summary>Queues a message of any shape.</summary>
    /// <param name="message">Writes the message, once.</param>
    /// <returns>False when no peer has room, or the socket is closed.</returns>
    /// <exception cref="InvalidOperationException">Not on the loop; found out with the first message of a turn to a peer.</exception>
    public bool TrySend<TMessage>(ref TMessage message)
        where TMessage : struct, IZmtpEncoder, allows ref struct
        => _ring.TrySend(ref message) is not null;

    /// <summary>Queues some of these encoded messages, from the front on: those that go to one peer together. On the loop.</summary>
    /// <param name="messages">The messages, one behind the other.</param>
    /// <param name="count">How many they are; at least one.</param>
    /// <param name="sent">How many were queued; none when no peer has room, and then <see cref="OnWritable"/> tells of it.</param>
    /// <returns>Their size.</returns>
    internal int SendSome(ReadOnlySpan<byte> messages, int count, out int sent) => _ring.SendSome(messages, count, out sent);

    /// <summary>Hands over what was written to shared pipes. Under their gate.</summary>
    internal void FlushPipes() => _ring.Flush();

    internal override void OnRoom(OutboundPipe pipe) => _ring.Add(pipe);

    private protected override void OnPipeAdded(OutboundPipe pipe) => _ring.Add(pipe);

    private protected override void OnPipeRemoved(OutboundPipe pipe) => _ring.Remove(pipe);

    private protected override void OnClosing() => Loop.Post(() =>
    {
        lock (PipeGate)
        {
            _ring.Close();
        }
    });
}
