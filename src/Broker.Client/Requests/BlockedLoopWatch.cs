using Broker.Transport;

namespace Broker.Client;

/// <summary>
/// Ends requests at their deadlines while the connection's loop does not run. The loop's own timer cannot end them if a
/// handler blocks the loop until the reply comes. Without this class the handler would wait forever, and all
/// connections of the loop with it. Thread-safe.
/// </summary>
/// <param name="loop">The loop of the connection.</param>
/// <param name="events">Learns of a blocked loop.</param>
/// <param name="table">The pending requests.</param>
internal sealed class BlockedLoopWatch(EventLoop loop, IConnectionEvents events, RequestTable table)
{
    // A loop that is not blocked runs a posted action much sooner, even on a busy machine.
    private static readonly TimeSpan Period = TimeSpan.FromMilliseconds(500);

    private Timer? _timer;
    private int _isArmed;
    private volatile bool _hasRun = true;
    private bool _wasBlocked;

    /// <summary>Watches the loop until no request is pending. Called for each request.</summary>
    internal void Arm()
    {
        if (Volatile.Read(ref _isArmed) == 0 && !loop.IsCallerDriven && Interlocked.Exchange(ref _isArmed, 1) == 0)
        {
            _hasRun = true;
            _timer ??= NewTimer();
            _timer.Change(Period, Period);
        }
    }

    // The timer must not keep the context of the first caller.
    private Timer NewTimer()
    {
        using (ExecutionContext.IsFlowSuppressed() ? default : ExecutionContext.SuppressFlow())
        {
            return new Timer(static watch => ((BlockedLoopWatch)watch!).Look(), this, Timeout.Infinite, Timeout.Infinite);
        }
    }

    private void Look()
    {
        if (_hasRun)
        {
            _wasBlocked = false;
        }
        else
        {
            EndExpired();
        }

        if (table.Pending == 0)
        {
            _timer!.Change(Timeout.Infinite, Timeout.Infinite);
            Volatile.Write(ref _isArmed, 0);
            if (table.Pending == 0)
            {
                return;
            }

            // A request has come meanwhile.
            Arm();
        }

        _hasRun = false;
        loop.Post(() => _hasRun = true);
    }

    private void EndExpired()
    {
        var expired = new List<AwaitedRequest>();
        table.TakeExpired(Environment.TickCount64, expired);
        if (expired.Count != 0 && !_wasBlocked)
        {
            _wasBlocked = true;
            events.ReportBlockedLoop();
        }

        foreach (AwaitedRequest request in expired)
        {
            request.TimeOut(loopIsBlocked: true);
        }
    }
}
