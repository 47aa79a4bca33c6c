namespace Broker.Client.Streams;

/// <summary>
/// Reports messages as in progress until the reader has finished them, so that the server does not deliver them again
/// after AckWait. Used under the consumption's lock.
/// </summary>
/// <param name="interval">The time between the reports.</param>
internal sealed class ProgressReports(TimeSpan interval)
{
    // The messages that are queued or in the reader's hands, oldest first.
    private readonly Queue<StreamMessage> _held = new();
    private long _last;

    internal void Add(in StreamMessage message) => _held.Enqueue(message);

    /// <summary>Removes the message that the reader has finished: it reads them in order.</summary>
    internal void RemoveOldest() => _held.TryDequeue(out _);

    /// <summary>Reports all messages if the interval has passed since the last reports.</summary>
    /// <param name="now">The present <see cref="Environment.TickCount64"/>.</param>
    internal void Report(long now)
    {
        if (now - _last < interval.TotalMilliseconds)
        {
            return;
        }

        _last = now;
        foreach (StreamMessage message in _held)
        {
            message.TrySend("+WPI"u8);
        }
    }
}
