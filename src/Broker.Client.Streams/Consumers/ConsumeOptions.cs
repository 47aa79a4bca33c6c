namespace Broker.Client.Streams;

/// <summary>The options of <see cref="StreamConsumer.ConsumeAsync"/>.</summary>
public sealed record ConsumeOptions
{
    /// <summary>
    /// The largest number of messages that are requested, queued or in the reader's hands. With 1, the next message is
    /// requested when the reader asks for it. Default 1,000.
    /// </summary>
    public int MaxMessages { get; init; } = 1000;

    /// <summary>
    /// The largest size of these messages, in bytes. Messages are requested in halves, so one message may have at most
    /// half of it, unless <see cref="MaxMessages"/> is 1. Default 32 MiB.
    /// </summary>
    public long MaxBytes { get; init; } = 32 * 1024 * 1024;

    /// <summary>How long the server keeps a request for messages. Default 30 s.</summary>
    public TimeSpan Expires { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// The pause after which the server sends a heartbeat. Without one for twice this time, messages are requested
    /// anew. At most half of <see cref="Expires"/>. Null for half of it.
    /// </summary>
    public TimeSpan? IdleHeartbeat { get; init; }

    /// <summary>
    /// The interval in which messages that are queued or in the reader's hands are reported as in progress, so that the
    /// server does not deliver them again while the handler works. It must be shorter than
    /// <see cref="ConsumerConfig.AckWait"/>. Null for no reports, the default.
    /// </summary>
    public TimeSpan? ReportProgressEvery { get; init; }

    /// <summary>
    /// Whether a cancelled enumeration returns the messages that are here and on their way before it throws. Default
    /// true. With false, these messages are refused, so that the server delivers them to others at once.
    /// </summary>
    public bool DrainOnCancel { get; init; } = true;

    /// <summary>
    /// Whether a consumer that is gone, because it was in memory and its server restarted or because nobody used it, is
    /// created again, from the message after the last one that was received. Default false: the enumeration ends with
    /// <see cref="ConsumerGoneException"/>. A consumer that was deleted is never created again.
    /// </summary>
    public bool RecreateMissing { get; init; }

    internal TimeSpan Heartbeat => IdleHeartbeat ?? TimeSpan.FromTicks(Expires.Ticks / 2);

    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxMessages, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxBytes, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxBytes, int.MaxValue);
        Require(Expires >= TimeSpan.FromSeconds(1) && Expires <= TimeSpan.FromDays(1), nameof(Expires), Expires, "from 1 s to 1 day");
        Require(
            Heartbeat >= TimeSpan.FromMilliseconds(100) && Heartbeat <= Expires / 2, nameof(IdleHeartbeat), Heartbeat, "from 100 ms to half of Expires");
        Require(
            ReportProgressEvery is null || ReportProgressEvery >= TimeSpan.FromMilliseconds(50),
            nameof(ReportProgressEvery), ReportProgressEvery, "at least 50 ms");
    }

    private static void Require(bool holds, string option, object? value, string range)
    {
        if (!holds)
        {
            throw new ArgumentOutOfRangeException(option, value, $"{option} must be {range}.");
        }
    }
}
