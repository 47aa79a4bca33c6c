namespace Broker.Bridge;

/// <summary>The JetStream work queue of a pipeline: a stream and a durable pull consumer.</summary>
public sealed record StreamQueueOptions
{
    /// <summary>The name of the stream, with 1 to 255 characters of <c>A-Z a-z 0-9 _ -</c>.</summary>
    public required string Stream { get; init; }

    /// <summary>
    /// The name of the consumer, of the same characters. All bridges that receive from the stream use the same
    /// consumer. Default <c>zeromq</c>.
    /// </summary>
    public string Consumer { get; init; } = "zeromq";

    /// <summary>
    /// Whether the route creates a missing stream or consumer. It creates the stream as a work queue for the pipeline's
    /// subject, with file storage and with limits beyond which the stream refuses messages. It creates the consumer
    /// with explicit acknowledgement. An existing stream or consumer is used unchanged. Default true.
    /// </summary>
    public bool Create { get; init; } = true;

    /// <summary>The JetStream domain; null for the server's own domain.</summary>
    public string? Domain { get; init; }

    /// <summary>The number of replicas of a stream that the route creates. Default 1.</summary>
    public int Replicas { get; init; } = 1;

    /// <summary>
    /// The size limit in bytes of a stream that the route creates. A full stream refuses messages, so that PUSH
    /// programs wait. 0 for no limit.
    /// </summary>
    public long MaxBytes { get; init; }

    /// <summary>
    /// How long the stream waits for an acknowledgement before it delivers a message again. A bridge that keeps a
    /// message for longer reports progress to the stream. Whole seconds, at least 3. Default 30 s.
    /// </summary>
    public TimeSpan AckWait { get; init; } = TimeSpan.FromSeconds(30);

    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    internal void Validate()
    {
        RequireName(Stream, nameof(Stream));
        RequireName(Consumer, nameof(Consumer));
        if (Domain is not null)
        {
            RequireName(Domain, nameof(Domain));
        }

        ArgumentOutOfRangeException.ThrowIfLessThan(Replicas, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Replicas, 5);
        ArgumentOutOfRangeException.ThrowIfNegative(MaxBytes);
        ArgumentOutOfRangeException.ThrowIfLessThan(AckWait, TimeSpan.FromSeconds(3));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(AckWait, TimeSpan.FromDays(1));
        RequireSeconds(AckWait, nameof(AckWait));
    }

    /// <exception cref="ArgumentOutOfRangeException">The time is not a whole number of seconds.</exception>
    internal static void RequireSeconds(TimeSpan time, string option)
    {
        if (time.Ticks % TimeSpan.TicksPerSecond != 0)
        {
            throw new ArgumentOutOfRangeException(option, time, $"{option} must be a whole number of seconds.");
        }
    }

    private static void RequireName(string name, string option)
    {
        if (name is not { Length: >= 1 and <= 255 } || !name.All(static c => char.IsAsciiLetterOrDigit(c)
            || c is '_' or '-'))
        {
            throw new ArgumentException(
                $"'{name}' is not a valid JetStream name: it must have 1 to 255 letters, digits, '_' or '-'.", option);
        }
    }
}
