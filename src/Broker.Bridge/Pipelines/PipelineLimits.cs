namespace Broker.Bridge.Pipelines;

/// <summary>What bounds the two ends of a pipeline.</summary>
internal sealed record PipelineLimits
{
    private const int TimeoutsRemembered = 60;

    /// <summary>How many messages an egress lets each ingress have unacknowledged, and an ingress at most sends ahead to one.</summary>
    internal int Window { get; init; } = 4096;

    /// <summary>The same in bytes; one message always passes.</summary>
    internal long WindowBytes { get; init; } = 4 << 20;

    /// <summary>How many egresses an ingress sends to, and how many ingresses an egress takes from.</summary>
    internal int MostPeers { get; init; } = 1024;

    /// <summary>
    /// For how many ticks the other end may be silent before it counts as gone. Ticks and not a clock, so that a process that stood still
    /// does not take itself for the only one alive.
    /// </summary>
    internal int MostSilentTicks { get; init; } = 10;

    /// <summary>
    /// For how many ticks an egress that has a server remembers an ingress of which it hears nothing: one that was cut off may still want to know
    /// what has been taken.
    /// </summary>
    internal int RememberedTicks => TimeoutsRemembered * MostSilentTicks;

    /// <summary>Whether the messages of one pusher go to one egress, as long as that is there.</summary>
    internal bool KeepOrder { get; init; }
}
