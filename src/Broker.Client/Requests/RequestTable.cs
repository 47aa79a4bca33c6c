namespace Broker.Client.Requests;

/// <summary>The requests that wait for an answer, by the number that ends their reply subject. Thread-safe.</summary>
internal sealed class RequestTable
{
    private readonly Lock _gate = new();
    private readonly Dictionary<long, TaskCompletionSource<ReplyMessage>> _waiting = [];
    private long _last;

    internal (long Number, Task<ReplyMessage> Answer) Add()
    {
        // What awaits the answer must not run on the loop.
        var source = new TaskCompletionSource<ReplyMessage>(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_gate)
        {
            _waiting.Add(++_last, source);
            return (_last, source.Task);
        }
    }

    internal void Remove(long number) => Take(number);

    internal bool IsWaiting(long number)
    {
        lock (_gate)
        {
            return _waiting.ContainsKey(number);
        }
    }

    /// <summary>Takes a request out: null when it has been answered or given up.</summary>
    internal TaskCompletionSource<ReplyMessage>? Take(long number)
    {
        lock (_gate)
        {
            _waiting.Remove(number, out TaskCompletionSource<ReplyMessage>? source);
            return source;
        }
    }

    internal void FailAll(Exception reason)
    {
        TaskCompletionSource<ReplyMessage>[] failed;
        lock (_gate)
        {
            failed = [.. _waiting.Values];
            _waiting.Clear();
        }

        foreach (TaskCompletionSource<ReplyMessage> source in failed)
        {
            source.TrySetException(reason);
        }
    }
}
