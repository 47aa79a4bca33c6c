namespace Broker.Client.Streams;

/// <summary>The options of <see cref="StreamsClient.ReadOrderedAsync"/>.</summary>
public sealed record OrderedOptions
{
    /// <summary>The subjects to read, with wildcards. Empty for all. Several need nats-server 2.10.</summary>
    public IReadOnlyList<string> Subjects { get; init; } = [];

    /// <summary>The first message. Default: the first message of the stream.</summary>
    public DeliverPolicy DeliverPolicy { get; init; }

    /// <summary>The first sequence of <see cref="DeliverPolicy.FromSequence"/>.</summary>
    public ulong StartSequence { get; init; }

    /// <summary>The time of <see cref="DeliverPolicy.FromTime"/>.</summary>
    public DateTimeOffset? StartTime { get; init; }

    /// <summary>Whether only the headers are delivered, with the size of the body in <c>Nats-Msg-Size</c>.</summary>
    public bool HeadersOnly { get; init; }

    /// <summary>
    /// The pause after which the server sends a heartbeat. Without one for twice this time, the reader begins again
    /// after the last message. Default 5 s.
    /// </summary>
    public TimeSpan IdleHeartbeat { get; init; } = TimeSpan.FromSeconds(5);

    internal void Validate()
    {
        ArgumentNullException.ThrowIfNull(Subjects);
        foreach (string subject in Subjects)
        {
            Names.RequireFilter(subject, nameof(Subjects));
        }

        if (IdleHeartbeat < TimeSpan.FromMilliseconds(100) || IdleHeartbeat > TimeSpan.FromHours(1))
        {
            throw new ArgumentOutOfRangeException(nameof(IdleHeartbeat), IdleHeartbeat, "IdleHeartbeat must be from 100 ms to 1 hour.");
        }
    }

    internal ConsumerConfig ToConfig() => new()
    {
        FilterSubject = Subjects.Count == 1 ? Subjects[0] : null,
        FilterSubjects = Subjects.Count > 1 ? Subjects : null,
        DeliverPolicy = DeliverPolicy,
        StartSequence = StartSequence,
        StartTime = StartTime,
        HeadersOnly = HeadersOnly,
    };
}
