using System.Buffers.Binary;

namespace Broker.Bridge;

/// <summary>Reads the ZeroMQ frames of a mapped NATS message one after the other.</summary>
/// <remarks>
/// Refers to the payload of the NATS message and to the scratch memory of the mapper, and is valid as long as both
/// memories are. The mapper has already checked the framing, so reading never finds a malformed frame. A copy continues
/// at the position of the original.
/// </remarks>
public ref struct FrameReader : IFrameSequence
{
    private readonly ReadOnlySpan<byte> _payload;
    private ReadOnlySpan<byte> _rest;
    private int _next;

    internal FrameReader(int frameCount, ReadOnlySpan<byte> firstFrame, ReadOnlySpan<byte> payload)
    {
        FrameCount = frameCount;
        FirstFrame = firstFrame;
        _payload = payload;
        _rest = payload;
    }

    /// <summary>The number of frames, at least 1.</summary>
    public int FrameCount { get; }

    /// <summary>The first frame, which ZeroMQ compares with subscriptions.</summary>
    public ReadOnlySpan<byte> FirstFrame { get; }

    /// <inheritdoc/>
    public FrameRead Next(out ReadOnlySpan<byte> frame)
    {
        frame = default;
        if (_next == FrameCount)
        {
            return FrameRead.End;
        }

        if (_next++ == 0)
        {
            frame = FirstFrame;
            return FrameRead.Frame;
        }

        if (FrameCount == 2)
        {
            frame = _payload;
            return FrameRead.Frame;
        }

        return TryReadFramed(ref _rest, out frame) ? FrameRead.Frame : FrameRead.Malformed;
    }

    /// <summary>Returns whether a payload consists of exactly this number of frames, each with its length.</summary>
    internal static bool IsFramed(ReadOnlySpan<byte> payload, int frames)
    {
        while (frames > 0 && TryReadFramed(ref payload, out _))
        {
            frames--;
        }

        return frames == 0 && payload.IsEmpty;
    }

    internal static bool TryReadFramed(scoped ref ReadOnlySpan<byte> rest, out ReadOnlySpan<byte> frame)
    {
        frame = default;
        if (!BinaryPrimitives.TryReadUInt32BigEndian(rest, out uint length) || length > (uint)(rest.Length - 4))
        {
            return false;
        }

        frame = rest.Slice(4, (int)length);
        rest = rest[(4 + (int)length)..];
        return true;
    }
}
