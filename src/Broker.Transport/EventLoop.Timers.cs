using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Broker.Transport;

// Timers are checked when the loop is about to sleep, when it has slept, and under load after a certain amount of
// work. So a busy loop does not read the clock in every iteration, and a loop with long iterations reads it after a
// few of them.
public sealed partial class EventLoop
{
    // The unit of work: an iteration, a read, 4 KiB received, or a send. Each takes some microseconds.
    private const int WorkBetweenClockReads = 64;

    // The work of one delivery after a yield.
    private const int WorkOfYield = 16;

    private const int BytesPerCount = 12;
    private const int LeastToSweep = 256;

    private readonly PriorityQueue<LoopTimer, long> _timers = new();
    // Null for the system's clock, which is read without a virtual call.
    private readonly TimeProvider? _time;
    private ITimer? _alarm;

    // Timers that are due within microseconds; there are few, and usually none.
    private readonly List<(long Due, Action Action)> _shortTimers = [];
    private int _workUntilClockRead;
    private int _cancelled;

    private long Now => _time is null ? Environment.TickCount64 : MillisecondsOf(_time);

    internal static long ReadTick(TimeProvider time) => time == TimeProvider.System ? Environment.TickCount64 : MillisecondsOf(time);

    /// <summary>
    /// Calls <paramref name="callback"/> once on this loop, not before <paramref name="due"/> has passed by the
    /// group's <see cref="EventLoopOptions.TimeProvider"/>, and at most some milliseconds later if the loop is not
    /// overloaded. A caller-driven loop calls it in the first iteration after that time. On this loop's thread.
    /// </summary>
    /// <exception cref="InvalidOperationException">The caller is not on this loop's thread.</exception>
    public LoopTimer StartTimer(TimeSpan due, Action callback)
    {
        ArgumentNullException.ThrowIfNull(callback);
        var timer = new LoopTimer(this, callback);
        Enqueue(timer, due);
        return timer;
    }

    internal void Enqueue(LoopTimer timer, TimeSpan due)
    {
        RequireCurrent();
        _timers.Enqueue(timer, Now + (long)Math.Ceiling(Math.Max(0, due.TotalMilliseconds)));
    }

    /// <summary>
    /// Runs <paramref name="action"/> once on this loop after <paramref name="delay"/> has passed by the system's
    /// clock: for delays below a millisecond, for example to collect writes. On Linux it runs some ten microseconds
    /// after the delay. On other systems, or if a filter of system calls blocks the exact wait, it may run a
    /// millisecond or a tick of the system later. On this loop's thread.
    /// </summary>
    /// <exception cref="InvalidOperationException">The caller is not on this loop's thread.</exception>
    public void RunAfter(TimeSpan delay, Action action)
    {
        ArgumentNullException.ThrowIfNull(action);
        RequireCurrent();
        _shortTimers.Add((Stopwatch.GetTimestamp() + (long)(delay.TotalSeconds * Stopwatch.Frequency), action));
    }

    private void RunShortTimers()
    {
        if (_shortTimers.Count != 0)
        {
            RunDueShortTimers();
        }
    }

    private void RunDueShortTimers()
    {
        long now = Stopwatch.GetTimestamp();
        // A timer that an action adds now is checked in the next iteration.
        for (int i = _shortTimers.Count - 1; i >= 0; i--)
        {
            (long due, Action action) = _shortTimers[i];
            if (due <= now)
            {
                _shortTimers.RemoveAt(i);
                Guarded(action);
            }
        }
    }

    // Whether a short timer is due before the milliseconds are over, and the time until then.
    private bool IsShortTimerDueWithin(int milliseconds, long now, out TimeSpan left)
    {
        left = TimeSpan.MaxValue;
        foreach ((long due, Action _) in _shortTimers)
        {
            var until = TimeSpan.FromSeconds(Math.Max(0, due - now) / (double)Stopwatch.Frequency);
            left = until < left ? until : left;
        }

        return _shortTimers.Count != 0 && (milliseconds < 0 || left.TotalMilliseconds < milliseconds);
    }

    /// <summary>Counts the work of reading a connection. On the loop.</summary>
    internal void CountRead(long bytes) => CountWork(1 + (int)(bytes >> BytesPerCount));

    private void CountWork(int count) => _workUntilClockRead -= count;

    private void RunTimers()
    {
        if (_timers.Count == 0)
        {
            _workUntilClockRead = 0;
            return;
        }

        if (--_workUntilClockRead > 0)
        {
            return;
        }

        _workUntilClockRead = WorkBetweenClockReads;
        long now = LastTick = Now;
        // At most as many timers as there are now: a timer that restarts itself without a delay must not keep the loop
        // here.
        for (int left = _timers.Count;
            left > 0 && _timers.TryPeek(out LoopTimer? timer, out long due) && (due <= now || !timer.IsPending);
            left--)
        {
            Remove();
            if (timer.Fire() is { } callback)
            {
                Guarded(callback);
            }
        }
    }

    private int MillisecondsToNextTimer()
    {
        _workUntilClockRead = 0;
        while (_timers.TryPeek(out LoopTimer? timer, out long due))
        {
            if (timer.IsPending)
            {
                return (int)Math.Clamp(due - Now, 0, int.MaxValue);
            }

            Remove();
        }

        return Timeout.Infinite;
    }

    // The time until the next timer, at most the given milliseconds.
    private int MillisecondsToSleep(int most)
    {
        int next = MillisecondsToNextTimer();
        if (_time is not null && next > 0)
        {
            next = SetAlarm(_time, next);
        }

        // No limit, -1, is the largest unsigned number.
        return (int)Math.Min((uint)next, (uint)most);
    }

    // The poller sleeps by the system's clock and not by the application's TimeProvider, so a timer of the
    // TimeProvider wakes it.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private int SetAlarm(TimeProvider time, int next)
    {
        _alarm ??= time.CreateTimer(
            static poller => ((Poller)poller!).Wake(), _poller, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        while (next > 0)
        {
            _alarm.Change(TimeSpan.FromMilliseconds(next), Timeout.InfiniteTimeSpan);
            // The application may have advanced its time before the alarm was set.
            int left = MillisecondsToNextTimer();
            if (left == next)
            {
                return Timeout.Infinite;
            }

            next = left;
        }

        return next;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    // In integers: a provider that counts from the year 1 returns numbers that are too large for a double, and a timer
    // would fire an iteration late.
    private static long MillisecondsOf(TimeProvider time)
    {
        (long seconds, long rest) = Math.DivRem(time.GetTimestamp(), time.TimestampFrequency);
        return (seconds * 1000) + (rest * 1000 / time.TimestampFrequency);
    }

    /// <summary>
    /// Counts a cancelled timer. It stays in the queue until it would have been due or until most timers in the queue
    /// are cancelled. So a connection that moves its timer for every message costs no search, and the queue is at most
    /// twice as long as needed.
    /// </summary>
    internal void CountCancelled()
    {
        if (++_cancelled < LeastToSweep || _cancelled * 2 < _timers.Count)
        {
            return;
        }

        (LoopTimer Timer, long Due)[] pending = [.. _timers.UnorderedItems.Where(t => t.Element.IsPending)];
        _timers.Clear();
        _timers.EnqueueRange(pending);
        _cancelled = 0;
    }

    private void Remove()
    {
        if (!_timers.Dequeue().IsPending)
        {
            _cancelled--;
        }
    }
}
