using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Broker.Transport;

// Timers are looked at when the loop is about to sleep, has slept, or after so much work under load: so a busy loop does not read
// the clock on every turn, and one whose turns are long does it after a few.
public sealed partial class EventLoop
{
    // What a turn, a read, 4 KiB received, a send each count as one of: they take some microseconds.
    private const int WorkBetweenClockReads = 64;

    // What a part of a handler's work that was put off counts as.
    private const int WorkOfYield = 16;

    private const int BytesPerCount = 12;
    private const int LeastToSweep = 256;

    private readonly PriorityQueue<LoopTimer, long> _timers = new();
    // Null for the system's clock, which is read without a virtual call.
    private readonly TimeProvider? _time;
    private ITimer? _alarm;

    // Few, and mostly none: what is due in microseconds.
    private readonly List<(long Due, Action Action)> _shortTimers = [];
    private int _workUntilClockRead;
    private int _cancelled;

    private long Now => _time is null ? Environment.TickCount64 : MillisecondsOf(_time);

    internal static long ReadTick(TimeProvider time) => time == TimeProvider.System ? Environment.TickCount64 : MillisecondsOf(time);

    /// <summary>
    /// Calls <paramref name="callback"/> once on this loop, not before <paramref name="due"/> has passed by the group's
    /// <see cref="EventLoopOptions.TimeProvider"/> and, on a loop that is not overloaded, at most some milliseconds after. A loop that its
    /// caller drives does so in the first turn after that time. On this loop's thread.
    /// </summary>
    /// <exception cref="InvalidOperationException">Not on this loop's thread.</exception>
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
    /// Runs <paramref name="action"/> once on this loop when <paramref name="delay"/> has passed by the system's clock: for less than a
    /// millisecond, as a window in which writes are collected. On Linux it runs some ten microseconds after that; elsewhere, or where a
    /// filter of system calls is in the way, a millisecond or a tick of the system may pass. On this loop's thread.
    /// </summary>
    /// <exception cref="InvalidOperationException">Not on this loop's thread.</exception>
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
        // What an action adds now is looked at in the next turn.
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

    // Whether one of these comes before the milliseconds are over, and how long until then.
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

    /// <summary>A connection was read. On the loop.</summary>
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
        // No more than there are: a timer that starts itself anew without delay must not keep the loop here.
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

    // Until the next timer, and no longer than the milliseconds given.
    private int MillisecondsToSleep(int most)
    {
        int next = MillisecondsToNextTimer();
        if (_time is not null && next > 0)
        {
            next = SetAlarm(_time, next);
        }

        // No limit, -1, is the largest of all.
        return (int)Math.Min((uint)next, (uint)most);
    }

    // The poller sleeps by the system's clock and not by the application's: so that one wakes it.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private int SetAlarm(TimeProvider time, int next)
    {
        _alarm ??= time.CreateTimer(
            static poller => ((Poller)poller!).Wake(), _poller, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        while (next > 0)
        {
            _alarm.Change(TimeSpan.FromMilliseconds(next), Timeout.InfiniteTimeSpan);
            // Time that was set on in between would have been missed.
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
    // In whole numbers: what a provider says that counts from the year 1 is too much for a double, and a timer would come a turn late.
    private static long MillisecondsOf(TimeProvider time)
    {
        (long seconds, long rest) = Math.DivRem(time.GetTimestamp(), time.TimestampFrequency);
        return (seconds * 1000) + (rest * 1000 / time.TimestampFrequency);
    }

    /// <summary>
    /// A timer will not fire. It stays in the queue until it would have been due or the cancelled ones are the most:
    /// so a connection that moves its timer for every message costs no search, and the queue no more than twice its use.
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
