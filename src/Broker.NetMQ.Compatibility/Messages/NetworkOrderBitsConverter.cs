using System.Buffers.Binary;

namespace NetMQ;

/// <summary>Converts numbers to bytes and back, with the most significant byte first.</summary>
public static class NetworkOrderBitsConverter
{
    /// <summary>Reads two bytes from the beginning.</summary>
    public static short ToInt16(byte[] buffer) => BinaryPrimitives.ReadInt16BigEndian(Part(buffer, 0, 2));

    /// <summary>Reads two bytes from a position.</summary>
    public static ushort ToUInt16(byte[] buffer, int offset) => ToUInt16(buffer.AsSpan(), offset);

    /// <inheritdoc cref="ToUInt16(byte[], int)"/>
    public static ushort ToUInt16(Span<byte> buffer, int offset)
        => BinaryPrimitives.ReadUInt16BigEndian(Part(buffer, offset, 2));

    /// <summary>Writes a number into a new array of two bytes.</summary>
    public static byte[] GetBytes(short value)
    {
        byte[] bytes = new byte[sizeof(short)];
        PutInt16(value, bytes);
        return bytes;
    }

    /// <summary>Writes two bytes to the beginning.</summary>
    public static void PutInt16(short value, byte[] buffer) => BinaryPrimitives.WriteInt16BigEndian(buffer, value);

    /// <summary>Writes two bytes to a position.</summary>
    public static void PutUInt16(ushort value, byte[] buffer, int offset = 0)
        => PutUInt16(value, buffer.AsSpan(), offset);

    /// <inheritdoc cref="PutUInt16(ushort, byte[], int)"/>
    public static void PutUInt16(ushort value, Span<byte> buffer, int offset = 0)
        => BinaryPrimitives.WriteUInt16BigEndian(buffer[offset..], value);

    /// <summary>Reads four bytes from a position.</summary>
    public static int ToInt32(byte[] buffer, int offset = 0)
        => BinaryPrimitives.ReadInt32BigEndian(Part(buffer, offset, 4));

    /// <summary>Reads four bytes from the beginning.</summary>
    public static int ToInt32(Span<byte> buffer) => BinaryPrimitives.ReadInt32BigEndian(Part(buffer, 0, 4));

    /// <summary>Writes a number into a new array of four bytes.</summary>
    public static byte[] GetBytes(int value)
    {
        byte[] bytes = new byte[sizeof(int)];
        PutInt32(value, bytes);
        return bytes;
    }

    /// <summary>Writes four bytes to a position.</summary>
    public static void PutInt32(int value, byte[] buffer, int offset = 0)
        => BinaryPrimitives.WriteInt32BigEndian(buffer.AsSpan(offset), value);

    /// <summary>Writes four bytes to the beginning.</summary>
    public static void PutInt32(int value, Span<byte> buffer) => BinaryPrimitives.WriteInt32BigEndian(buffer, value);

    /// <summary>Reads eight bytes from the beginning.</summary>
    public static long ToInt64(byte[] buffer) => BinaryPrimitives.ReadInt64BigEndian(Part(buffer, 0, 8));

    /// <inheritdoc cref="ToInt64(byte[])"/>
    public static long ToInt64(Span<byte> buffer) => BinaryPrimitives.ReadInt64BigEndian(Part(buffer, 0, 8));

    /// <summary>Writes a number into a new array of eight bytes.</summary>
    public static byte[] GetBytes(long value)
    {
        byte[] bytes = new byte[sizeof(long)];
        PutInt64(value, bytes);
        return bytes;
    }

    /// <summary>Writes eight bytes to the beginning.</summary>
    public static void PutInt64(long value, byte[] buffer) => BinaryPrimitives.WriteInt64BigEndian(buffer, value);

    /// <inheritdoc cref="PutInt64(long, byte[])"/>
    public static void PutInt64(long value, Span<byte> buffer) => BinaryPrimitives.WriteInt64BigEndian(buffer, value);

    /// <inheritdoc cref="PutInt64(long, byte[])"/>
    public static void PutUInt64(ulong value, Span<byte> buffer)
        => BinaryPrimitives.WriteUInt64BigEndian(buffer, value);

    /// <summary>Writes eight bytes to a position.</summary>
    public static void PutUInt64(ulong value, byte[] buffer, int offset)
        => BinaryPrimitives.WriteUInt64BigEndian(buffer.AsSpan(offset), value);

    /// <summary>Reads eight bytes from a position.</summary>
    public static ulong ToUInt64(byte[] buffer, int offset) => ToUInt64(buffer.AsSpan(), offset);

    /// <inheritdoc cref="ToUInt64(byte[], int)"/>
    public static ulong ToUInt64(Span<byte> buffer, int offset)
        => BinaryPrimitives.ReadUInt64BigEndian(Part(buffer, offset, 8));

    // NetMQ reads byte by byte, so that a buffer that is too short throws IndexOutOfRangeException.
    private static Span<byte> Part(Span<byte> buffer, int offset, int size)
    {
        _ = buffer[offset + size - 1];
        return buffer.Slice(offset, size);
    }
}
