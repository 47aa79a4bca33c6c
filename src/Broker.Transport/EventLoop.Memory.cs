using System.Diagnostics;

namespace Broker.Transport;

// The loop's part in the memory of its group: what a burst has left in the pools goes, some seconds later.
public sealed partial class EventLoop
{
    private static readonly TimeSpan TrimInterval = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan SenderGrace = TimeSpan.FromSeconds(1);

    private void TrimBlocksLater() => StartTimer(TrimInterval, TrimBlocks);

    private void TrimBlocks()
    {
        if (Blocks.Trim())
        {
            TrimBlocksLater();
        }
    }

    internal void TrimDepotLater() => StartTimer(TrimInterval, TrimDepot);

    private void TrimDepot()
    {
        if (Group.Depot.Trim())
        {
            TrimDepotLater();
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
