using Broker.HostileRun.Honest;

namespace Broker.HostileRun.Reporting;

/// <summary>The result of one kind of honest traffic.</summary>
internal sealed record HonestResult(string Name, HonestCounts Counts, IReadOnlyCollection<string> Faults)
{
    /// <summary>The number of messages that were sent in a second while attackers attacked.</summary>
    public double PerSecond { get; init; }

    /// <summary>Milliseconds; null if nothing was measured.</summary>
    public (double? P50, double? P99, double? Longest) Alone { get; init; }

    public (double? P50, double? P99, double? Longest) Attacked { get; init; }

    public static HonestResult Of(IHonestTraffic traffic, HonestCounts counts, double perSecond)
        => new(traffic.Name, counts, traffic.Faults)
        {
            PerSecond = perSecond,
            Alone = Times(traffic.Times, Phase.Alone),
            Attacked = Times(traffic.Times, Phase.Attacked),
        };

    private static (double? P50, double? P99, double? Longest) Times(TimeMeter times, Phase phase)
        => (times.Percentile(phase, 50), times.Percentile(phase, 99), times.Longest(phase));
}
