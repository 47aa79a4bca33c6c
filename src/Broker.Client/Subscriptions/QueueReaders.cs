namespace Broker.Client;

/// <summary>
/// The data that the readers of a queue share: their lock, the ring that they take from, and the counters of the taken
/// messages.
/// </summary>
internal sealed class QueueReaders
{
    private MessageRing _messages = new();
    private long _taken;
    private long _takenBytes;

    /// <summary>The readers' lock. Code that also needs the queue's lock takes this lock first.</summary>
    internal Lock Gate { get; } = new();

    /// <summary>The number of messages that were ever taken. May be read on any thread.</summary>
    internal long Taken => Volatile.Read(ref _taken);

    /// <summary>The size of the taken messages in bytes. May be read on any thread.</summary>
    internal long TakenBytes => Volatile.Read(ref _takenBytes);

    /// <summary>
    /// Whether a reader has taken a message and has not asked for another one since. This and the members below are
    /// used under the gate.
    /// </summary>
    internal bool IsReaderBusy { get; set; }

    /// <summary>Whether <see cref="LargeQueues"/> watches the queue. Used on the connection's loop.</summary>
    internal bool IsWatched { get; set; }

    /// <summary>
    /// The number of messages that had been added at the last check of <see cref="LargeQueues"/>. Used on the
    /// connection's loop.
    /// </summary>
    internal long QueuedAtCheck { get; set; } = -1;

    /// <summary>
    /// The number of messages that were dropped. Used under the queue's lock. It is here, so that a queue that never
    /// had a message needs no memory for it.
    /// </summary>
    internal long Dropped { get; set; }

    internal ref MessageRing Messages => ref _messages;

    /// <summary>Removes and returns the oldest message. The ring must not be empty.</summary>
    internal Message Take()
    {
        Message message = _messages.Take();
        Volatile.Write(ref _taken, _taken + 1);
        Volatile.Write(ref _takenBytes, _takenBytes + message.Size);
        return message;
    }

    /// <summary>Counts everything that was ever added as taken.</summary>
    internal void SetAllTaken(long messages, long bytes)
    {
        Volatile.Write(ref _taken, messages);
        Volatile.Write(ref _takenBytes, bytes);
    }
}
