using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace Broker.ZeroMq;

/// <summary>Writes frames and messages into the caller's memory (RFC 37, "Framing"). No method allocates.</summary>
/// <remarks>
/// Every <c>Write</c> method returns the number of octets that it wrote, which equals the result of the matching size
/// method. The method throws <see cref="ArgumentException"/> (or a subclass) if the destination is shorter, so the
/// caller must compute the size first.
/// </remarks>
public static class ZmtpWriter
{
    /// <summary>The largest body of a frame with a short header.</summary>
    public const int MaxShortBody = byte.MaxValue;

    /// <summary>The size of the largest header of a frame.</summary>
    public const int MaxHeaderSize = ZmtpLimits.LongHeaderSize;

    /// <summary>Returns the header size of a frame with a body of this length: 2 or 9.</summary>
    public static int HeaderSize(int bodyLength) => bodyLength <= MaxShortBody ? 2 : MaxHeaderSize;

    /// <summary>Returns the size of a frame, including its header.</summary>
    public static int FrameSize(int bodyLength) => HeaderSize(bodyLength) + bodyLength;

    /// <summary>Returns the size of a message of these frames, including their headers.</summary>
    public static long MessageSize(ReadOnlySpan<ReadOnlyMemory<byte>> frames)
    {
        long size = 0;
        foreach (ReadOnlyMemory<byte> frame in frames)
        {
            size += HeaderSize(frame.Length) + (long)frame.Length;
        }

        return size;
    }

    /// <summary>
    /// Writes only a frame's header, for a body that is sent from other memory (gathered sends of large bodies).
    /// </summary>
    /// <param name="destination">At least <see cref="HeaderSize"/> octets.</param>
    /// <param name="bodyLength">Length of the body.</param>
    /// <param name="more">Whether another frame of the message follows.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int WriteHeader(Span<byte> destination, int bodyLength, bool more)
        => WriteHeader(destination, bodyLength, more ? ZmtpFlags.More : ZmtpFlags.None);

    /// <summary>Writes a frame.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int WriteFrame(Span<byte> destination, ReadOnlySpan<byte> body, bool more)
    {
        int header = WriteHeader(destination, body.Length, more);
        body.CopyTo(destination[header..]);
        return header + body.Length;
    }

    /// <summary>Writes a message of one frame.</summary>
    public static int WriteMessage(Span<byte> destination, ReadOnlySpan<byte> body) => WriteFrame(destination, body, more: false);

    /// <summary>Writes a message of two frames: topic and body, or envelope and body.</summary>
    public static int WriteMessage(Span<byte> destination, ReadOnlySpan<byte> first, ReadOnlySpan<byte> second)
    {
        int written = WriteFrame(destination, first, more: true);
        return written + WriteFrame(destination[written..], second, more: false);
    }

    /// <summary>Writes a message of any number of frames.</summary>
    /// <exception cref="ArgumentException">There is no frame, or the destination is too short.</exception>
    public static int WriteMessage(Span<byte> destination, ReadOnlySpan<ReadOnlyMemory<byte>> frames)
    {
        if (frames.IsEmpty)
        {
            throw new ArgumentException("A message has at least one frame.", nameof(frames));
        }

        int written = 0;
        for (int i = 0; i < frames.Length; i++)
        {
            written += WriteFrame(destination[written..], frames[i].Span, more: i + 1 < frames.Length);
        }

        return written;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int WriteHeader(Span<byte> destination, int bodyLength, ZmtpFlags flags)
    {
        if ((uint)bodyLength > MaxShortBody)
        {
            return WriteLongHeader(destination, bodyLength, flags);
        }

        // Write both octets with one store and one bounds check.
        BinaryPrimitives.WriteUInt16LittleEndian(destination, (ushort)((byte)flags | (bodyLength << 8)));
        return 2;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int WriteLongHeader(Span<byte> destination, int bodyLength, ZmtpFlags flags)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(bodyLength);
        BinaryPrimitives.WriteInt64BigEndian(destination[1..], bodyLength);
        destination[0] = (byte)(flags | ZmtpFlags.Long);
        return MaxHeaderSize;
    }
}
