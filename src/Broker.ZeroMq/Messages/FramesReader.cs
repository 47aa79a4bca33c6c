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
            frames.Add(EncodedMessage.SplitFrame(prefix, out _, out _).ToArray());
        }

        while (!message.IsEmpty)
        {
            frames.Add(EncodedMessage.SplitFrame(message, out _, out int size).ToArray());
            message = message[size..];
        }

        Frames = [.. frames];
        return true;
    }
}
