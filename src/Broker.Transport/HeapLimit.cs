using System.Globalization;

namespace Broker.Transport;

/// <summary>
/// What the collector may hold of memory at most, where that is less than the machine has: in a container, or by
/// <c>DOTNET_GCHeapHardLimit</c>. Beyond it an allocation fails, wherever that happens to be, and takes the process with it; so what
/// peers can make a process hold must end before.
/// </summary>
public static class HeapLimit
{
    // Of what may be held the rest is for what is on its way in, for subscriptions and routes, and for room between objects.
    private const int PartForWaiting = 4;

    // What peers may make a process keep before they are let in, or to answer by.
    private const int PartForOthers = 16;

    /// <summary>In bytes; 0 when there is none. It is looked up with each call.</summary>
    public static long Read()
        => GC.GetConfigurationVariables().TryGetValue("GCHeapHardLimit", out object? limit)
            ? Convert.ToInt64(limit, CultureInfo.InvariantCulture)
            : 0;

    /// <summary>How many bytes may wait for all peers together when nobody has said it; 0 for no limit.</summary>
    /// <param name="limit">What <see cref="Read"/> said.</param>
    public static long MaxBufferedBytes(long limit) => limit / PartForWaiting;

    /// <summary>A bound for something else that is held for peers, in bytes: what it usually is, or less where the heap is small.</summary>
    /// <param name="usual">In bytes.</param>
    /// <param name="limit">What <see cref="Read"/> said.</param>
    public static long Reduce(long usual, long limit) => limit == 0 ? usual : Math.Min(usual, limit / PartForOthers);
}
