namespace Broker.ZeroMq;

/// <summary>Takes a message and discards it.</summary>
internal readonly struct DiscardingReader : IMessageReader
{
    public bool TryRead(ReadOnlySpan<byte> message, ReceiveSource source) => true;
}
