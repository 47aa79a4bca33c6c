namespace Broker.Client;

/// <summary>The waits of a queue's readers. The code that takes the waits from the queue completes them.</summary>
/// <param name="first">The wait of the first reader. Null if it does not wait.</param>
/// <param name="others">The wait of all other readers. Null if none of them waits.</param>
internal readonly struct QueueWaits(ReadWaiter? first, TaskCompletionSource<bool>? others)
{
    internal void Complete(bool more, Exception? error)
    {
        first?.End(more, error);
        if (error is null)
        {
            others?.TrySetResult(more);
        }
        else
        {
            others?.TrySetException(error);
        }
    }
}
