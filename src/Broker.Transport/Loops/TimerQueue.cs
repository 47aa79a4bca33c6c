using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Broker.Transport;

/// <summary>
/// The timers of one loop and their clock. Due timers are looked for when the loop is about to sleep, when it has
/// slept, and under load after a certain amount of work. So a busy loop does not read the clock in every iteration, and
/// a loop with long iterations reads it after a few iterations. On the loop's thread.
/// </summary>
internal sealed class TimerQueue : IDisposable
{
    // The number of units of work between two reads of the clock. A unit is an iteration, a read, 4 KiB received, or a
    // send. Each of these takes some microseconds.
    private const int WorkBetweenClockReads = 64;

    private const int BytesPerCount = 12;
    private const int LeastToSweep = 256;

    private readonly PriorityQueue<LoopTimer, long> _timers = new();
    private readonly Poller _poller;

    // Null means the system's clock, which is read without a virtual call.
    private readonly TimeProvider? _time;
    private ITimer? _alarm;

    // Timers that are due within microseconds. There are few such timers, and usually none.
    private readonly List<(long Due, Action Action)> _shortTimers = [];
    private int _workUntilClockRead;
    private int _cancelled;

    internal TimerQueue(TimeProvider time, Poller poller)
    {
        _time = time == TimeProvider.System ? null : time;
        _poller = poller;
        ReadClock();
    }

    /// <summary>The milliseconds of the clock when it was last read.</summary>
    internal long LastTick { get; private set; }

    private long Now => _time is null ? Environment.TickCount64 : MillisecondsOf(_time);

    internal static long ReadTick(TimeProvider time) => time == TimeProvider.System ? Environment.TickCount64 : MillisecondsOf(time);

    internal void ReadClock() => LastTick = Now;

    /// <summary>Adds a timer that is due after a time of at least a millisecond.</summary>
    internal void Add(LoopTimer timer, TimeSpan due)
        => _timers.Enqueue(timer, Now + (long)Math.Ceiling(Math.Max(0, due.TotalMilliseconds)));

    /// <summary>Adds an action that is due within microseconds, by the system's clock.</summary>
    internal void AddShort(TimeSpan delay, Action action)
        => _shortTimers.Add((Stopwatch.GetTimestamp() + (long)(delay.TotalSeconds * Stopwatch.Frequency), action));

    public void Dispose() => _alarm?.Dispose();

    /// <summary>Runs the short timers that are due.</summary>
    internal void RunShort(EventLoop loop)
    {
        if (_shortTimers.Count != 0)
        {
            RunDueShort(loop);
        }
    }

    private void RunDueShort(EventLoop loop)
    {
        long now = Stopwatch.GetTimestamp();
        // If an action adds a timer now, this timer is checked in the next iteration.
        for (int i = _shortTimers.Count - 1; i >= 0; i--)
        {
            (long due, Action action) = _shortTimers[i];
            if (due <= now)
            {
                _shortTimers.RemoveAt(i);
                loop.RunGuarded(action);
            }
        }
    }

    /// <summary>Whether a short timer is due within the given milliseconds, and the time until it is due.</summary>
    internal bool IsShortDueWithin(int milliseconds, long now, out TimeSpan left)
    {
        left = TimeSpan.MaxValue;
        foreach ((long due, Action _) in _shortTimers)
        {
            var until = TimeSpan.FromSeconds(Math.Max(0, due - now) / (double)Stopwatch.Frequency);
            left = until < left ? until : left;
        }

        return _shortTimers.Count != 0 && (milliseconds < 0 || left.TotalMilliseconds < milliseconds);
    }

    /// <summary>Counts the work of reading a connection.</summary>
    internal void CountRead(long bytes) => CountWork(1 + (int)(bytes >> BytesPerCount));

    /// <summary>Counts work of the loop. The unit is one read or one send.</summary>
    internal void CountWork(int count) => _workUntilClockRead -= count;

    /// <summary>Runs the timers that are due, if the loop has done enough work since the clock was last read.</summary>
    internal void Run(EventLoop loop)
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
        // Runs at most as many timers as there are now, because a timer that restarts itself without a delay must not
        // keep the loop here.
        for (int left = _timers.Count;
            left > 0 && _timers.TryPeek(out LoopTimer? timer, out long due) && (due <= now || !timer.IsPending);
            left--)
        {
            Remove();
            if (timer.Fire() is { } callback)
            {
                loop.RunGuarded(callback);
            }
        }
    }

    /// <summary>Returns the time until the next timer is due, in milliseconds; infinite if there is no timer.</summary>
    internal int MillisecondsToNext()
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

    /// <summary>
    /// Returns the time until the next timer is due, at most <paramref name="most"/> milliseconds. This is for a loop
    /// that is about to sleep.
    /// </summary>
    internal int MillisecondsToSleep(int most)
    {
        int next = MillisecondsToNext();
        if (_time is not null && next > 0)
        {
            next = SetAlarm(_time, next);
        }

        // As an unsigned number, -1 (no limit) is the largest number.
        return (int)Math.Min((uint)next, (uint)most);
    }

    // The poller sleeps by the system's clock, not by the application's TimeProvider. So a timer of the TimeProvider
    // wakes the poller.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private int SetAlarm(TimeProvider time, int next)
    {
        _alarm ??= time.CreateTimer(
            static poller => ((Poller)poller!).Wake(), _poller, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        while (next > 0)
        {
            _alarm.Change(TimeSpan.FromMilliseconds(next), Timeout.InfiniteTimeSpan);
            // The application may have advanced its time before the alarm was set.
            int left = MillisecondsToNext();
            if (left == next)
            {
                return Timeout.Infinite;
            }

            next = left;
        }

        return next;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    // This computes with integers. A provider that counts from the year 1 returns numbers that are too large for a
    // double, and a timer would fire an iteration late.
    private static long MillisecondsOf(TimeProvider time)
    {
        (long seconds, long rest) = Math.DivRem(time.GetTimestamp(), time.TimestampFrequency);
        return (seconds * 1000) + (rest * 1000 / time.TimestampFrequency);
    }

    /// <summary>
    /// Counts a canceled timer. The timer stays in the queue until it would have been due, or until most timers in the
    /// queue are canceled. So a connection that moves its timer for every message causes no search, and the queue is at
    /// most twice as long as necessary.
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
