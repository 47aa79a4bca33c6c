namespace Broker.LoadTest.Churn;

/// <summary>The duration of a run and the number of connections per second.</summary>
internal sealed record ChurnSettings
{
    public required TimeSpan Duration { get; init; }

    public required int ConnectionsPerSecond { get; init; }

    /// <summary>The warm-up before the measurement: a minute, or less for a short run.</summary>
    public TimeSpan Before => Duration / 5;

    /// <summary>The time between two lines of the table.</summary>
    public TimeSpan Interval => TimeSpan.FromSeconds(Math.Clamp(Duration.TotalSeconds / 6, 1, 10));

    public override string ToString()
        => $"{ConnectionsPerSecond} connections per second for {Duration.TotalSeconds:0} s beside full-rate publishing, after {Before.TotalSeconds:0} s without";
}
