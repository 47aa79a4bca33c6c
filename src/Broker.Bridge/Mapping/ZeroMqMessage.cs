using System.Buffers.Binary;

namespace Broker.Bridge.Mapping;

/// <summary>A NATS message as ZeroMQ sends it; also the sequence of its frames.</summary>
/// <remarks>
/// Borrows the payload of the NATS message and the scratch memory given to the mapper, and is valid as long as both.
/// The framing was checked by the mapper, so reading never finds it malformed. A copy starts where the original stands.
/// </remarks>
public ref struct ZeroMqMessage : IFrameSequence
{
    private readonly ReadOnlySpan<byte> _payload;
    private ReadOnlySpan<byte> _rest;
    private int _next;

    internal ZeroMqMessage(int frameCount, ReadOnlySpan<byte> firstFrame, ReadOnlySpan<byte> payload)
    {
        FrameCount = frameCount;
        FirstFrame = firstFrame;
        _payload = payload;
        _rest = payload;
    }

    /// <summary>The number of frames, at least 1.</summary>
    public int FrameCount { get; }

    /// <summary>The frame that ZeroMQ compares with subscriptions.</summary>
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

    /// <summary>Whether a payload is so many frames, each with its length, and nothing more.</summary>
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
