namespace Broker.TestKit;

/// <summary>Measures the allocations of code.</summary>
public static class Allocations
{
    private const int Rounds = 5;

    /// <summary>
    /// Measures the allocations of an action on this thread: the least of some rounds. The runtime sometimes allocates
    /// its own objects on the thread, even if the code is compiled already. Allocations of the code occur in every
    /// round.
    /// </summary>
    public static long Of(Action action)
    {
        long least = long.MaxValue;
        for (int i = 0; i < Rounds && least != 0; i++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            action();
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        return least;
    }
}
