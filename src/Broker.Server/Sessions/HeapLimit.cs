using System.Globalization;

namespace Broker.Server.Sessions;

/// <summary>
/// What the collector may hold of memory at most, where that is less than the machine has: in a container, or by
/// <c>DOTNET_GCHeapHardLimit</c>. Beyond it an allocation fails, wherever that happens to be, and takes the process with it; so what
/// peers can make a server hold must end before.
/// </summary>
internal static class HeapLimit
{
    // Of what may be held the rest is for what is on its way in, for subscriptions and routes, and for room between objects.
    private const int PartForPending = 4;

    // What clients may make the server keep before they are let in, or to answer by.
    private const int PartForOthers = 16;

    /// <summary>In bytes; 0 when there is none.</summary>
    internal static long Read()
        => GC.GetConfigurationVariables().TryGetValue("GCHeapHardLimit", out object? limit)
            ? Convert.ToInt64(limit, CultureInfo.InvariantCulture)
            : 0;

    /// <summary>How much may wait for all clients when nobody has said it; 0 for no limit.</summary>
    internal static long MaxPendingTotal(long limit) => limit / PartForPending;

    /// <summary>A bound for something else that is held for clients: what it usually is, or less where the heap is small.</summary>
    internal static long Reduce(long usual, long limit) => limit == 0 ? usual : Math.Min(usual, limit / PartForOthers);
}
