namespace Broker.Client.Subscriptions;

/// <summary>What the readers of a queue share: their lock, the ring that they take from, and how much they have taken.</summary>
internal sealed class ReadersSide
{
    private MessageRing _messages = new();
    private long _taken;
    private long _takenBytes;

    /// <summary>Taken before the queue's own where both are needed.</summary>
    internal Lock Gate { get; } = new();

    /// <summary>Ever taken out, by whomever. Any thread.</summary>
    internal long Taken => Volatile.Read(ref _taken);

    /// <summary>The bytes of these. Any thread.</summary>
    internal long TakenBytes => Volatile.Read(ref _takenBytes);

    /// <summary>Whether a reader has taken a message, and asked for no more since. Under the gate, as what follows.</summary>
    internal bool IsOut { get; set; }

    internal ref MessageRing Messages => ref _messages;

    /// <summary>The oldest, which there must be.</summary>
    internal Message Take()
    {
        Message message = _messages.Take();
        Volatile.Write(ref _taken, _taken + 1);
        Volatile.Write(ref _takenBytes, _takenBytes + message.Size);
        return message;
    }

    /// <summary>Everything that was ever put in has been taken out.</summary>
    internal void TookAll(long messages, long bytes)
    {
        Volatile.Write(ref _taken, messages);
        Volatile.Write(ref _takenBytes, bytes);
    }
}
