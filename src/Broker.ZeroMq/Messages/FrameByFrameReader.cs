namespace Broker.ZeroMq;

/// <summary>Passes the frames of a message to a receiver, without a copy.</summary>
internal readonly struct FrameByFrameReader(IFrameReceiver receiver) : IMessageReader
{
    public bool TryRead(ReadOnlySpan<byte> message, ReceiveSource source)
    {
        receiver.Begin(source.Peer);
        if (source.Prefix is { } prefix)
        {
            receiver.Add(EncodedMessage.SplitFrame(prefix, out _, out _), more: true);
        }

        while (!message.IsEmpty)
        {
            ReadOnlySpan<byte> frame = EncodedMessage.SplitFrame(message, out bool more, out int size);
            receiver.Add(frame, more);
            message = message[size..];
        }

        return true;
    }
}
