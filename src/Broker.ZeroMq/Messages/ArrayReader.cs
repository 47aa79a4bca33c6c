namespace Broker.ZeroMq;

/// <summary>Reads a message of one frame into a new array.</summary>
internal struct ArrayReader : IMessageReader
{
    internal byte[]? Bytes { get; private set; }

    public bool TryRead(ReadOnlySpan<byte> message, ReceiveSource source)
    {
        ReadOnlySpan<byte> body = EncodedMessage.SplitFrame(message, out bool more, out _);
        more |= source.Prefix is not null;
        Bytes = more ? null : FrameArray.Of(body);
        return !more;
    }
}
