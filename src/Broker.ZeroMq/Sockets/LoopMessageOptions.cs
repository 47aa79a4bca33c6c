using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Sockets;

/// <summary>How a loop socket other than PUB and SUB is set up. Immutable; one instance may serve several sockets.</summary>
public record LoopMessageOptions : LoopSocketOptions
{
    /// <summary>
    /// As in libzmq no PING is sent unless <see cref="LoopSocketOptions.HeartbeatInterval"/> is set: who takes no messages for now does not
    /// answer it either, and would be given up with all that waits for it. That nobody is there any more is found by
    /// <see cref="LoopSocketOptions.KeepAliveTime"/>; where messages wait for a peer that has vanished, by the kernel when it gives up sending them.
    /// </summary>
    public LoopMessageOptions() => HeartbeatInterval = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// How many messages may wait for one peer before it is full; 0 for no limit but that of bytes. A sixteenth of it is the grain in
    /// which messages are counted as sent. Default 1,000, as in libzmq.
    /// </summary>
    public int SendHighWaterMark { get; init; } = 1000;

    /// <summary>
    /// How much memory what waits for one peer may take before it is full, in octets: the messages, and the room between them that nothing more
    /// is written to (<see cref="Broker.Transport.Connection.HeldBytes"/>). So at least about half of it is messages; a larger one passes when nothing waits. Default 16 MiB.
    /// </summary>
    public long SendHighWaterBytes { get; init; } = 16 << 20;

    /// <summary>
    /// Whether only completed connections get messages. Without it, the default and that of libzmq, an endpoint that was connected to has a
    /// queue from the start, which outlives each of its connections.
    /// </summary>
    public bool Immediate { get; init; }

    /// <summary>
    /// Whether of what is sent to a peer, and with a socket for threads also of what is received from it, only the newest message waits; the marks
    /// mean nothing then, and nothing is counted as dropped. For PUSH, PULL, DEALER, PUB and SUB. Default false.
    /// </summary>
    public bool Conflate { get; init; }

    /// <summary>
    /// What a peer may send. A message is collected in memory of its own as its bytes arrive, so this bounds the memory of each
    /// peer. Default <see cref="ZmtpLimits.Default"/>: 16 MiB a frame, 64 MiB and 1,024 frames a message.
    /// </summary>
    public ZmtpLimits Limits { get; init; } = ZmtpLimits.Default;

    /// <summary>Whether ROUTER peers get an empty message first, so that they know of us.</summary>
    internal virtual bool ProbesRouter => false;

    internal override ZmtpLimits InboundLimits => Limits;

    internal override void Validate()
    {
        base.Validate();
        ArgumentNullException.ThrowIfNull(Limits);
        ArgumentOutOfRangeException.ThrowIfNegative(SendHighWaterMark);
        ArgumentOutOfRangeException.ThrowIfLessThan(SendHighWaterBytes, 1);
    }
}
