using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows;

/// <summary>The results of one measurement. Messages are counted at the readers if the row has readers.</summary>
internal sealed record Measurement
{
    public required long Messages { get; init; }

    public required double Seconds { get; init; }

    /// <summary>The CPU time of the server process, user and system.</summary>
    public required double CpuSeconds { get; init; }

    public required long ResidentBytes { get; init; }

    /// <summary>The round trips in rows that wait for each one.</summary>
    public Latency? Latency { get; init; }

    /// <summary>The round trips after a pause, in rows that measure the wake-up.</summary>
    public Latency? AfterPause { get; init; }

    /// <summary>The idle cost in rows with an idle server.</summary>
    public IdleCost? Idle { get; init; }

    /// <summary>The memory in rows that measure memory.</summary>
    public Footprint? Footprint { get; init; }

    /// <summary>The start times in rows that measure the start.</summary>
    public StartTimes? Start { get; init; }

    /// <summary>Whether the server closed a reader's connection. There is no rate then.</summary>
    public bool Lost { get; init; }

    public double Rate => Messages / Seconds;

    public double Nanoseconds => Seconds / Messages * 1e9;

    public double CpuNanoseconds => CpuSeconds / Messages * 1e9;
}
