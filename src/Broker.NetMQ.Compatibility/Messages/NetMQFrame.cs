using System.Text;

namespace NetMQ;

/// <summary>One frame of a <see cref="NetMQMessage"/>: an array, of which the first bytes are the frame.</summary>
public class NetMQFrame : IEquatable<NetMQFrame>, IEquatable<byte[]>
{
    private int _messageSize;

    /// <summary>Uses a whole array, without a copy.</summary>
    /// <param name="buffer">The array; null makes an empty frame.</param>
    public NetMQFrame(byte[]? buffer)
    {
        Buffer = buffer ?? [];
        _messageSize = Buffer.Length;
    }

    /// <summary>Uses the first bytes of an array, without a copy.</summary>
    /// <param name="buffer">The array; null makes an empty frame.</param>
    /// <param name="length">The number of bytes.</param>
    /// <exception cref="ArgumentOutOfRangeException">The length is negative or larger than the array.</exception>
    public NetMQFrame(byte[]? buffer, int length)
        : this(buffer)
    {
        MessageSize = length;
    }

    /// <summary>Encodes a string in ASCII.</summary>
    public NetMQFrame(string message)
        : this(message, Encoding.ASCII)
    {
    }

    /// <summary>Encodes a string.</summary>
    public NetMQFrame(string message, Encoding encoding)
        : this(encoding.GetBytes(message))
    {
    }

    /// <summary>Creates a frame of zeros.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The length is negative.</exception>
    public NetMQFrame(int length)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        Buffer = new byte[length];
        _messageSize = length;
    }

    /// <summary>A new frame without bytes.</summary>
    public static NetMQFrame Empty => new(0);

    /// <summary>The number of bytes of the frame.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The number is negative or larger than the array.</exception>
    public int MessageSize
    {
        get => _messageSize;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, BufferSize);
            _messageSize = value;
        }
    }

    /// <summary>The array. It may be longer than the frame.</summary>
    public byte[] Buffer { get; }

    /// <summary>The size of the array.</summary>
    public int BufferSize => Buffer.Length;

    /// <summary>Whether the frame has no bytes.</summary>
    public bool IsEmpty => _messageSize == 0;

    /// <summary>Whether two frames have the same bytes.</summary>
    public static bool operator ==(NetMQFrame? one, NetMQFrame? other)
        => one is null ? other is null : one.Equals(other);

    /// <summary>Whether two frames have different bytes.</summary>
    public static bool operator !=(NetMQFrame? one, NetMQFrame? other) => !(one == other);

    /// <summary>Makes a frame with a copy of an array.</summary>
    public static NetMQFrame Copy(byte[] buffer)
    {
        ArgumentNullException.ThrowIfNull(buffer);
        return new NetMQFrame((byte[])buffer.Clone());
    }

    /// <summary>Makes a frame with a copy of another frame's array.</summary>
    public static NetMQFrame Copy(NetMQFrame frame)
    {
        ArgumentNullException.ThrowIfNull(frame);
        return frame.Duplicate();
    }

    /// <summary>Decodes the frame from ASCII.</summary>
    public string ConvertToString() => ConvertToString(Encoding.ASCII);

    /// <summary>Decodes the frame.</summary>
    public string ConvertToString(Encoding encoding) => encoding.GetString(Buffer, 0, _messageSize);

    /// <summary>Reads four bytes as a number, the most significant byte first.</summary>
    public int ConvertToInt32() => NetworkOrderBitsConverter.ToInt32(Buffer);

    /// <summary>Reads eight bytes as a number, the most significant byte first.</summary>
    public long ConvertToInt64() => NetworkOrderBitsConverter.ToInt64(Buffer);

    /// <summary>Makes a frame with a copy of this frame's array.</summary>
    public NetMQFrame Duplicate() => new((byte[])Buffer.Clone(), MessageSize);

    /// <summary>Whether the frame has the same bytes as an array.</summary>
    public bool Equals(byte[]? other) => other is not null && AsSpan().SequenceEqual(other);

    /// <summary>Whether two frames have the same bytes.</summary>
    public bool Equals(NetMQFrame? other) => other is not null && AsSpan().SequenceEqual(other.AsSpan());

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as NetMQFrame);

    /// <inheritdoc/>
    public override int GetHashCode()
    {
        var hash = default(HashCode);
        hash.AddBytes(AsSpan());
        return hash.ToHashCode();
    }

    /// <summary>Returns the frame's own array, or a copy of the bytes.</summary>
    /// <param name="copy">
    /// Whether to return an array of exactly <see cref="MessageSize"/> bytes. If the own array has this size, it is not
    /// copied.
    /// </param>
    public byte[] ToByteArray(bool copy = false)
        => copy && _messageSize != BufferSize ? AsSpan().ToArray() : Buffer;

    /// <summary>The bytes of the frame.</summary>
    public ReadOnlySpan<byte> AsSpan() => Buffer.AsSpan(0, _messageSize);
}
