namespace Broker.ZeroMq.Loops;

/// <summary>The sink of sockets that do not receive. It drops the messages of peers that should not send any.</summary>
internal sealed class DiscardSink : InboundSink
{
    internal static readonly DiscardSink Instance = new();

    // A peer that follows the protocol sends only commands.
    internal static readonly ZmtpLimits Limits = new(
        maxFrameSize: 4096, maxMessageSize: 4096, maxFrames: 16, maxCommandSize: 4096);

    internal override ZmtpDecodeResult Receive(MessageSession session, ReadOnlySpan<byte> bytes)
    {
        var taker = new Taker(session.Peer!);
        return session.Decode(bytes, ref taker);
    }

    private readonly struct Taker(ZeroMqPeer peer) : IMessageTaker
    {
        public bool TryTake(in ZmtpMessage message)
        {
            peer.CountFiltered();
            return true;
        }
    }
}
