using System.Diagnostics;

namespace Broker.Transport;

/// <summary>
/// Determines how a loop that has nothing to do waits: it polls for a short time, if polling is likely to find events,
/// and then it sleeps. On the loop's thread.
/// </summary>
internal sealed class IdleWait(Poller poller, TimerQueue timers, Pacing pacing, int idlePolls)
{
    // After this number of waits in which polls found nothing, the loop stops polling until events come close together
    // again.
    private const int PollCredit = 8;

    private static readonly TimeSpan ShortSleep = TimeSpan.FromMicroseconds(100);

    private int _credit = PollCredit;

    // The number of connections whose next bytes are likely to come within microseconds.
    private int _spinning;

    /// <summary>Changes the number of connections for which the loop polls before it sleeps.</summary>
    internal void AddSpinning(int more) => _spinning += more;

    /// <summary>
    /// Polls, if polling is likely to find events, and then sleeps for at most <paramref name="most"/> milliseconds.
    /// Returns the number of events to pass to <see cref="Poller.Dispatch"/>.
    /// </summary>
    internal int Wait(int most)
    {
        if (_credit > 0 && _spinning > 0 && pacing.ShouldPoll)
        {
            for (int i = 0; i < idlePolls; i++)
            {
                int polled = poller.Wait(0);
                pacing.CountPoll();
                if (polled != 0)
                {
                    _credit = PollCredit;
                    return polled;
                }
            }

            _credit--;
        }

        // The clock is read only here, where the thread sleeps anyway. If the sleep was shorter than the cost of
        // falling asleep and waking up, polling would have been better.
        long before = Stopwatch.GetTimestamp();
        int milliseconds = timers.MillisecondsToSleep(most);
        int ready = timers.IsShortDueWithin(milliseconds, before, out TimeSpan untilShort)
            ? poller.WaitShort(untilShort)
            : poller.Wait(milliseconds);
        timers.ReadClock();
        if (Stopwatch.GetElapsedTime(before) < ShortSleep)
        {
            _credit = PollCredit;
        }

        return ready;
    }
}
