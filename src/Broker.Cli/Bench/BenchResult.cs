namespace Broker.Cli.Bench;

/// <summary>The result of one round with one server.</summary>
/// <param name="Server">The server's address as the user gave it, without credentials.</param>
/// <param name="Round">The number of the round, from 1.</param>
internal sealed record BenchResult(string Server, int Round)
{
    /// <summary>The measured time.</summary>
    public required TimeSpan Time { get; init; }

    /// <summary>The messages that were published, or the replies that were received, in the measured time.</summary>
    public required long Messages { get; init; }

    /// <summary>The messages that the subscribers received in the measured time.</summary>
    public required long Received { get; init; }

    /// <summary>The bytes of the bodies of <see cref="Messages"/>.</summary>
    public required long Bytes { get; init; }

    /// <summary>The messages of the whole round that did not arrive at a subscriber, or that had no reply.</summary>
    public required long Lost { get; init; }

    /// <summary>The times of the replies; null if the pattern has none.</summary>
    public BenchTimes? Times { get; init; }

    /// <summary>The processors that the server used; NaN if it is not on this machine or cannot be found.</summary>
    public double ServerProcessors { get; init; } = double.NaN;

    /// <summary>The counts in the measured time, about ten each second.</summary>
    public IReadOnlyList<BenchMoment> Moments { get; init; } = [];

    /// <summary>Messages a second: published ones, or replies.</summary>
    public double Rate => Messages / Time.TotalSeconds;

    /// <summary>Messages a second that the subscribers received.</summary>
    public double ReceivedRate => Received / Time.TotalSeconds;

    /// <summary>Bytes of bodies a second.</summary>
    public double ByteRate => Bytes / Time.TotalSeconds;
}
