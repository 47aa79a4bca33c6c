namespace Broker.LoadTest.Soak;

/// <summary>The duration of a soak, its traffic, and how long messages are kept.</summary>
internal sealed record SoakSettings
{
    public required TimeSpan Duration { get; init; }

    /// <summary>Messages per second, for all streams together.</summary>
    public required int Rate { get; init; }

    /// <summary>The directory of the streams; null for a new directory that is deleted at the end.</summary>
    public DirectoryInfo? Directory { get; init; }

    public int BodyBytes => 2048;

    /// <summary>The time between two lines of the table.</summary>
    public TimeSpan Interval => TimeSpan.FromSeconds(Math.Clamp(Duration.TotalSeconds / 60, 2, 60));

    /// <summary>
    /// How long the stream with an age keeps its messages. Retention is in balance long before half of the run.
    /// </summary>
    public TimeSpan Age => TimeSpan.FromSeconds(Math.Clamp((int)Duration.TotalSeconds / 20, 2, 60));

    /// <summary>The size of the stream with a size, which half of this time fills.</summary>
    public long StreamBytes => (long)(Age.TotalSeconds / 2 * Rate / 5 * BodyBytes);

    public override string ToString()
        => $"{Rate} messages per second of {BodyBytes} bytes for {Duration.TotalMinutes:0.#} minutes; max_age {Age.TotalSeconds:0} s, max_bytes {StreamBytes / 1_000_000.0:0.0} MB";
}
