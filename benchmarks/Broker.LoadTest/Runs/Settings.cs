namespace Broker.LoadTest.Runs;

/// <summary>How long, how often, and how warm.</summary>
internal sealed record Settings
{
    public required bool Quick { get; init; }

    /// <summary>A fresh process for every measurement, measured from its first message for a second at most.</summary>
    public bool Cold { get; init; }

    public required int Rounds { get; init; }

    /// <summary>Passes over all rows before the counted ones.</summary>
    public int WarmUps => Cold ? 1 : 2;

    /// <summary>A measurement of the fastest server lasts this long, unless <see cref="LongestSeconds"/> of the slowest is reached first.</summary>
    public double ShortestSeconds => (Quick, Cold) switch { (true, _) => 0.12, (_, true) => 1.0, _ => 0.4 };

    /// <summary>A process that was started for one row is warmed up for this long.</summary>
    public double WarmUpSeconds => Quick ? 0.25 : 2.0;

    public double LongestSeconds => (Quick, Cold) switch { (true, _) => 0.5, (_, true) => 1.0, _ => 2.0 };

    public override string ToString() =>
        $"{Rounds} rounds, {(Cold ? "cold: a fresh process for each measurement" : $"warm: {WarmUps} passes before")}, {ShortestSeconds:0.##} to {LongestSeconds:0.##} s per measurement{(Quick ? ", quick" : "")}";
}
