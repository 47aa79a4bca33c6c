namespace Broker.ZeroMq.Zmtp.Framing;

/// <summary>What a peer may make us hold in memory. Checked against a frame's header, before any octet of its body is awaited.</summary>
/// <remarks>Immutable; one instance may serve any number of decoders. Sizes are in octets of frame bodies, headers not counted.</remarks>
public sealed class ZmtpLimits
{
    /// <summary>Largest header of a frame.</summary>
    internal const int LongHeaderSize = 9;

    /// <summary>Creates limits.</summary>
    /// <param name="maxFrameSize">Largest message frame.</param>
    /// <param name="maxMessageSize">Largest sum of the frames of one message (and of commands that arrive between them).</param>
    /// <param name="maxFrames">Most frames in one message (and commands between them).</param>
    /// <param name="maxCommandSize">Largest command, its name included; it bounds the length of a subscription.</param>
    /// <exception cref="ArgumentOutOfRangeException">A limit below 1, or limits that together exceed one span.</exception>
    public ZmtpLimits(
        int maxFrameSize = 16 << 20,
        int maxMessageSize = 64 << 20,
        int maxFrames = 1024,
        int maxCommandSize = 64 << 10)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(maxFrameSize, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(maxMessageSize, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(maxFrames, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(maxCommandSize, 1);
        long pending = Math.Max(maxMessageSize + ((long)maxFrames * LongHeaderSize), (long)maxCommandSize + LongHeaderSize);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(pending, Array.MaxLength, nameof(maxMessageSize));

        MaxFrameSize = maxFrameSize;
        MaxMessageSize = maxMessageSize;
        MaxFrames = maxFrames;
        MaxCommandSize = maxCommandSize;
        MaxPendingBytes = (int)pending;
    }

    /// <summary>16 MiB a frame, 64 MiB and 1,024 frames a message, 64 KiB a command.</summary>
    public static ZmtpLimits Default { get; } = new();

    /// <summary>Largest message frame.</summary>
    public int MaxFrameSize { get; }

    /// <summary>Largest sum of the frames of one message.</summary>
    public int MaxMessageSize { get; }

    /// <summary>Most frames in one message.</summary>
    public int MaxFrames { get; }

    /// <summary>Largest command.</summary>
    public int MaxCommandSize { get; }

    /// <summary>The largest value <see cref="ZmtpDecodeResult.Needed"/> can take: the receive memory one peer can claim.</summary>
    public int MaxPendingBytes { get; }
}
