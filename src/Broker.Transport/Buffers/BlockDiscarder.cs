using System.Diagnostics;

namespace Broker.Transport.Buffers;

/// <summary>
/// Gives the memory of blocks that nobody needs back to the system, on a thread of the pool that nobody's traffic waits for, and no faster than with a
/// twentieth of a processor: a call of the kernel for each block, which has the other processors forget the pages too, takes a microsecond on one machine and
/// half a millisecond on another. Then the blocks are the collector's. Any thread.
/// </summary>
internal sealed class BlockDiscarder
{
    private const int Part = 20;

    private static readonly TimeSpan ShortestPause = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(10);

    private int _underWay;
    private long _took;

    /// <summary>Whether blocks are still to be discarded: no more should be taken out for it.</summary>
    internal bool IsUnderWay => Volatile.Read(ref _underWay) != 0;

    /// <summary>How long to wait before the next blocks are.</summary>
    internal TimeSpan Pause => PauseAfter(new TimeSpan(Volatile.Read(ref _took)));

    /// <summary>The same after some that took so long.</summary>
    internal static TimeSpan PauseAfter(TimeSpan took)
        => TimeSpan.FromTicks(Math.Clamp(took.Ticks * (Part - 1), ShortestPause.Ticks, LongestPause.Ticks));

    /// <param name="idle">A chain that was taken out, and that the caller forgets; null for nothing.</param>
    internal void Begin(Block? idle)
    {
        if (idle is not null)
        {
            Interlocked.Increment(ref _underWay);
            ThreadPool.UnsafeQueueUserWorkItem(static all => all.Owner.DiscardAll(all.First), (Owner: this, First: idle), preferLocal: false);
        }
    }

    private void DiscardAll(Block first)
    {
        long began = Stopwatch.GetTimestamp();
        for (Block? at = first; at is not null;)
        {
            Block gone = at;
            at = at.Next;
            gone.Next = null;
            gone.Discard();
        }

        Volatile.Write(ref _took, Stopwatch.GetElapsedTime(began).Ticks);
        Interlocked.Decrement(ref _underWay);
    }
}
