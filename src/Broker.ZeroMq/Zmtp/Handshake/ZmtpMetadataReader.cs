using System.Buffers.Binary;

namespace Broker.ZeroMq;

/// <summary>
/// Reads metadata properties one after another: <c>while (reader.Read(out var property))</c>. Check the error after the
/// loop.
/// </summary>
/// <remarks>
/// Each property is a name length (1 octet), the name, a value length (4 octets, network order) and the value. A value
/// length is only compared with the number of remaining octets and never used to allocate.
/// </remarks>
internal ref struct ZmtpMetadataReader
{
    private ReadOnlySpan<byte> _rest;

    /// <summary>Reads the properties in <paramref name="metadata"/>.</summary>
    public ZmtpMetadataReader(ReadOnlySpan<byte> metadata) => _rest = metadata;

    /// <summary>Why <see cref="Read"/> returned false; None at the regular end.</summary>
    public ZmtpError Error { get; private set; }

    /// <summary>Reads the next property. Returns false at the end and after the first error.</summary>
    public bool Read(out ZmtpProperty property)
    {
        property = default;
        if (_rest.IsEmpty || Error != ZmtpError.None)
        {
            return false;
        }

        int nameLength = _rest[0];
        if (nameLength == 0)
        {
            return Refuse(ZmtpError.PropertyNameEmpty);
        }

        int valueOffset = 1 + nameLength + sizeof(uint);
        if (valueOffset > _rest.Length)
        {
            return Refuse(ZmtpError.PropertyTruncated);
        }

        ReadOnlySpan<byte> name = _rest.Slice(1, nameLength);
        if (!ZmtpPropertyNames.IsLegal(name))
        {
            return Refuse(ZmtpError.PropertyNameInvalid);
        }

        uint valueLength = BinaryPrimitives.ReadUInt32BigEndian(_rest[(1 + nameLength)..]);
        if (valueLength > int.MaxValue)
        {
            return Refuse(ZmtpError.PropertyLengthInvalid);
        }

        if (valueLength > (uint)(_rest.Length - valueOffset))
        {
            return Refuse(ZmtpError.PropertyTruncated);
        }

        property = new ZmtpProperty(name, _rest.Slice(valueOffset, (int)valueLength));
        _rest = _rest[(valueOffset + (int)valueLength)..];
        return true;
    }

    private bool Refuse(ZmtpError error)
    {
        Error = error;
        return false;
    }
}
