using System.Diagnostics;
using Broker.Transport.Buffers;

namespace Broker.Transport;

// The loop's part in the memory of its group: what a burst has left in the pools goes, bit by bit.
public sealed partial class EventLoop
{
    // A burst that follows another one finds what that left: to make it anew takes tens of milliseconds, which all others wait.
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

    // Connections that another thread was sending for when they were closed are told of their end here, if it comes at once. Not longer:
    // such a thread may be in somebody's pipe, whose reader waits for this loop to end.
    private void AwaitSenders()
    {
        long before = Stopwatch.GetTimestamp();
        SpinWait wait = default;
        while (Group.ConnectionsOf(this).Length != 0 && Stopwatch.GetElapsedTime(before) < SenderGrace)
        {
            RunPosted();
            wait.SpinOnce();
        }
    }
}
