namespace Broker.Bridge;

/// <summary>The limits of the two ends of a pipeline.</summary>
internal sealed record PipelineLimits
{
    private const int TimeoutsRemembered = 60;

    /// <summary>
    /// How many unacknowledged messages an egress permits each ingress, and at most how many an ingress sends ahead to
    /// one egress.
    /// </summary>
    internal int Window { get; init; } = 4096;

    /// <summary>The limit in bytes for the messages of <see cref="Window"/>. A single message may exceed it.</summary>
    internal long WindowBytes { get; init; } = 4 << 20;

    /// <summary>
    /// The largest number of bytes that one end keeps for all its partners together. A single message may exceed it.
    /// </summary>
    internal long MostBytes { get; init; } = 64 << 20;

    /// <summary>The largest number of egresses of an ingress, and of ingresses of an egress.</summary>
    internal int MostPeers { get; init; } = 1024;

    /// <summary>
    /// After how many ticks of silence the other end counts as lost. The limit uses ticks instead of a clock, so that a
    /// process that was suspended does not regard all others as lost.
    /// </summary>
    internal int MostSilentTicks { get; init; } = 10;

    /// <summary>
    /// For how many ticks a connected egress keeps the state of a silent ingress. An ingress that was disconnected may
    /// still ask which messages PUSH has taken.
    /// </summary>
    internal int RememberedTicks => TimeoutsRemembered * MostSilentTicks;

    /// <summary>Whether all messages of one pusher go to the same egress as long as this egress is connected.</summary>
    internal bool KeepOrder { get; init; }
}
