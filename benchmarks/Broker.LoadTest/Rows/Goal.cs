namespace Broker.LoadTest.Rows;

/// <summary>What a row is to reach, as ratios to the baseline. What is null is not asked for.</summary>
internal sealed record Goal
{
    /// <summary>Messages per second: at least.</summary>
    public double? Rate { get; init; }

    /// <summary>The server's CPU per message: at most.</summary>
    public double? Cpu { get; init; }

    /// <summary>The server's resident memory: at most.</summary>
    public double? Memory { get; init; }

    /// <summary>The median of round trips in microseconds, no ratio: at most.</summary>
    public double? P50Microseconds { get; init; }

    /// <summary>The 99th percentile of round trips: at most.</summary>
    public double? P99 { get; init; }
}
