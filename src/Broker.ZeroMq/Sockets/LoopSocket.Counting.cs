namespace Broker.ZeroMq.Sockets;

public abstract partial class LoopSocket
{
    // Of peers that have gone: under the lock.
    private long _receivedBefore;
    private long _sentBefore;

    /// <summary>What it has dropped so far, by whatever it counts that with.</summary>
    private protected virtual long Dropped => 0;

    /// <summary>What it has counted since it was made. Any thread; it walks over the peers.</summary>
    public ZeroMqCounts GetCounts()
    {
        lock (_gate)
        {
            (int peers, long received, long sent, long pending) = (0, _receivedBefore, _sentBefore, 0);
            foreach (PeerSession session in _sessions)
            {
                Add(session);
            }

            foreach (PeerSession session in _leaving)
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

    // Under the lock, when a session has been taken out of those that are walked over.
    private void KeepCounts(PeerSession gone)
    {
        if (gone.Peer is { } peer)
        {
            _receivedBefore += peer.MessagesReceived;
            _sentBefore += peer.MessagesSent;
        }
    }
}
