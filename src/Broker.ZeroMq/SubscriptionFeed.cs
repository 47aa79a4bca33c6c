using System.Buffers;

namespace Broker.ZeroMq;

/// <summary>
/// Adds the subscriptions of an XPUB socket's peers to the socket's receive queue. May be called on any loop.
/// </summary>
/// <param name="options">The options of the socket.</param>
/// <param name="sink">The sink that the subscriptions are added to.</param>
/// <param name="resume">Resumes reading from all peers.</param>
internal sealed class SubscriptionFeed(XPublisherSocketOptions options, CopySink sink, Action resume)
{
    private readonly bool _deliversAll = options.Verbose || options.Verboser;

    // One source for all peers keeps the order of the subscriptions to one prefix. A manual socket uses one source per
    // peer, because its application needs to know the peer.
    private readonly ReceiveSource _all = new(peer: null, loop: null, resume);

    internal bool OnSubscription(ZeroMqPeer peer, ReadOnlySpan<byte> prefix, bool subscribes)
    {
        // The cancellations of a disconnected peer are added even if the queue is then above its high-water mark. Their
        // number is limited: each one cancels a subscription that was accepted earlier.
        ReceiveSource source = options.Manual ? CopySink.SourceOf(peer) : _all;
        if (peer.IsConnected && !sink.TryReserve(source))
        {
            return false;
        }

        if (options.Manual || (subscribes ? _deliversAll : options.Verboser))
        {
            AddMessage(source, prefix, subscribes);
        }

        return true;
    }

    internal void OnInterest(ReadOnlySpan<byte> prefix, bool wanted)
    {
        if (!(wanted ? _deliversAll : options.Verboser))
        {
            AddMessage(_all, prefix, wanted);
        }
    }

    private void AddMessage(ReceiveSource source, ReadOnlySpan<byte> prefix, bool subscribes)
    {
        int length = prefix.Length + 1;
        byte[] rented = ArrayPool<byte>.Shared.Rent(ZmtpWriter.FrameSize(length));
        int header = ZmtpWriter.WriteHeader(rented, length, more: false);
        rented[header] = subscribes ? (byte)1 : (byte)0;
        prefix.CopyTo(rented.AsSpan(header + 1));
        sink.Add(source, rented.AsSpan(0, header + length));
        ArrayPool<byte>.Shared.Return(rented);
    }
}
