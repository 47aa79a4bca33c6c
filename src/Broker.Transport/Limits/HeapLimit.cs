using System.Globalization;

namespace Broker.Transport;

/// <summary>
/// The limit of the garbage collector's heap, if it is smaller than the machine's memory: in a container, or set by
/// <c>DOTNET_GCHeapHardLimit</c>. An allocation beyond the limit fails, anywhere in the program, and ends the process.
/// So the memory that peers can make a process buffer must have a limit below the heap limit.
/// </summary>
public static class HeapLimit
{
    // A quarter of the heap limit is for bytes that wait for peers, and another quarter is for unfinished received
    // messages. The rest is for subscriptions and routes, and for free space between objects.
    private const int PartForWaiting = 4;

    private const long LeastAvailable = 32 * 1024 * 1024;

    // The part for bytes that peers can make a process buffer before they are authenticated, or for replies.
    private const int PartForOthers = 16;

    /// <summary>Returns the heap limit in bytes; 0 if there is no limit. Each call reads the current value.</summary>
    public static long Read()
        => GC.GetConfigurationVariables().TryGetValue("GCHeapHardLimit", out object? limit)
            ? Convert.ToInt64(limit, CultureInfo.InvariantCulture)
            : 0;

    /// <summary>
    /// Returns the default limit on the bytes that may be buffered for all peers together; 0 for no limit.
    /// </summary>
    /// <param name="limit">The result of <see cref="Read"/>.</param>
    public static long MaxBufferedBytes(long limit) => limit / PartForWaiting;

    /// <summary>
    /// Returns the default limit on the bytes of unfinished received messages: a quarter of the memory that is
    /// available to the heap, whether the heap has a limit or not.
    /// </summary>
    public static long MaxReceivedBytes() => Available() / PartForWaiting;

    /// <summary>Returns the memory that is available to the heap.</summary>
    internal static long Available() => Math.Max(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes, LeastAvailable);

    /// <summary>
    /// Returns a limit in bytes for other memory that is buffered for peers: the usual limit, or a smaller limit if the
    /// heap is small.
    /// </summary>
    /// <param name="usual">The usual limit in bytes.</param>
    /// <param name="limit">The result of <see cref="Read"/>.</param>
    public static long Reduce(long usual, long limit) => limit == 0 ? usual : Math.Min(usual, limit / PartForOthers);
}
