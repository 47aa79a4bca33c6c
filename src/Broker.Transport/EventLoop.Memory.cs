using System.Diagnostics;

namespace Broker.Transport;

// The loop's part in managing the memory of its group: it releases, step by step, what a burst has left in the pools.
public sealed partial class EventLoop
{
    // A burst that soon follows another one reuses the blocks of the first. Allocating them again takes tens of
    // milliseconds, in which all connections wait.
    private static readonly TimeSpan TrimInterval = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan SenderGrace = TimeSpan.FromSeconds(1);

    private void TrimBlocksLater() => StartTimer(TrimInterval, TrimBlocks);

    private void TrimBlocks() => ContinueTrim(Blocks.Trim(), TrimBlocks);

    internal void TrimSharedBlocksLater() => StartTimer(TrimInterval, TrimSharedBlocks);

    private void TrimSharedBlocks() => ContinueTrim(Group.SharedBlocks.Trim(), TrimSharedBlocks);

    private void ContinueTrim(TrimResult trimming, Action trim)
    {
        if (trimming != TrimResult.Done)
        {
            StartTimer(trimming == TrimResult.Interrupted ? Group.SharedBlocks.Discarder.Pause : TrimInterval, trim);
        }
    }

    // Reports the end of connections that another thread was sending for when they were closed, if that thread is done
    // soon. It does not wait longer, because such a thread may be in a pipe whose reader waits for this loop to end.
    private void AwaitSenders()
    {
        long before = Stopwatch.GetTimestamp();
        SpinWait wait = default;
        while (Group.ConnectionsOf(this).Length != 0 && Stopwatch.GetElapsedTime(before) < SenderGrace)
        {
            _posted.Run(this);
            wait.SpinOnce();
        }
    }
}
