using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Sockets;

/// <summary>For sockets that receive nothing: what a peer sends nevertheless is dropped.</summary>
internal sealed class DiscardSink : InboundSink
{
    internal static readonly DiscardSink Instance = new();

    // No peer that keeps to the pattern sends anything but commands.
    internal static readonly ZmtpLimits Limits = new(maxFrameSize: 4096, maxMessageSize: 4096, maxFrames: 16, maxCommandSize: 4096);

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
