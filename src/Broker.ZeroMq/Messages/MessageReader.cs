namespace Broker.ZeroMq;

/// <summary>Reads a message into a reusable object.</summary>
internal readonly struct MessageReader(ZeroMqMessage message) : IMessageReader
{
    public bool TryRead(ReadOnlySpan<byte> encoded, ReceiveSource source)
    {
        message.SetReceived(source.Prefix, encoded, source.Peer);
        return true;
    }
}
