using System.Runtime.CompilerServices;

namespace Broker.Server;

/// <summary>
/// Adds up the traffic of the clients of an account, for the event that is published each time a client enters or
/// leaves the account. This requires a visit of all clients of the server. If there are more than a few, a thread-pool
/// thread does it, and waits between two visits so long that the visits take at most a hundredth of the time.
/// Thread-safe.
/// </summary>
internal sealed class AccountTraffic(ServerCore core)
{
    /// <summary>
    /// The number of clients up to which each event is exact, because all clients are visited for it.
    /// </summary>
    internal const int MaxExactClients = 64;

    private const int MaxTimeShare = 100;

    private static readonly TimeSpan Shortest = TimeSpan.FromSeconds(1);

    // The table does not keep removed accounts alive.
    private readonly ConditionalWeakTable<Account, CachedTotals> _known = [];
    private long _visits;

    private TimeProvider Time => core.Time;

    private long Tick => core.Tick;

    /// <summary>The number of visited clients since the start.</summary>
    internal long Visits => Interlocked.Read(ref _visits);

    /// <summary>
    /// Returns the totals in bounded time. They may be a second old, or older if there are very many clients.
    /// </summary>
    internal Totals Of(Account account)
    {
        if (core.SessionCount <= MaxExactClients)
        {
            return Sum(account);
        }

        CachedTotals known = _known.GetOrCreateValue(account);
        if (known.TryBegin(Tick))
        {
            ThreadPool.UnsafeQueueUserWorkItem(
                static work =>
                {
                    TimeProvider time = work.Traffic.Time;
                    long begin = time.GetTimestamp();
                    Totals totals = work.Traffic.Sum(work.Account);
                    TimeSpan pause = time.GetElapsedTime(begin) * MaxTimeShare;
                    pause = pause > Shortest ? pause : Shortest;
                    work.Known.End(totals, work.Traffic.Tick + (long)pause.TotalMilliseconds);
                },
                (Traffic: this, Account: account, Known: known),
                preferLocal: false);
        }

        return known.Totals;
    }

    /// <summary>Computes the current totals by visiting all clients.</summary>
    internal Totals Sum(Account account)
    {
        var sum = default(Totals);
        long looks = 0;
        foreach (ClientSession session in core.EnumerateSessions())
        {
            looks++;
            if (session.Account == account)
            {
                sum = new Totals(
                    sum.MessagesOut + session.MessagesOut, sum.BytesOut + session.PayloadOut,
                    sum.MessagesIn + session.MessagesIn, sum.BytesIn + session.PayloadIn);
            }
        }

        Interlocked.Add(ref _visits, looks);
        return sum;
    }

    /// <summary>Numbers of messages, and of bytes of their payloads.</summary>
    internal readonly record struct Totals(long MessagesOut, long BytesOut, long MessagesIn, long BytesIn);

    private sealed class CachedTotals
    {
        private readonly Lock _gate = new();
        private Totals _totals;
        private bool _isAddingUp;
        private long _notBefore;

        internal Totals Totals
        {
            get
            {
                lock (_gate)
                {
                    return _totals;
                }
            }
        }

        internal bool TryBegin(long now)
        {
            lock (_gate)
            {
                if (_isAddingUp || now < _notBefore)
                {
                    return false;
                }

                return _isAddingUp = true;
            }
        }

        internal void End(Totals totals, long notBefore)
        {
            lock (_gate)
            {
                _totals = totals;
                _isAddingUp = false;
                _notBefore = notBefore;
            }
        }
    }
}
