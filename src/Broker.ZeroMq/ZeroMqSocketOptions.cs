using Broker.ZeroMq.Sockets;

namespace Broker.ZeroMq;

/// <summary>How a socket for threads is set up. Immutable; one instance may serve several sockets.</summary>
/// <remarks>High-water marks are for each peer, as in libzmq.</remarks>
public record ZeroMqSocketOptions : LoopRoutedOptions
{
    /// <summary>
    /// How many messages of one peer may wait to be received before it is read no further; 0 for no limit but that of bytes. They
    /// are given free in quarters. Default 1,000, as in libzmq.
    /// </summary>
    public int ReceiveHighWaterMark { get; init; } = 1000;

    /// <summary>
    /// How much memory the messages of all peers that wait to be received may take, in bytes; one read of each peer, or one message, may
    /// go beyond it. Default 16 MiB.
    /// </summary>
    public long ReceiveHighWaterBytes { get; init; } = 16 << 20;

    /// <summary>
    /// How long <c>Send</c> waits for room before it throws; <see cref="Timeout.InfiniteTimeSpan"/>, the default, for as long as it takes.
    /// </summary>
    public TimeSpan SendTimeout { get; init; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// How long <c>Receive</c> waits for a message before it throws; <see cref="Timeout.InfiniteTimeSpan"/>, the default, for as long as it
    /// takes.
    /// </summary>
    public TimeSpan ReceiveTimeout { get; init; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// How many times a receive that would block looks for a message, and a send that would block for room, before it lets its thread sleep;
    /// of those who receive one thread at a time does, and one of those who send. A count
    /// and not a time: no clock is read for it, and between two looks the processor goes to whoever else needs it. Default 0: the loop
    /// looks already, and spinning in two places costs more than it gains where processors are few. A thread that turns the loop itself
    /// (<see cref="Broker.Transport.EventLoopOptions.CallerDriven"/>) does so many turns without waiting.
    /// </summary>
    public int Attempts { get; init; }

    /// <summary>
    /// How long closing waits for peers to take what was sent, when it is not told otherwise; <see cref="Timeout.InfiniteTimeSpan"/> for as
    /// long as it takes. Default 10 s. libzmq waits without a limit, and NetMQ not at all.
    /// </summary>
    public TimeSpan Linger { get; init; } = TimeSpan.FromSeconds(10);

    internal override void Validate()
    {
        base.Validate();
        ArgumentOutOfRangeException.ThrowIfNegative(ReceiveHighWaterMark);
        ArgumentOutOfRangeException.ThrowIfLessThan(ReceiveHighWaterBytes, 1);
        ArgumentOutOfRangeException.ThrowIfNegative(Attempts);
        LongTimes.Require(Linger, nameof(Linger));
        LongTimes.Require(SendTimeout, nameof(SendTimeout));
        LongTimes.Require(ReceiveTimeout, nameof(ReceiveTimeout));
    }
}
