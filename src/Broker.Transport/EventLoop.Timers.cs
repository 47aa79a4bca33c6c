namespace Broker.Transport;

// Timers are looked at when the loop is about to sleep, has slept, or every so many turns under load, so that a busy
// loop does not read the clock on every turn.
public sealed partial class EventLoop
{
    private const int TurnsBetweenLooks = 64;

    private readonly PriorityQueue<LoopTimer, long> _timers = new();
    private int _turnsToLook;

    /// <summary>
    /// Calls <paramref name="callback"/> once on this loop, not before <paramref name="due"/> has passed and, on a loop
    /// that is not overloaded, at most some milliseconds after. On this loop's thread.
    /// </summary>
    public LoopTimer StartTimer(TimeSpan due, Action callback)
    {
        ArgumentNullException.ThrowIfNull(callback);
        var timer = new LoopTimer(callback);
        _timers.Enqueue(timer, Environment.TickCount64 + (long)Math.Ceiling(Math.Max(0, due.TotalMilliseconds)));
        return timer;
    }

    private void RunTimers()
    {
        if (_timers.Count == 0 || --_turnsToLook > 0)
        {
            return;
        }

        _turnsToLook = TurnsBetweenLooks;
        long now = Environment.TickCount64;
        while (_timers.TryPeek(out LoopTimer? timer, out long due) && (due <= now || !timer.IsPending))
        {
            _timers.Dequeue();
            Guarded(timer.Fire);
        }
    }

    private int MillisecondsToNextTimer()
    {
        _turnsToLook = 0;
        while (_timers.TryPeek(out LoopTimer? timer, out long due))
        {
            if (timer.IsPending)
            {
                return (int)Math.Clamp(due - Environment.TickCount64, 0, int.MaxValue);
            }

            _timers.Dequeue();
        }

        return Timeout.Infinite;
    }
}
