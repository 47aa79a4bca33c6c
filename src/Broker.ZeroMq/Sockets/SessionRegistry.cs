namespace Broker.ZeroMq.Loops;

/// <summary>
/// The sessions of a socket and the totals of those that have ended. Used under the socket's lock.
/// </summary>
internal sealed class SessionRegistry
{
    private readonly HashSet<PeerSession> _sessions = [];
    private readonly HashSet<PeerSession> _displaced = [];

    // The totals of peers that have disconnected.
    private long _receivedBefore;
    private long _sentBefore;

    /// <summary>The number of sessions, without those that were displaced.</summary>
    internal int Count => _sessions.Count;

    /// <summary>Whether no session is left, including those that were displaced.</summary>
    internal bool IsEmpty => _sessions.Count + _displaced.Count == 0;

    internal bool Add(PeerSession session) => _sessions.Add(session);

    /// <summary>
    /// Finds the session that has been silent longest, for at least this time, and displaces it. A displaced session no
    /// longer counts, although its connection has not ended yet. It runs only at the limit of peers, so that the
    /// iteration costs each new peer at most that limit.
    /// </summary>
    internal PeerSession? DisplaceSilent(TimeSpan minimum)
    {
        PeerSession? found = null;
        long now = Environment.TickCount64;
        long longest = (long)minimum.TotalMilliseconds;
        foreach (PeerSession session in _sessions)
        {
            long silence = session.Heartbeat.GetSilence(now);
            if (silence >= longest)
            {
                longest = silence;
                found = session;
            }
        }

        if (found is not null)
        {
            _sessions.Remove(found);
            _displaced.Add(found);
        }

        return found;
    }

    /// <summary>Removes a session and keeps its counters.</summary>
    internal void Remove(PeerSession session)
    {
        if ((_sessions.Remove(session) || _displaced.Remove(session)) && session.Peer is { } peer)
        {
            _receivedBefore += peer.MessagesReceived;
            _sentBefore += peer.MessagesSent;
        }
    }

    internal PeerSession[] ToArray() => [.. _sessions, .. _displaced];

    internal ZeroMqCounts GetCounts(long dropped)
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

        return new ZeroMqCounts(peers, received, sent, dropped, pending);

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
