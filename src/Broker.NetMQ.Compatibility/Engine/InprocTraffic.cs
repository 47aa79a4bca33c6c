namespace NetMQ;

/// <summary>
/// Counts what sockets have sent by inproc. NetMQ delivers an inproc message within the send, so a program may expect
/// to receive it at once. If the count has changed, a receiver that finds nothing waits for the event loops first.
/// </summary>
internal static class InprocTraffic
{
    private static int _count;

    internal static int Count => Volatile.Read(ref _count);

    internal static void Add() => Interlocked.Increment(ref _count);
}
