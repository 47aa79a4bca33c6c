using System.Buffers;
using Broker.ZeroMq.Loops;

namespace Broker.ZeroMq;

/// <summary>
/// Copies messages one by one into the receive queue of a thread-safe socket. It is for socket types that remove an
/// envelope or filter messages.
/// </summary>
internal sealed class CopySink(ReceiveQueue queue) : InboundSink
{
    internal override ZmtpDecodeResult Receive(MessageSession session, ReadOnlySpan<byte> bytes)
    {
        var taker = new Taker(this, session.Peer!);
        return session.Decode(bytes, ref taker);
    }

    internal override void OnDisconnected(MessageSession session) => Disconnect(session.Peer!);

    /// <summary>Forgets a disconnected peer, which must not be resumed. Called on the peer's loop.</summary>
    internal void Disconnect(ZeroMqPeer peer)
    {
        if (peer.Source is ReceiveSource source)
        {
            queue.RemovePaused(source);
        }
    }

    /// <summary>
    /// Copies a message if there is room. Otherwise returns false, and the queue resumes the peer later. Called on the
    /// peer's loop.
    /// </summary>
    internal bool TryTake(ZeroMqPeer peer, in ZmtpMessage message)
    {
        ReceiveSource source = SourceOf(peer);
        if (!TryReserve(source))
        {
            return false;
        }

        if (message.IsContiguous)
        {
            queue.Add(source, message.Encoded, 1);
            return true;
        }

        byte[] rented = ArrayPool<byte>.Shared.Rent(message.EncodedSize);
        int size = message.CopyTo(rented);
        queue.Add(source, rented.AsSpan(0, size), 1);
        ArrayPool<byte>.Shared.Return(rented);
        return true;
    }

    internal static ReceiveSource SourceOf(ZeroMqPeer peer)
    {
        if (peer.Source is not ReceiveSource source)
        {
            peer.Source = source = new ReceiveSource(peer, peer.Session.Loop, peer.Session.Resume);
        }

        return source;
    }

    /// <summary>
    /// Whether there is room for a message of this source. If there is no room, the queue resumes the source later.
    /// </summary>
    internal bool TryReserve(ReceiveSource source) => queue.Room(source, out _) > 0 || !queue.TryPause(source);

    /// <summary>Copies a message even if there is no room.</summary>
    internal void Add(ReceiveSource source, ReadOnlySpan<byte> encoded) => queue.Add(source, encoded, 1);

    private readonly struct Taker(CopySink sink, ZeroMqPeer peer) : IMessageTaker
    {
        public bool TryTake(in ZmtpMessage message) => sink.TryTake(peer, message);
    }
}
