using Broker.ZeroMq.Loops;

namespace Broker.ZeroMq;

/// <summary>The options of a thread-safe socket. Immutable; one instance may be used for several sockets.</summary>
/// <remarks>
/// High-water marks apply to each peer, as in libzmq. Only <see cref="ReceiveHighWaterBytes"/> applies to all peers
/// together.
/// </remarks>
public record ZeroMqSocketOptions : LoopRoutedOptions
{
    /// <summary>
    /// How many messages of one peer may wait to be received before the socket stops reading from that peer. The socket
    /// reads from the peer again when at most half of this number waits. 0 means that only the limit in bytes applies.
    /// Default 1,000, as in libzmq.
    /// </summary>
    public int ReceiveHighWaterMark { get; init; } = 1000;

    /// <summary>
    /// How much memory the unreceived messages of all peers together may use, in bytes. The memory may exceed this
    /// limit by one read of each peer, or by one message. Default 16 MiB.
    /// </summary>
    public long ReceiveHighWaterBytes { get; init; } = 16 << 20;

    /// <summary>
    /// How long <c>Send</c> waits for room before it throws. <see cref="Timeout.InfiniteTimeSpan"/>, the default, waits
    /// without a limit.
    /// </summary>
    public TimeSpan SendTimeout { get; init; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// How long <c>Receive</c> waits for a message before it throws. <see cref="Timeout.InfiniteTimeSpan"/>, the
    /// default, waits without a limit.
    /// </summary>
    public TimeSpan ReceiveTimeout { get; init; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// How many times a blocking receive polls for a message, and a blocking send for room, before its thread sleeps.
    /// Only one receiving thread and one sending thread poll at a time. The option is a count and not a time, so that
    /// polling reads no clock. Between two polls the thread yields the processor. Default 0: the event loop polls
    /// already, and on a machine with few processors a second place that polls costs more than it gains. A thread that
    /// drives the loop itself (<see cref="Broker.Transport.EventLoopOptions.CallerDriven"/>) runs this many iterations
    /// without waiting.
    /// </summary>
    public int Attempts { get; init; }

    /// <summary>
    /// How long a socket that is closed continues to send queued messages, unless the call sets another time. The
    /// socket or its context waits for that; see <see cref="MessageSocket.Dispose"/>.
    /// <see cref="Timeout.InfiniteTimeSpan"/> means without a limit. Default 10 s. libzmq waits without a limit, and
    /// NetMQ does not wait.
    /// </summary>
    public TimeSpan Linger { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// A message of one frame that this socket receives when a peer that connected to it has disconnected. For PULL,
    /// DEALER, ROUTER and PAIR. Default empty: none is received.
    /// </summary>
    public ReadOnlyMemory<byte> DisconnectMessage { get; init; }

    internal override void Validate()
    {
        base.Validate();
        ArgumentOutOfRangeException.ThrowIfNegative(ReceiveHighWaterMark);
        ArgumentOutOfRangeException.ThrowIfLessThan(ReceiveHighWaterBytes, 1);
        ArgumentOutOfRangeException.ThrowIfNegative(Attempts);
        TimeoutLimits.Require(Linger, nameof(Linger));
        TimeoutLimits.Require(SendTimeout, nameof(SendTimeout));
        TimeoutLimits.Require(ReceiveTimeout, nameof(ReceiveTimeout));
    }
}
