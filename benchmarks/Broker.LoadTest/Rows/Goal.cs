namespace Broker.LoadTest.Rows;

/// <summary>The goals of a row as ratios to the baseline. Null means no goal.</summary>
internal sealed record Goal
{
    /// <summary>The minimum ratio of messages per second.</summary>
    public double? Rate { get; init; }

    /// <summary>The maximum ratio of the server's CPU time per message.</summary>
    public double? Cpu { get; init; }

    /// <summary>The maximum ratio of the server's resident memory.</summary>
    public double? Memory { get; init; }

    /// <summary>The maximum median of round trips in microseconds. This is not a ratio.</summary>
    public double? P50Microseconds { get; init; }

    /// <summary>The maximum ratio of the median of round trips.</summary>
    public double? P50 { get; init; }

    /// <summary>The maximum ratio of the 99th percentile of round trips.</summary>
    public double? P99 { get; init; }
}
