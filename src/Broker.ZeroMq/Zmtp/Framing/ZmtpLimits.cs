namespace Broker.ZeroMq;

/// <summary>
/// The limits on the memory that a peer can claim. They are checked against a frame's header, before any octet of its
/// body is read.
/// </summary>
/// <remarks>
/// Immutable; one instance may be used by any number of decoders. Sizes are in octets of frame bodies, without headers.
/// </remarks>
public sealed class ZmtpLimits
{
    /// <summary>The size of the largest header of a frame.</summary>
    internal const int LongHeaderSize = 9;

    /// <summary>Creates limits.</summary>
    /// <param name="maxFrameSize">The size of the largest message frame.</param>
    /// <param name="maxMessageSize">
    /// The largest total size of the frames of one message, including the commands between the frames.
    /// </param>
    /// <param name="maxFrames">The most frames in one message, including the commands between the frames.</param>
    /// <param name="maxCommandSize">
    /// The size of the largest command, including its name. This limit bounds the length of a subscription.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">
    /// A limit is below 1, or the limits together exceed the largest span.
    /// </exception>
    public ZmtpLimits(
        int maxFrameSize = 64 << 20,
        int maxMessageSize = 64 << 20,
        int maxFrames = 1 << 20,
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

    /// <summary>
    /// The default limits: 64 MiB and 1,048,576 frames for a message, 64 KiB for a command. In practice the size of a
    /// message reaches its limit before the number of frames does.
    /// </summary>
    public static ZmtpLimits Default { get; } = new();

    /// <summary>The size of the largest message frame.</summary>
    public int MaxFrameSize { get; }

    /// <summary>The largest total size of the frames of one message.</summary>
    public int MaxMessageSize { get; }

    /// <summary>The most frames in one message.</summary>
    public int MaxFrames { get; }

    /// <summary>The size of the largest command.</summary>
    public int MaxCommandSize { get; }

    /// <summary>
    /// The largest value of <see cref="ZmtpDecodeResult.Needed"/>, which is the most receive memory that one peer can
    /// claim.
    /// </summary>
    public int MaxPendingBytes { get; }
}
