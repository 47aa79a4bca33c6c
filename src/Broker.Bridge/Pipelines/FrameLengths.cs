using System.Buffers.Binary;

namespace Broker.Bridge;

/// <summary>
/// Reads a payload of several frames: each is a 4-byte big-endian length and the bytes, as in PUB/SUB messages.
/// </summary>
internal static class FrameLengths
{
    internal const int Size = 4;

    /// <summary>
    /// Returns whether a payload consists of exactly this number of frames. An empty payload with 0 frames is valid: it
    /// replaces a message that was given up.
    /// </summary>
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
        if (!BinaryPrimitives.TryReadUInt32BigEndian(payload, out uint length)
            || length > (uint)(payload.Length - Size))
        {
            return false;
        }

        frame = payload.Slice(Size, (int)length);
        payload = payload[(Size + (int)length)..];
        return true;
    }
}
