namespace Broker.ZeroMq.Loops;

/// <summary>Passes each message to the application's handler.</summary>
internal sealed class HandlerSink(ZeroMqMessageHandler handler) : InboundSink
{
    private readonly ZeroMqMessageHandler _handler = handler;

    internal override ZmtpDecodeResult Receive(MessageSession session, ReadOnlySpan<byte> bytes)
    {
        var taker = new Taker(_handler, session.Peer!);
        return session.Decode(bytes, ref taker);
    }

    private readonly struct Taker(ZeroMqMessageHandler handler, ZeroMqPeer peer) : IMessageTaker
    {
        public bool TryTake(in ZmtpMessage message) => handler(peer, message);
    }
}
