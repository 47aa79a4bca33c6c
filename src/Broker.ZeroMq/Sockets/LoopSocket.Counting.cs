namespace Broker.ZeroMq.Loops;

public abstract partial class LoopSocket
{
    // The totals of peers that have disconnected. Guarded by the lock.
    private long _receivedBefore;
    private long _sentBefore;

    /// <summary>The number of dropped messages, as the derived socket counts them.</summary>
    private protected virtual long Dropped => 0;

    /// <summary>
    /// The counters of the socket since it was created. May be called on any thread; it iterates over the peers.
    /// </summary>
    public ZeroMqCounts GetCounts()
    {
        lock (_gate)
        {
            (int peers, long received, long sent, long pending) = (0, _receivedBefore, _sentBefore, 0);
            foreach (PeerSession session in _sessions)
            {
                Add(session);
            }

            foreach (PeerSession session in _displaced)
            {
                Add(session);
            }

            return new ZeroMqCounts(peers, received, sent, Dropped, pending);

            void Add(PeerSession session)
            {
                if (session.Peer is { } peer)
                {
                    peers++;
                    received += peer.MessagesReceived;
                    sent += peer.MessagesSent;
                    pending += peer.PendingBytes;
                }
            }
        }
    }

    // Keeps the counters of a session that was removed from the sets that GetCounts iterates over. Called under the
    // lock.
    private void AddToTotals(PeerSession gone)
    {
        if (gone.Peer is { } peer)
        {
            _receivedBefore += peer.MessagesReceived;
            _sentBefore += peer.MessagesSent;
        }
    }
}
