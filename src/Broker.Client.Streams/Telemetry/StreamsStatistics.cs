namespace Broker.Client.Streams;

/// <summary>The counters of a <see cref="StreamsClient"/>. They are read at about the same moment.</summary>
public readonly record struct StreamsStatistics
{
    /// <summary>The number of published messages that a stream has acknowledged, duplicates included.</summary>
    public long Acknowledged { get; init; }

    /// <summary>The number of these messages that the stream had stored before.</summary>
    public long Duplicates { get; init; }

    /// <summary>
    /// The number of published messages that were not stored, because a stream or the connection refused them, no
    /// stream had their subject, or they were not sent.
    /// </summary>
    public long Refused { get; init; }

    /// <summary>
    /// The number of published messages whose outcome is unknown (<see cref="UnknownOutcomeException"/>). They may be
    /// stored or not.
    /// </summary>
    public long UnknownOutcomes { get; init; }

    /// <summary>The number of times that a published message was sent again.</summary>
    public long Repeats { get; init; }

    /// <summary>The number of published messages that wait for their acknowledgement, or to be sent.</summary>
    public long InFlight { get; init; }

    /// <summary>The number of messages that consumers have delivered.</summary>
    public long Received { get; init; }

    /// <summary>The number of these messages that had been delivered before.</summary>
    public long Redelivered { get; init; }

    /// <summary>
    /// The number of messages of <see cref="StreamConsumer.ConsumeAsync"/> and <see cref="StreamConsumer.FetchAsync"/>
    /// that are queued or in the hands of a reader. Finished messages are counted in groups, so the number may be a few
    /// percent of the limit of messages too large.
    /// </summary>
    public long Pending { get; init; }

    /// <summary>The number of acknowledgements that were accepted for sending.</summary>
    public long Acks { get; init; }

    /// <summary>The number of refusals of messages (<see cref="StreamMessage.NakAsync"/>).</summary>
    public long Naks { get; init; }

    /// <summary>The number of messages that were given up (<see cref="StreamMessage.TerminateAsync"/>).</summary>
    public long Terminations { get; init; }

    /// <summary>The number of reports that a message is being handled.</summary>
    public long ProgressReports { get; init; }

    /// <summary>The number of requests for messages that were sent to consumers.</summary>
    public long Pulls { get; init; }

    /// <summary>The number of consumers that were created again because they were gone.</summary>
    public long Recreated { get; init; }

    /// <summary>
    /// The number of times that the reading of a consumer went on after the loss of its server.
    /// </summary>
    public long Resumptions { get; init; }
}
