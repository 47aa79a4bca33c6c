namespace Broker.ZeroMq.Loops;

/// <summary>
/// The sessions of a socket and the totals of the sessions that have ended. Used under the socket's lock.
/// </summary>
internal sealed class SessionRegistry
{
    private readonly HashSet<PeerSession> _sessions = [];
    private readonly HashSet<PeerSession> _displaced = [];

    // The totals of peers that have disconnected.
    private long _receivedBefore;
    private long _sentBefore;

    /// <summary>The number of sessions, without displaced sessions.</summary>
    internal int Count => _sessions.Count;

    /// <summary>Whether no session is left, not even a displaced session.</summary>
    internal bool IsEmpty => _sessions.Count + _displaced.Count == 0;

    internal bool Add(PeerSession session) => _sessions.Add(session);

    /// <summary>
    /// Displaces the session that has been silent longest, if it has been silent for at least this time. A displaced
    /// session no longer counts, although its connection has not ended yet. This method is called only when the limit
    /// of peers is reached, so each new peer costs at most one pass over that many sessions.
    /// </summary>
    internal PeerSession? DisplaceSilent(TimeSpan minimum)
    {
        PeerSession? found = null;
        long now = Environment.TickCount64;
        long longest = (long)minimum.TotalMilliseconds;
        foreach (PeerSession session in _sessions)
        {
            long silence = session.Heartbeat?.GetSilence(now) ?? -1;
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
            _sentBefore += peer.MessagesSent - peer.MessagesSentAgain;
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
                sent += peer.MessagesSent - peer.MessagesSentAgain;
                pending += peer.PendingBytes;
            }
        }
    }
}
