using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows;

/// <summary>What one measurement gave. Messages are counted at the readers where the row has readers.</summary>
internal sealed record Measurement
{
    public required long Messages { get; init; }

    public required double Seconds { get; init; }

    /// <summary>CPU time of the server process, user and system.</summary>
    public required double CpuSeconds { get; init; }

    public required long ResidentBytes { get; init; }

    /// <summary>Round trips, in rows that wait for each one.</summary>
    public Latency? Latency { get; init; }

    /// <summary>Round trips that each followed a pause, in rows that look at the wake-up.</summary>
    public Latency? AfterPause { get; init; }

    /// <summary>In rows that let the server idle.</summary>
    public IdleCost? Idle { get; init; }

    /// <summary>In rows that are about memory.</summary>
    public Footprint? Footprint { get; init; }

    /// <summary>In rows that are about the start.</summary>
    public StartTimes? Start { get; init; }

    /// <summary>The server closed a reader's connection: there is no rate.</summary>
    public bool Lost { get; init; }

    public double Rate => Messages / Seconds;

    public double Nanoseconds => Seconds / Messages * 1e9;

    public double CpuNanoseconds => CpuSeconds / Messages * 1e9;
}
