using System.Text;

namespace NetMQ;

public partial struct Msg
{
    /// <summary>The bytes of a frame, which must stay initialised while the span is used.</summary>
    /// <param name="msg">The frame.</param>
#pragma warning disable CA2225 // Slice is the named alternative.
    public static implicit operator Span<byte>(Msg msg) => msg.Slice();

    /// <summary>The bytes of a frame, which must stay initialised while the span is used.</summary>
    public static implicit operator ReadOnlySpan<byte>(Msg msg) => msg.Slice();
#pragma warning restore CA2225

    /// <summary>The bytes. The span is valid until the frame is closed or sent.</summary>
    public readonly Span<byte> Slice() => Bytes;

    /// <summary>The bytes. The memory is valid until the frame is closed or sent.</summary>
    public readonly Memory<byte> SliceAsMemory() => _data.AsMemory(_offset, Size);

    /// <summary>The bytes from a position to the end.</summary>
    public readonly Span<byte> Slice(int offset) => Bytes[offset..];

    /// <summary>Some of the bytes.</summary>
    public readonly Span<byte> Slice(int offset, int count) => Bytes.Slice(offset, count);

    /// <summary>Copies the bytes.</summary>
    public readonly void CopyTo(Span<byte> span) => Bytes.CopyTo(span);

    /// <summary>Copies the bytes into a new array.</summary>
    public readonly byte[] ToArray() => Bytes.ToArray();

    /// <inheritdoc cref="ToArray"/>
    public readonly byte[] CloneData() => ToArray();

    /// <summary>Enumerates the bytes.</summary>
    public readonly Span<byte>.Enumerator GetEnumerator() => Bytes.GetEnumerator();

    /// <summary>The bytes as a string.</summary>
    public readonly string GetString(Encoding encoding)
    {
        ArgumentNullException.ThrowIfNull(encoding);
        return encoding.GetString(Bytes);
    }

    /// <summary>Some of the bytes as a string.</summary>
    public readonly string GetString(Encoding encoding, int offset, int count)
    {
        ArgumentNullException.ThrowIfNull(encoding);
        return encoding.GetString(Slice(offset, count));
    }

    /// <summary>Copies bytes from the beginning of an array into the frame.</summary>
    /// <param name="src">The array; null copies nothing.</param>
    /// <param name="dstOffset">The position in the frame.</param>
    /// <param name="len">The number of bytes.</param>
    public readonly void Put(byte[]? src, int dstOffset, int len) => Put(src, 0, dstOffset, len);

    /// <summary>Copies bytes of an array into the frame.</summary>
    /// <param name="src">The array; null copies nothing.</param>
    /// <param name="srcOffset">The position in the array.</param>
    /// <param name="dstOffset">The position in the frame.</param>
    /// <param name="len">The number of bytes.</param>
    public readonly void Put(byte[]? src, int srcOffset, int dstOffset, int len)
    {
        if (src is not null && len != 0)
        {
            Buffer.BlockCopy(src, srcOffset, _data!, _offset + dstOffset, len);
        }
    }

    /// <summary>Sets the first byte.</summary>
    public readonly void Put(byte b) => Put(b, 0);

    /// <summary>Sets one byte.</summary>
    public readonly void Put(byte b, int i) => _data![_offset + i] = b;

    /// <summary>Writes a string into the frame.</summary>
    /// <param name="encoding">The encoding.</param>
    /// <param name="str">The string.</param>
    /// <param name="index">The position in the frame.</param>
    public readonly void Put(Encoding encoding, string str, int index)
    {
        ArgumentNullException.ThrowIfNull(encoding);
        ArgumentNullException.ThrowIfNull(str);
        encoding.GetBytes(str, 0, str.Length, _data!, _offset + index);
    }

    /// <summary>Copies bytes into the frame.</summary>
    /// <param name="src">The bytes.</param>
    /// <param name="offset">The position in the frame.</param>
    public readonly void Put(Span<byte> src, int offset) => src.CopyTo(Slice(offset));
}
