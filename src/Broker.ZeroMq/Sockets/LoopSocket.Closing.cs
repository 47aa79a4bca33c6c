using System.Diagnostics;

namespace Broker.ZeroMq.Sockets;

public abstract partial class LoopSocket
{
    private readonly HashSet<PeerSession> _sessions = [];
    private readonly HashSet<PeerSession> _leaving = [];
    private readonly List<ZeroMqUndelivered> _undelivered = [];
    private readonly TaskCompletionSource _empty = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _abandoned;
    private Task<ZeroMqCloseReport>? _closed;
    private volatile bool _closing;
    private bool _isDraining;

    /// <summary>
    /// Stops accepting and sending, sends what is queued for up to <paramref name="linger"/>, and ends all connections. Endpoints that are
    /// connected to and that something waits for are dialled on for that time.
    /// Further calls return the first one's result.
    /// </summary>
    /// <param name="linger">Zero drops what is queued; <see cref="Timeout.InfiniteTimeSpan"/> waits for as long as it takes.</param>
    /// <returns>What was not delivered; the task ends about a second after the linger at the latest.</returns>
    public Task<ZeroMqCloseReport> CloseAsync(TimeSpan linger)
    {
        LongTimes.Require(linger, nameof(linger));
        lock (_gate)
        {
            _closing = true;
            return _closed ??= CloseCoreAsync(linger.Bounded());
        }
    }

    /// <summary>False when the session has to go: the socket is full or closing. On the session's loop.</summary>
    internal bool TryEnter(PeerSession session, out string? reason)
    {
        PeerSession? displaced = null;
        bool entered;
        lock (_gate)
        {
            bool full = _sessions.Count >= _options.MaxPeers && (displaced = FindDumb()) is null;
            if (displaced is not null)
            {
                // It leaves the count at once: its place is taken before its connection has ended.
                _sessions.Remove(displaced);
                _leaving.Add(displaced);
            }

            reason = full && !_closing ? "too many peers" : null;
            entered = (!_closing || (_isDraining && session.Link is not null)) && !full && _sessions.Add(session);
        }

        displaced?.Loop.Run(() => displaced.Refuse("it has said nothing since its handshake, and its place is needed"));
        return entered;
    }

    internal void Leave(PeerSession session, ZeroMqUndelivered? undelivered)
    {
        lock (_gate)
        {
            if (_sessions.Remove(session) || _leaving.Remove(session))
            {
                KeepCounts(session);
            }

            if (!_closing)
            {
                return;
            }

            if (undelivered is not null)
            {
                _undelivered.Add(undelivered);
            }

            if (_sessions.Count + _leaving.Count == 0 && !_isDraining)
            {
                _empty.TrySetResult();
            }
        }
    }

    // Under the lock. Only where there are as many peers as may be, so the walk costs a newcomer what the limit says.
    private PeerSession? FindDumb()
    {
        PeerSession? found = null;
        long now = Environment.TickCount64;
        long longest = (long)_options.SilenceAllowed.TotalMilliseconds;
        foreach (var session in _sessions)
        {
            long dumb = session.Dumb(now);
            if (dumb >= longest)
            {
                longest = dumb;
                found = session;
            }
        }

        return found;
    }

    /// <summary>Ends when nothing waits for a connection any more. Under the socket's lock, after <see cref="OnClosing"/>.</summary>
    private protected virtual Task BacklogSentAsync() => Task.CompletedTask;

    /// <summary>From here on nothing more is put into peers' queues. Under the socket's lock.</summary>
    private protected virtual void OnClosing()
    {
    }

    private async Task<ZeroMqCloseReport> CloseCoreAsync(TimeSpan linger)
    {
        OnClosing();
        foreach (var (_, _, listener) in _listeners)
        {
            listener.Dispose();
        }

        OutgoingLink[] links = [.. _links];
        _isDraining = linger > TimeSpan.Zero && links.Length > 0;
        if (_isDraining)
        {
            // The lock is the caller's and ends with the first wait.
            long before = Stopwatch.GetTimestamp();
            await Task.WhenAny(BacklogSentAsync(), Task.Delay(linger)).ConfigureAwait(false);
            var left = linger - Stopwatch.GetElapsedTime(before);
            linger = left > TimeSpan.Zero ? left : TimeSpan.Zero;
        }

        return await EndAsync(links, linger).ConfigureAwait(false);
    }

    private async Task<ZeroMqCloseReport> EndAsync(OutgoingLink[] links, TimeSpan linger)
    {
        lock (_gate)
        {
            _isDraining = false;
            if (_sessions.Count + _leaving.Count == 0)
            {
                _empty.TrySetResult();
            }
        }

        foreach (var link in links)
        {
            link.Dispose();
            OnDisconnecting(link);
        }

        await HandOverAsync().ConfigureAwait(false);
        PeerSession[] left;
        lock (_gate)
        {
            left = [.. _sessions, .. _leaving];
        }

        foreach (var session in left)
        {
            session.Leave(linger);
        }

        await _empty.Task.ConfigureAwait(false);
        Loops.HeldBudget.Forget(_onEnoughMemory);
        lock (_gate)
        {
            return new ZeroMqCloseReport(_undelivered.Sum(u => u.Messages) + _abandoned, [.. _undelivered]);
        }
    }

    // A loop hands over what it has staged when a turn ends, so two turns after now everything is with the connections.
    private async Task HandOverAsync()
    {
        await Task.Yield();
        for (int turn = 0; turn < 2; turn++)
        {
            for (int i = 0; i < Loops.Count; i++)
            {
                if (_home is not null && _home != Loops[i])
                {
                    continue;
                }

                var passed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                if (Loops[i].TryPost(passed.SetResult))
                {
                    await passed.Task.ConfigureAwait(false);
                }
            }
        }
    }
}
