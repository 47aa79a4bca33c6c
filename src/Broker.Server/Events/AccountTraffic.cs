using System.Runtime.CompilerServices;

namespace Broker.Server;

/// <summary>
/// Adds up the traffic of the clients of an account, including the clients that have left. This sum requires a visit
/// of all clients of the server. The server publishes an event with the sum each time a client enters or leaves the
/// account. If the server has more than a few clients, a thread-pool thread computes the sum for these events. It waits
/// between two visits, so that the visits take at most a hundredth of the time. Thread-safe.
/// </summary>
internal sealed class AccountTraffic(ServerCore core)
{
    /// <summary>
    /// The largest number of clients that the server visits for each event. With more clients, events are not exact.
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
    /// Returns the totals in bounded time. The totals may be a second old, or older if there are very many clients.
    /// </summary>
    internal Totals Of(Account account)
    {
        if (core.SessionCount <= MaxExactClients)
        {
            return Sum(account);
        }

        CachedTotals known = Known(account);
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

    /// <summary>Computes the current totals of an account by visiting all clients.</summary>
    internal Totals Sum(Account account)
    {
        Totals sum = PastOf(account);
        long looks = 0;
        foreach (ClientSession session in core.EnumerateSessions())
        {
            looks++;
            if (session.Account == account)
            {
                sum += Of(session);
            }
        }

        Interlocked.Add(ref _visits, looks);
        return Known(account).Raise(sum);
    }

    /// <summary>Computes the current totals of all accounts by visiting all clients once.</summary>
    internal Dictionary<Account, Totals> SumAll()
    {
        var sums = core.Accounts.All.ToDictionary(static a => a, PastOf);
        long looks = 0;
        foreach (ClientSession session in core.EnumerateSessions())
        {
            looks++;
            if (sums.TryGetValue(session.Account, out Totals sum))
            {
                sums[session.Account] = sum + Of(session);
            }
        }

        Interlocked.Add(ref _visits, looks);
        return sums.ToDictionary(static s => s.Key, s => Known(s.Key).Raise(s.Value));
    }

    private CachedTotals Known(Account account) => _known.GetOrCreateValue(account);

    private static Totals Of(ClientSession session)
        => new(session.MessagesOut, session.PayloadOut, session.MessagesIn, session.PayloadIn);

    private static Totals PastOf(Account account)
    {
        (long messagesIn, long bytesIn, long messagesOut, long bytesOut) = account.Past.Read();
        return new Totals(messagesOut, bytesOut, messagesIn, bytesIn);
    }

    /// <summary>The numbers of messages and of their payload bytes.</summary>
    internal readonly record struct Totals(long MessagesOut, long BytesOut, long MessagesIn, long BytesIn)
    {
        public static Totals operator +(Totals one, Totals other) => new(
            one.MessagesOut + other.MessagesOut,
            one.BytesOut + other.BytesOut,
            one.MessagesIn + other.MessagesIn,
            one.BytesIn + other.BytesIn);
    }

    private sealed class CachedTotals
    {
        private readonly Lock _gate = new();
        private Totals _totals;
        private Totals _highest;
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

        /// <summary>
        /// Returns the highest totals so far. A client that leaves during a visit may be missing in the new totals, but
        /// programs that read the totals expect that they never fall.
        /// </summary>
        internal Totals Raise(Totals totals)
        {
            lock (_gate)
            {
                _highest = new Totals(
                    Math.Max(_highest.MessagesOut, totals.MessagesOut),
                    Math.Max(_highest.BytesOut, totals.BytesOut),
                    Math.Max(_highest.MessagesIn, totals.MessagesIn),
                    Math.Max(_highest.BytesIn, totals.BytesIn));
                return _highest;
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
