namespace Broker.ZeroMq.Tests;

internal static class Allocations
{
    /// <summary>
    /// What an action allocates on this thread each time: the least of three times, since the runtime now and then makes something of its own
    /// there, and what a message allocates would be there every time.
    /// </summary>
    internal static long Of(Action action)
    {
        long least = long.MaxValue;
        for (int i = 0; i < 3; i++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            action();
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        return least;
    }
}
