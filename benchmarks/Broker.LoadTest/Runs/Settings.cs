namespace Broker.LoadTest.Runs;

/// <summary>The durations, the number of rounds, and the warm-up of a run.</summary>
internal sealed record Settings
{
    public required bool Quick { get; init; }

    /// <summary>
    /// Settings for the cold state: a new process for every measurement, which is measured from its first message for a
    /// second at most.
    /// </summary>
    public bool Cold { get; init; }

    public required int Rounds { get; init; }

    /// <summary>The number of passes over all rows before the counted ones.</summary>
    public int WarmUps => Cold ? 1 : 2;

    /// <summary>
    /// The duration of a measurement with the fastest server, unless the slowest one reaches
    /// <see cref="LongestSeconds"/> first.
    /// </summary>
    public double ShortestSeconds => (Quick, Cold) switch { (true, _) => 0.12, (_, true) => 1.0, _ => 0.4 };

    /// <summary>The warm-up time of a process that was started for one row.</summary>
    public double WarmUpSeconds => Quick ? 0.25 : 2.0;

    public double LongestSeconds => (Quick, Cold) switch { (true, _) => 0.5, (_, true) => 1.0, _ => 2.0 };

    public override string ToString()
        => $"{Rounds} rounds, {(Cold ? "cold: a fresh process for each measurement" : $"warm: {WarmUps} passes before")}, {ShortestSeconds:0.##} to {LongestSeconds:0.##} s per measurement{(Quick ? ", quick" : "")}";
}
