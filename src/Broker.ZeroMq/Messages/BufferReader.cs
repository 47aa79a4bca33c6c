namespace Broker.ZeroMq;

/// <summary>Reads a message of one frame into the caller's memory.</summary>
internal ref struct BufferReader(Span<byte> buffer) : IMessageReader
{
    private readonly Span<byte> _buffer = buffer;

    /// <summary>
    /// The size of the frame that was read or that did not fit; -1 if the message has several frames.
    /// </summary>
    internal int FrameSize { get; private set; }

    public bool TryRead(ReadOnlySpan<byte> message, ReceiveSource source)
    {
        ReadOnlySpan<byte> body = EncodedMessage.SplitFrame(message, out bool more, out _);
        more |= source.Prefix is not null;
        FrameSize = more ? -1 : body.Length;
        return !more && body.TryCopyTo(_buffer);
    }
}
