namespace Broker.Client.Streams;

/// <summary>
/// The checks of a stream before it stores a message. The stream refuses a message whose expectation is wrong, with
/// <see cref="StreamException"/>.
/// </summary>
public readonly record struct StreamPublishOptions
{
    /// <summary>
    /// An id of the message. A stream stores a message with the id of an earlier one only once (within
    /// <see cref="StreamConfig.DuplicateWindow"/>), so that publishing it again is safe. Null for none.
    /// </summary>
    public string? MessageId { get; init; }

    /// <summary>The stream that must store the message. Null for any.</summary>
    public string? ExpectedStream { get; init; }

    /// <summary>The sequence that the stream's last message must have. Null for any; 0 for an empty stream.</summary>
    public ulong? ExpectedLastSequence { get; init; }

    /// <summary>
    /// The sequence that the last message of the same subject must have. Null for any; 0 if there must be none.
    /// </summary>
    public ulong? ExpectedLastSubjectSequence { get; init; }

    /// <summary>The id that the stream's last message must have. Null for any.</summary>
    public string? ExpectedLastMessageId { get; init; }

    /// <summary>
    /// How long the stream keeps the message, in whole seconds, if <see cref="StreamConfig.AllowMessageTimeToLive"/>.
    /// Null for as long as others. Needs nats-server 2.11.
    /// </summary>
    public TimeSpan? TimeToLive { get; init; }

    internal bool IsEmpty => this == default;
}
