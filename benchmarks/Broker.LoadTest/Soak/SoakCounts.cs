using Broker.Client.Streams;

namespace Broker.LoadTest.Soak;

/// <summary>Counts the requests of the clients of a soak. Thread-safe.</summary>
internal sealed class SoakCounts
{
    private readonly Lock _gate = new();
    private long _published;
    private long _acknowledged;
    private long _consumed;
    private long _redelivered;
    private long _changes;
    private long _late;
    private long _refused;

    public long Published => Volatile.Read(ref _published);

    public long Acknowledged => Volatile.Read(ref _acknowledged);

    public long Consumed => Volatile.Read(ref _consumed);

    public long Redelivered => Volatile.Read(ref _redelivered);

    /// <summary>Streams, consumers and keys that were created and deleted.</summary>
    public long Changes => Volatile.Read(ref _changes);

    /// <summary>Requests whose answer did not come in time. On a busy machine that is no error of the server.</summary>
    public long Late => Volatile.Read(ref _late);

    /// <summary>Requests that the server refused, and values that were not those that were stored.</summary>
    public long Refused => Volatile.Read(ref _refused);

    /// <summary>The first refusal; null if there is none.</summary>
    public string? FirstRefusal { get; private set; }

    /// <summary>The first of the late answers; null if there is none.</summary>
    public string? FirstLate { get; private set; }

    public void OnPublished() => Interlocked.Increment(ref _published);

    public void OnAcknowledged() => Interlocked.Increment(ref _acknowledged);

    public void OnConsumed(in StreamMessage message)
    {
        Interlocked.Increment(ref _consumed);
        if (message.Delivered > 1)
        {
            Interlocked.Increment(ref _redelivered);
        }
    }

    public void OnChange() => Interlocked.Increment(ref _changes);

    public void OnError(Exception error)
    {
        if (error is StreamException { Code: not 0 } or BucketException)
        {
            OnWrong(error.Message);
        }
        else
        {
            Interlocked.Increment(ref _late);
            lock (_gate)
            {
                FirstLate ??= error.Message;
            }
        }
    }

    public void OnWrong(string what)
    {
        Interlocked.Increment(ref _refused);
        lock (_gate)
        {
            FirstRefusal ??= what;
        }
    }
}
