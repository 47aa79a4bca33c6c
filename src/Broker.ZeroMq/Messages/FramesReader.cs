namespace Broker.ZeroMq;

/// <summary>Reads all frames of a message into new arrays.</summary>
internal struct FramesReader : IMessageReader
{
    internal byte[][]? Frames { get; private set; }

    public bool TryRead(ReadOnlySpan<byte> message, ReceiveSource source)
    {
        var frames = new List<byte[]>();
        if (source.Prefix is { } prefix)
        {
            frames.Add(FrameArray.Of(EncodedMessage.SplitFrame(prefix, out _, out _)));
        }

        while (!message.IsEmpty)
        {
            frames.Add(FrameArray.Of(EncodedMessage.SplitFrame(message, out _, out int size)));
            message = message[size..];
        }

        Frames = [.. frames];
        return true;
    }
}
