using System.Buffers.Binary;

namespace Broker.ZeroMq;

/// <summary>Writes metadata properties one after another into the caller's memory.</summary>
internal ref struct ZmtpMetadataWriter
{
    private readonly Span<byte> _destination;

    /// <summary>Starts at the beginning of <paramref name="destination"/>.</summary>
    public ZmtpMetadataWriter(Span<byte> destination) => _destination = destination;

    /// <summary>The number of octets written so far.</summary>
    public int Written { get; private set; }

    /// <summary>Returns the size of one property.</summary>
    public static int Size(int nameLength, int valueLength) => 1 + nameLength + sizeof(uint) + valueLength;

    /// <summary>Adds a property.</summary>
    /// <exception cref="ArgumentException">
    /// The name is not legal (RFC 37: 1 to 255 letters, digits or "-_.+"), or there is not enough space.
    /// </exception>
    public void Add(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        if (name.Length is 0 or > byte.MaxValue || !ZmtpPropertyNames.IsLegal(name))
        {
            throw new ArgumentException("A property name has 1 to 255 letters, digits or -_.+ characters.", nameof(name));
        }

        Span<byte> room = _destination[Written..];
        if (room.Length < Size(name.Length, value.Length))
        {
            throw new ArgumentException("The destination is too small for the property.", nameof(value));
        }

        room[0] = (byte)name.Length;
        name.CopyTo(room[1..]);
        BinaryPrimitives.WriteInt32BigEndian(room[(1 + name.Length)..], value.Length);
        value.CopyTo(room[(1 + name.Length + sizeof(uint))..]);
        Written += Size(name.Length, value.Length);
    }
}
