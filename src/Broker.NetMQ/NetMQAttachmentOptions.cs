using Broker.ZeroMq;

namespace Broker.NetMQ;

/// <summary>The options of an attachment. Immutable.</summary>
public sealed record NetMQAttachmentOptions
{
    /// <summary>
    /// How many messages the attachment queues in each direction, beside what NetMQ and the route queue. Default 1,000.
    /// </summary>
    public int HighWaterMark { get; init; } = 1000;

    /// <summary>
    /// How many bytes the attachment queues in each direction. A single message may exceed the limit. Default 16 MiB.
    /// </summary>
    public long HighWaterBytes { get; init; } = 16 << 20;

    /// <summary>
    /// How many messages the attachment forwards before the poller serves its other sockets. Default 128.
    /// </summary>
    public int BatchSize { get; init; } = 128;

    /// <summary>
    /// The topic prefixes, in bytes, that an attached PUB or PUSH receives from a PUB/SUB route. An attached XPUB
    /// receives what its own subscribers ask for. Default: one empty prefix, which means all topics.
    /// </summary>
    public IReadOnlyList<byte[]> Topics { get; init; } = [[]];

    /// <summary>
    /// What happens to messages of the NetMQ socket while no server is connected. Default
    /// <see cref="WhileServerAway.AsRoute"/>.
    /// </summary>
    public WhileServerAway WhileServerAway { get; init; }

    /// <summary>
    /// How long <see cref="NetMQAttachment.DisposeAsync"/> waits, in each direction, for messages that the attachment
    /// has taken and not passed on. Default 1 s.
    /// </summary>
    public TimeSpan Linger { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// How long an attachment that is removed waits for the poller's thread, which may be busy with a handler of the
    /// program. Default 10 s.
    /// </summary>
    public TimeSpan DetachTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Checks the options.</summary>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    public void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(HighWaterMark, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(HighWaterBytes, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(BatchSize, 1);
        ArgumentNullException.ThrowIfNull(Topics);
        ArgumentOutOfRangeException.ThrowIfLessThan(Linger, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfLessThan(DetachTimeout, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfLessThan((int)WhileServerAway, (int)WhileServerAway.AsRoute);
        ArgumentOutOfRangeException.ThrowIfGreaterThan((int)WhileServerAway, (int)WhileServerAway.Drop);
    }

    /// <summary>Returns the options of the socket that connects the attachment with its route.</summary>
    internal ZeroMqSocketOptions ForSocket() => Apply(new ZeroMqSocketOptions());

    /// <inheritdoc cref="ForSocket()"/>
    internal T Apply<T>(T options)
        where T : ZeroMqSocketOptions
        => (T)((ZeroMqSocketOptions)options with
        {
            SendHighWaterMark = HighWaterMark,
            SendHighWaterBytes = HighWaterBytes,
            ReceiveHighWaterMark = HighWaterMark,
            ReceiveHighWaterBytes = HighWaterBytes,
            Linger = TimeSpan.Zero,
        });
}
