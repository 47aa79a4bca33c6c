using System.Diagnostics;

namespace Broker.Transport;

/// <summary>
/// Returns the memory of unused blocks to the system. It runs on a thread of the thread pool that no connection waits
/// for, and uses at most a twentieth of a processor. Each block needs a call of the kernel, which also removes the
/// block's pages from the address caches (TLB) of the other processors. This takes a microsecond on some machines and
/// half a millisecond on others. The garbage collector frees the blocks later. Any thread.
/// </summary>
internal sealed class BlockDiscarder
{
    private const int Part = 20;

    private static readonly TimeSpan ShortestPause = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(10);

    private int _underWay;
    private long _took;

    /// <summary>
    /// Whether blocks are still being discarded. While this is true, the caller should not take out more blocks.
    /// </summary>
    internal bool IsUnderWay => Volatile.Read(ref _underWay) != 0;

    /// <summary>The time to wait before the next blocks are discarded.</summary>
    internal TimeSpan Pause => PauseAfter(new TimeSpan(Volatile.Read(ref _took)));

    /// <summary>Returns the time to wait after discarding that took the given time.</summary>
    internal static TimeSpan PauseAfter(TimeSpan took)
        => TimeSpan.FromTicks(Math.Clamp(took.Ticks * (Part - 1), ShortestPause.Ticks, LongestPause.Ticks));

    /// <summary>Starts to discard blocks.</summary>
    /// <param name="idle">
    /// The first block of a chain that was taken out of a pool and that nobody uses any more; null for no block.
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
