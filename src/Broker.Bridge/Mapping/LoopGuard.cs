namespace Broker.Bridge;

/// <summary>Decides whether a message may go to ZeroMQ, by the id of the bridge that published it.</summary>
internal readonly struct LoopGuard(ReadOnlyMemory<byte> bridgeId, bool echo)
{
    /// <param name="origin">The value of <c>Zmq-Origin</c>; empty if a NATS client published the message.</param>
    public bool ShouldDrop(ReadOnlySpan<byte> origin) => !echo && origin.SequenceEqual(bridgeId.Span);
}
