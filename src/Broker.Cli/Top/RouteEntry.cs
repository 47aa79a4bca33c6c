using System.Text.Json.Serialization;

namespace Broker.Cli.Top;

/// <summary>A route of the ZeroMQ bridge on <c>/bridgez</c>. Which numbers a route has depends on its pattern.</summary>
internal sealed record RouteEntry
{
    public string? Name { get; init; }

    public string? Pattern { get; init; }

    public long Peers { get; init; }

    [JsonPropertyName("from_zeromq")]
    public long FromZeroMq { get; init; }

    public long ToSubjects { get; init; }

    public long FromSubjects { get; init; }

    [JsonPropertyName("to_zeromq")]
    public long ToZeroMq { get; init; }

    public long Dropped { get; init; }

    public long Refused { get; init; }

    /// <summary>1 if the route takes no messages for now.</summary>
    public long Paused { get; init; }

    /// <summary>1 if the programs only get copies, 0 if they take part, or null for a route that has no shadow.</summary>
    public long? Shadow { get; init; }

    public long Pushers { get; init; }

    /// <summary>How many more messages the other ends of a pipeline take, or null for other routes.</summary>
    public long? Credit { get; init; }

    public Dictionary<string, long>? DroppedBecause { get; init; }

    public Dictionary<string, long>? RefusedBecause { get; init; }

    /// <summary>The requests without a reply.</summary>
    public long? Pending { get; init; }

    /// <summary>The requests that wait for room.</summary>
    public long? Held { get; init; }

    /// <summary>The messages that wait for a puller.</summary>
    public long? Waiting { get; init; }

    /// <summary>The messages that are not acknowledged yet.</summary>
    public long? InFlight { get; init; }

    /// <summary>Everything that waits in the route, or null if the route never keeps messages.</summary>
    public long? Kept => Pending is null && Held is null && Waiting is null && InFlight is null
        ? null
        : (Pending ?? 0) + (Held ?? 0) + (Waiting ?? 0) + (InFlight ?? 0);
}
