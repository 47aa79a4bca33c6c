using System.Runtime.CompilerServices;
using Broker.Server.Accounts;
using Broker.Server.Sessions;

namespace Broker.Server.Events;

/// <summary>
/// What the clients of an account have sent and been sent, for events that come each time one of them does. To add it up is to look
/// at all clients of the server: where there are more than a few that is done away from the loops, and not again before a time has
/// passed of which it takes a hundredth at most. Thread-safe.
/// </summary>
internal sealed class AccountTraffic(ServerCore core)
{
    /// <summary>Up to so many clients are added up for each event, which then is exact.</summary>
    internal const int Few = 64;

    private const int PartOfTime = 100;

    private static readonly TimeSpan Shortest = TimeSpan.FromSeconds(1);

    // Goes with the account, whoever still holds that.
    private readonly ConditionalWeakTable<Account, Known> _known = [];
    private long _looks;

    private TimeProvider Time => core.Time;

    private long Tick => core.Tick;

    /// <summary>How many clients were looked at so far.</summary>
    internal long Looks => Interlocked.Read(ref _looks);

    /// <summary>The totals, which may be of a second ago or, where there are very many clients, of some more. Takes a bounded time.</summary>
    internal Totals Of(Account account)
    {
        if (core.SessionCount <= Few)
        {
            return Sum(account);
        }

        Known known = _known.GetOrCreateValue(account);
        if (known.TryBegin(Tick))
        {
            ThreadPool.UnsafeQueueUserWorkItem(
                static work =>
                {
                    TimeProvider time = work.Traffic.Time;
                    long begin = time.GetTimestamp();
                    Totals totals = work.Traffic.Sum(work.Account);
                    TimeSpan pause = time.GetElapsedTime(begin) * PartOfTime;
                    work.Known.End(totals, work.Traffic.Tick + (long)(pause > Shortest ? pause : Shortest).TotalMilliseconds);
                },
                (Traffic: this, Account: account, Known: known),
                preferLocal: false);
        }

        return known.Totals;
    }

    /// <summary>The totals now. Looks at all clients.</summary>
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

        Interlocked.Add(ref _looks, looks);
        return sum;
    }

    /// <summary>Messages, and bytes of their payloads.</summary>
    internal readonly record struct Totals(long MessagesOut, long BytesOut, long MessagesIn, long BytesIn);

    private sealed class Known
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
