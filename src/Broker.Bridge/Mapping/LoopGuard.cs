namespace Broker.Bridge.Mapping;

/// <summary>Decides whether a message may go back to ZeroMQ, by the bridge that brought it from there.</summary>
internal readonly struct LoopGuard(ReadOnlyMemory<byte> bridgeId, bool echo)
{
    /// <param name="origin">The value of <c>Zmq-Origin</c>; empty when the message began as a NATS message.</param>
    public bool ShouldDrop(ReadOnlySpan<byte> origin) => !echo && origin.SequenceEqual(bridgeId.Span);
}
