using Broker.HostileRun.Attacks;

namespace Broker.HostileRun;

/// <summary>The settings of a run.</summary>
internal sealed record RunSettings
{
    /// <summary>How long the attackers attack.</summary>
    public TimeSpan Duration { get; init; } = TimeSpan.FromMinutes(5);

    /// <summary>The longest additional time in which a kind that has not attacked often enough continues.</summary>
    public TimeSpan MaxExtraTime { get; init; }

    /// <summary>The limit of the broker's heap in bytes; null for none.</summary>
    public long? HeapLimit { get; init; }

    /// <summary>A native file of the broker to attack; null for the managed program beside this one.</summary>
    public string? Program { get; init; }

    public IReadOnlyList<AttackKind> Kinds { get; init; } = Catalogue.All;

    /// <summary>The priority of the attackers' process.</summary>
    public AttackersPriority Priority { get; init; }

    /// <summary>Whether times and rates are promises. Otherwise they are only reported.</summary>
    public bool JudgesTimes { get; init; } = true;

    /// <summary>Each kind is to attack more often than this: more than a thousand times in five minutes.</summary>
    public double LeastAttacks => 200 * Duration.TotalMinutes;

    /// <summary>How long the honest traffic runs before the times count.</summary>
    public TimeSpan WarmUp => Duration < TimeSpan.FromMinutes(1) ? TimeSpan.FromSeconds(1) : TimeSpan.FromSeconds(5);

    /// <summary>How long the honest traffic runs without attackers.</summary>
    public TimeSpan Alone => TimeSpan.FromTicks(Math.Min(Duration.Ticks / 5, TimeSpan.FromSeconds(30).Ticks));
}
