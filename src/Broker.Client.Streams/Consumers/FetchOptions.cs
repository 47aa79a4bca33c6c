namespace Broker.Client.Streams;

/// <summary>The options of <see cref="StreamConsumer.FetchAsync"/>.</summary>
public sealed record FetchOptions
{
    /// <summary>The largest number of messages. Default 100.</summary>
    public int MaxMessages { get; init; } = 100;

    /// <summary>The largest size of the messages, in bytes. Default 32 MiB.</summary>
    public long MaxBytes { get; init; } = 32 * 1024 * 1024;

    /// <summary>How long the server waits for messages. Default 30 s.</summary>
    public TimeSpan Expires { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>Whether the server sends the messages that it has and waits for no others. Default false.</summary>
    public bool NoWait { get; init; }

    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxMessages, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxBytes, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxBytes, int.MaxValue);
        if (Expires < TimeSpan.FromMilliseconds(1) || Expires > TimeSpan.FromDays(1))
        {
            throw new ArgumentOutOfRangeException(nameof(Expires), Expires, "Expires must be from 1 ms to 1 day.");
        }
    }
}
