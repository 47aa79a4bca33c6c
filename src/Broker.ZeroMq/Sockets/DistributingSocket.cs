using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>A socket that sends each message to one peer: the next peer in turn that has room.</summary>
/// <remarks>
/// The socket does not wait and does not drop messages. <c>TrySend</c> queues the whole message, or returns false if
/// there is no peer or all peers are at their high-water marks. After a refused message, <see cref="OnWritable"/> is
/// called once when there is room. Use the members on <see cref="SingleLoopSocket.Loop"/>; queued messages are sent at
/// the end of the loop's iteration.
/// </remarks>
public abstract class DistributingSocket : SingleLoopSocket
{
    private readonly PipeRing _ring = new();
    private readonly bool _hasEnvelope;

    private protected DistributingSocket(
        EventLoop loop, ZmtpSocketType type, LoopMessageOptions options, InboundSink sink, bool hasEnvelope = false)
        : base(loop, type, options, sink) => _hasEnvelope = hasEnvelope;

    /// <summary>
    /// Called on the loop exactly once after a message was refused: when a peer connects, or when half of the
    /// high-water mark of a full peer is free again. Set it before the first message is sent. An exception that it
    /// throws closes that peer's connection.
    /// </summary>
    public Action? OnWritable
    {
        get => _ring.OnWritable;
        set => _ring.OnWritable = value;
    }

    /// <summary>
    /// How many messages all peers together can take now below their high-water marks, if the bytes of the messages fit
    /// too. A peer that was full counts again when half of its high-water mark is free. Read this property on the loop.
    /// </summary>
    public long Room => _ring.Room;

    /// <summary>
    /// Called on the loop when no peer has room any more. If this callback is set, <see cref="OnWritable"/> is also
    /// called without a refused message: when there is room for the first time, and whenever there is room again.
    /// </summary>
    public Action? OnUnwritable
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
    /// <exception cref="ArgumentException">There are no frames.</exception>
    /// <inheritdoc cref="TrySend{TMessage}"/>
    public bool TrySend(ReadOnlySpan<ReadOnlyMemory<byte>> frames)
    {
        var message = new Encoders.ManyFrames(frames);
        return TrySend(ref message);
    }

    /// <summary>Queues a received message unchanged.</summary>
    /// <inheritdoc cref="TrySend{TMessage}"/>
    public bool TrySend(in ZmtpMessage message)
    {
        var copy = new Encoders.Received(message);
        return TrySend(ref copy);
    }

    /// <summary>Queues a message that is already encoded.</summary>
    /// <param name="encoded">
    /// The frames of exactly one message in the format of <see cref="ZmtpWriter"/>. The frames are not checked: if they
    /// are malformed, the peer closes the connection.
    /// </param>
    /// <inheritdoc cref="TrySend{TMessage}"/>
    public bool TrySendEncoded(ReadOnlySpan<byte> encoded)
    {
        var message = new Encoders.Verbatim(encoded);
        return TrySend(ref message);
    }

    /// <summary>Queues a message that an encoder writes.</summary>
    /// <param name="message">The encoder; it is called once.</param>
    /// <returns>False if no peer has room or the socket is closed.</returns>
    /// <exception cref="InvalidOperationException">
    /// The call is not on the loop. This mistake is detected only for the first message to a peer in an iteration.
    /// </exception>
    public bool TrySend<TMessage>(ref TMessage message)
        where TMessage : struct, IZmtpEncoder, allows ref struct
        => _hasEnvelope ? TrySendEnveloped(ref message) : _ring.SendToNext(ref message) is not null;

    /// <summary>
    /// Queues as many of the encoded messages as go to one peer together, from the first message on. Called on the
    /// loop.
    /// </summary>
    /// <param name="messages">The encoded messages, one after the other.</param>
    /// <param name="count">The number of messages; at least one.</param>
    /// <param name="sent">
    /// The number of queued messages; 0 if no peer has room. <see cref="OnWritable"/> is then called when there is
    /// room.
    /// </param>
    /// <returns>The size of the queued messages in bytes.</returns>
    internal int SendSome(ReadOnlySpan<byte> messages, int count, out int sent)
        => _ring.SendSome(messages, count, out sent);

    /// <summary>
    /// Returns the encoded frames that are written before the next message. Throws if no message may be sent now.
    /// </summary>
    private protected virtual ReadOnlySpan<byte> BeginMessage() => [];

    /// <summary>Called after a message with an envelope was written to a pipe.</summary>
    private protected virtual void EndMessage(OutboundPipe pipe)
    {
    }

    /// <summary>
    /// Flushes the messages that were written to shared pipes. Called while the thread holds
    /// <see cref="SingleLoopSocket.PipeGate"/>.
    /// </summary>
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

    private bool TrySendEnveloped<TMessage>(ref TMessage message)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        var enveloped = new Encoders.Enveloped<TMessage>(BeginMessage(), message);
        if (_ring.SendToNext(ref enveloped) is not { } pipe)
        {
            return false;
        }

        EndMessage(pipe);
        return true;
    }
}
