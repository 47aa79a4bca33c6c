namespace Broker.TestKit;

/// <summary>What code allocates.</summary>
public static class Allocations
{
    private const int Rounds = 5;

    /// <summary>
    /// What an action allocates on this thread each time: the least of some rounds. The runtime now and then allocates something of its own on
    /// the thread that runs, also when the code is warm; what the code allocates shows in every round.
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
