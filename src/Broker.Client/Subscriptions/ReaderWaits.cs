namespace Broker.Client;

/// <summary>
/// The waits of a queue's readers. The first reader uses a waiter that is reused; all other readers share one task.
/// Used under the queue's gate.
/// </summary>
internal struct ReaderWaits
{
    private ReadWaiter? _first;

    // Completed for readers other than the first. After the end of the queue, completed for the code that waits for a
    // busy reader.
    private TaskCompletionSource<bool>? _others;

    /// <summary>Begins the wait of the first reader. Returns null if another reader uses its waiter.</summary>
    internal ReadWaiter? BeginFirstOrNull(SubscriptionQueue queue)
    {
        ReadWaiter waiter = _first ??= new ReadWaiter(queue);
        if (waiter.IsTaken)
        {
            return null;
        }

        waiter.IsTaken = waiter.IsWaiting = true;
        return waiter;
    }

    /// <summary>Returns the task that all other readers wait for.</summary>
    internal Task<bool> WaitWithOthersAsync()
        => (_others ??= new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously)).Task;

    /// <summary>Ends the wait of the other readers, because there will be no more messages.</summary>
    internal readonly void EndOthers() => _others?.TrySetResult(false);

    /// <summary>Returns all waits. The caller completes them, and no other code does.</summary>
    internal QueueWaits Take()
    {
        ReadWaiter? first = null;
        if (_first is { IsWaiting: true })
        {
            first = _first;
            first.IsWaiting = false;
        }

        var waits = new QueueWaits(first, _others);
        _others = null;
        return waits;
    }
}
