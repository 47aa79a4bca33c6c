using Broker.ZeroMq.Queues;

namespace Broker.ZeroMq.Receivers;

/// <summary>Takes a message and discards it.</summary>
internal readonly struct DiscardingReader : IMessageReader
{
    public bool TryRead(ReadOnlySpan<byte> message, ReceiveSource source) => true;
}
