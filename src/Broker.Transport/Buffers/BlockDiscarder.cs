using System.Diagnostics;

namespace Broker.Transport;

/// <summary>
/// Returns the memory of unused blocks to the system, on a thread of the thread pool that no connection waits for, and
/// with a twentieth of a processor at most. Each block needs a call of the kernel, which also makes the other
/// processors forget its pages; that takes a microsecond on some machines and half a millisecond on others. Afterwards
/// the garbage collector frees the blocks. Any thread.
/// </summary>
internal sealed class BlockDiscarder
{
    private const int Part = 20;

    private static readonly TimeSpan ShortestPause = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(10);

    private int _underWay;
    private long _took;

    /// <summary>Whether blocks are still being discarded: the caller should not take out more for it.</summary>
    internal bool IsUnderWay => Volatile.Read(ref _underWay) != 0;

    /// <summary>How long to wait before the next blocks are discarded.</summary>
    internal TimeSpan Pause => PauseAfter(new TimeSpan(Volatile.Read(ref _took)));

    /// <summary>Returns the wait after blocks whose discarding took the given time.</summary>
    internal static TimeSpan PauseAfter(TimeSpan took)
        => TimeSpan.FromTicks(Math.Clamp(took.Ticks * (Part - 1), ShortestPause.Ticks, LongestPause.Ticks));

    /// <summary>Starts to discard blocks.</summary>
    /// <param name="idle">
    /// A chain that was taken out of a pool and that the caller no longer uses; null for none.
    /// </param>
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
            Block discarded = at;
            at = at.Next;
            discarded.Next = null;
            discarded.Discard();
        }

        Volatile.Write(ref _took, Stopwatch.GetElapsedTime(began).Ticks);
        Interlocked.Decrement(ref _underWay);
    }
}
