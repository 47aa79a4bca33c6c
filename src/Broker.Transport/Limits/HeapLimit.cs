using System.Globalization;

namespace Broker.Transport;

/// <summary>
/// The limit of the garbage collector's heap, if it is smaller than the machine's memory: in a container, or set by
/// <c>DOTNET_GCHeapHardLimit</c>. An allocation beyond the limit fails, anywhere in the program, and ends the process.
/// So the memory that peers can make a process buffer must be limited to less.
/// </summary>
public static class HeapLimit
{
    // A quarter of the heap limit is for bytes that wait for peers, and another one for unfinished received messages.
    // The rest is for subscriptions and routes, and for free space between objects.
    private const int PartForWaiting = 4;

    private const long LeastAvailable = 32 * 1024 * 1024;

    // Limits what peers can make a process buffer before they are authenticated, or for replies.
    private const int PartForOthers = 16;

    /// <summary>Returns the heap limit in bytes; 0 if there is none. Each call looks it up.</summary>
    public static long Read()
        => GC.GetConfigurationVariables().TryGetValue("GCHeapHardLimit", out object? limit)
            ? Convert.ToInt64(limit, CultureInfo.InvariantCulture)
            : 0;

    /// <summary>
    /// Returns the default for how many bytes may be buffered for all peers together; 0 for no limit.
    /// </summary>
    /// <param name="limit">The result of <see cref="Read"/>.</param>
    public static long MaxBufferedBytes(long limit) => limit / PartForWaiting;

    /// <summary>
    /// Returns the default for how many bytes unfinished received messages may hold: a quarter of the memory that is
    /// available to the heap, whether it is limited or not.
    /// </summary>
    public static long MaxReceivedBytes() => Available() / PartForWaiting;

    /// <summary>Returns the memory that is available to the heap.</summary>
    internal static long Available() => Math.Max(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes, LeastAvailable);

    /// <summary>
    /// Returns a limit for other memory that is buffered for peers, in bytes: the usual limit, or less if the heap is
    /// small.
    /// </summary>
    /// <param name="usual">The usual limit in bytes.</param>
    /// <param name="limit">The result of <see cref="Read"/>.</param>
    public static long Reduce(long usual, long limit) => limit == 0 ? usual : Math.Min(usual, limit / PartForOthers);
}
