namespace Broker.LoadTest.Churn;

/// <summary>How long, and how many connections per second come and go.</summary>
internal sealed record ChurnSettings
{
    public required TimeSpan Duration { get; init; }

    public required int ConnectionsPerSecond { get; init; }

    /// <summary>A minute before the five; less where less is asked for.</summary>
    public TimeSpan Before => Duration / 5;

    /// <summary>Between two lines of the table.</summary>
    public TimeSpan Interval => TimeSpan.FromSeconds(Math.Clamp(Duration.TotalSeconds / 6, 1, 10));

    public override string ToString() =>
        $"{ConnectionsPerSecond} connections per second for {Duration.TotalSeconds:0} s beside full-rate publishing, after {Before.TotalSeconds:0} s without";
}
