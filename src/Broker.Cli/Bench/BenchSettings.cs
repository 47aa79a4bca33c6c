namespace Broker.Cli.Bench;

/// <summary>The traffic that <c>broker bench</c> creates.</summary>
internal sealed record BenchSettings
{
    public required BenchPattern Pattern { get; init; }

    /// <summary>The subject, or the beginning of the subjects if there are several.</summary>
    public required string Subject { get; init; }

    /// <summary>The number of subjects.</summary>
    public int Subjects { get; init; } = 1;

    /// <summary>The sizes of the bodies in bytes.</summary>
    public SizeRange Size { get; init; } = new(128, 128);

    /// <summary>The connections that publish, or that send requests.</summary>
    public int Publishers { get; init; } = 1;

    /// <summary>The connections that subscribe, or that reply.</summary>
    public int Subscribers { get; init; } = 1;

    /// <summary>The queue group of the subscribers; null for none.</summary>
    public string? Queue { get; init; }

    /// <summary>The requests that each connection has sent and that have no reply yet.</summary>
    public int InFlight { get; init; } = 1;

    /// <summary>The number of messages of all publishers; null to measure for <see cref="Time"/>.</summary>
    public long? Count { get; init; }

    /// <summary>How long to measure.</summary>
    public TimeSpan Time { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>How long the traffic runs before the measurement. Without a meaning if there is a count.</summary>
    public TimeSpan WarmUp { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>How often to measure each server. Several servers are measured in turn.</summary>
    public int Rounds { get; init; } = 1;

    /// <summary>The subject of a message.</summary>
    public string SubjectOf(long message)
        => Subjects == 1 ? Subject : string.Create(System.Globalization.CultureInfo.InvariantCulture, $"{Subject}.{message % Subjects}");

    /// <summary>The filter of a subscriber to all subjects.</summary>
    public string Filter => Subjects == 1 ? Subject : Subject + ".*";

    /// <summary>Whether each message goes to one of the subscribers.</summary>
    public bool IsShared { get; init; }

    /// <summary>The number of subscribers that receive a message.</summary>
    public int Copies => Queue is null && !IsShared ? Subscribers : 1;

    /// <summary>The messages of one of several loops that share the count; all messages if there is no count.</summary>
    public long Share(int loops, int loop)
        => Count is { } all ? (all / loops) + (loop < all % loops ? 1 : 0) : long.MaxValue;
}
