namespace Broker.Bridge.JetStream;

/// <summary>Which work queue of JetStream a pipeline goes by: a stream and a durable pull consumer of a NATS system that has them.</summary>
public sealed record StreamQueueOptions
{
    /// <summary>The stream's name: 1 to 255 of <c>A-Z a-z 0-9 _ -</c>.</summary>
    public required string Stream { get; init; }

    /// <summary>The consumer's name, of the same characters. All bridges that take messages out share it.</summary>
    public string Consumer { get; init; } = "zeromq";

    /// <summary>
    /// Whether a stream or consumer that is not there is made: the stream for the pipeline's subject as a work queue in files, which refuses what
    /// comes beyond its limits; the consumer with explicit acknowledgement. What is there is used as it is. Default true.
    /// </summary>
    public bool Create { get; init; } = true;

    /// <summary>The JetStream domain, if it is not the server's own.</summary>
    public string? Domain { get; init; }

    /// <summary>How many copies a cluster keeps of a stream that is made. Default 1.</summary>
    public int Replicas { get; init; } = 1;

    /// <summary>How many bytes a stream that is made may hold before it refuses more, so that PUSHs wait; 0 for no limit of its own.</summary>
    public long MaxBytes { get; init; }

    /// <summary>
    /// After how long the stream delivers a message again that a bridge was given and has not acknowledged. Bridges that hold one for longer
    /// say so. Whole seconds, at least 3. Default 30 s.
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

    /// <exception cref="ArgumentOutOfRangeException">The time is not of whole seconds.</exception>
    internal static void RequireSeconds(TimeSpan time, string option)
    {
        if (time.Ticks % TimeSpan.TicksPerSecond != 0)
        {
            throw new ArgumentOutOfRangeException(option, time, $"{option} must be of whole seconds.");
        }
    }

    private static void RequireName(string name, string option)
    {
        if (name is not { Length: >= 1 and <= 255 } || !name.All(static c => char.IsAsciiLetterOrDigit(c) || c is '_' or '-'))
        {
            throw new ArgumentException($"'{name}' is no name for JetStream: 1 to 255 letters, digits, '_' and '-'.", option);
        }
    }
}
