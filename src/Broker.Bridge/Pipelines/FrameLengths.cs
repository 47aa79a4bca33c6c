using System.Buffers.Binary;

namespace Broker.Bridge.Pipelines;

/// <summary>Frames in one payload: of each a 4-byte big-endian length and its bytes, as in the bridge for topics.</summary>
internal static class FrameLengths
{
    internal const int Size = 4;

    /// <summary>Whether so many frames fill it, or it is a message that is not sent any more.</summary>
    internal static bool AreValid(ReadOnlySpan<byte> payload, int frames)
    {
        while (frames > 0 && TryRead(ref payload, out _))
        {
            frames--;
        }

        return frames == 0 && payload.IsEmpty;
    }

    internal static bool TryRead(ref ReadOnlySpan<byte> payload, out ReadOnlySpan<byte> frame)
    {
        frame = default;
        if (!BinaryPrimitives.TryReadUInt32BigEndian(payload, out uint length) || length > (uint)(payload.Length - Size))
        {
            return false;
        }

        frame = payload.Slice(Size, (int)length);
        payload = payload[(Size + (int)length)..];
        return true;
    }
}
