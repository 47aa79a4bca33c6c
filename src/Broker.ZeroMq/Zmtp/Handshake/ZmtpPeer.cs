namespace Broker.ZeroMq.Zmtp.Handshake;

/// <summary>What is known of a peer after its greeting and metadata. Owns copies of everything, so it outlives the handshake.</summary>
internal sealed class ZmtpPeer
{
    /// <summary>Major version of a peer of ZMTP/2.0, which says 1 or 2 for it.</summary>
    internal const byte Version2 = 2;

    private const int MaxIdentityLength = 255;

    private readonly ZmtpSocketType _ownType;
    private byte[] _metadata = [];

    internal ZmtpPeer(byte major, byte minor, ZmtpSocketType ownType)
    {
        Major = major;
        Minor = minor;
        _ownType = ownType;
    }

    /// <summary>Major version of the peer's greeting; 2 for a peer of ZMTP/2.0.</summary>
    public byte Major { get; }

    /// <summary>Minor version of the peer's greeting.</summary>
    public byte Minor { get; }

    /// <summary>The peer's socket type.</summary>
    public ZmtpSocketType SocketType { get; private set; }

    /// <summary>The peer's identity; empty when it gave none or its socket type has none.</summary>
    public ReadOnlyMemory<byte> Identity { get; private set; }

    /// <summary>Whether there are commands in its version, such as ERROR.</summary>
    public bool UnderstandsCommands => Major >= 3;

    /// <summary>Whether subscriptions go to this peer as commands (3.1 and above) rather than as messages.</summary>
    public bool UsesSubscribeCommands => IsOf31;

    /// <summary>Whether the peer can be expected to answer PING (3.1 and above).</summary>
    public bool UnderstandsPing => IsOf31;

    /// <summary>Whether it speaks ZMTP 3.1 or above.</summary>
    internal bool IsOf31 => Major > 3 || (Major == 3 && Minor >= 1);

    /// <summary>All properties as the peer sent them; they are known to be well formed.</summary>
    public ZmtpMetadataReader Properties => new(_metadata);

    /// <summary>Finds a property by name, whatever the case. The value is valid as long as the peer object.</summary>
    public bool TryGetProperty(ReadOnlySpan<byte> name, out ReadOnlySpan<byte> value)
    {
        var reader = Properties;
        while (reader.Read(out var property))
        {
            if (property.Is(name))
            {
                value = property.Value;
                return true;
            }
        }

        value = default;
        return false;
    }

    /// <summary>Checks and keeps the peer's metadata. For mechanisms, once per handshake.</summary>
    /// <remarks>
    /// A missing Socket-Type is refused, though RFC 37 only recommends it: without it no rule of the socket patterns can be kept.
    /// An identity is looked at only from REQ, DEALER and ROUTER peers; RFC 37 has it ignored from others.
    /// </remarks>
    public ZmtpError ReadMetadata(ReadOnlySpan<byte> metadata)
    {
        var error = Find(metadata, out bool hasType, out var typeName, out var identity);
        if (error != ZmtpError.None)
        {
            return error;
        }

        if (!hasType)
        {
            return ZmtpError.SocketTypeMissing;
        }

        if (!ZmtpSocketTypes.TryParse(typeName, out var type))
        {
            return ZmtpError.SocketTypeUnknown;
        }

        error = Take(type, identity);
        if (error == ZmtpError.None)
        {
            _metadata = metadata.ToArray();
        }

        return error;
    }

    /// <summary>Checks and keeps what a peer of ZMTP/2.0 says of itself.</summary>
    internal ZmtpError ReadVersion2(ZmtpSocketType type, ReadOnlySpan<byte> identity) => Take(type, identity);

    private ZmtpError Take(ZmtpSocketType type, ReadOnlySpan<byte> identity)
    {
        if (!ZmtpSocketTypes.CanConnect(_ownType, type))
        {
            return ZmtpError.SocketTypeIncompatible;
        }

        if (!type.HasIdentity())
        {
            identity = default;
        }

        var error = CheckIdentity(identity);
        if (error != ZmtpError.None)
        {
            return error;
        }

        SocketType = type;
        Identity = identity.ToArray();
        return ZmtpError.None;
    }

    internal static ZmtpError CheckIdentity(ReadOnlySpan<byte> identity)
    {
        if (identity.Length > MaxIdentityLength)
        {
            return ZmtpError.IdentityTooLong;
        }

        return !identity.IsEmpty && identity[0] == 0 ? ZmtpError.IdentityReserved : ZmtpError.None;
    }

    private static ZmtpError Find(
        ReadOnlySpan<byte> metadata, out bool hasType, out ReadOnlySpan<byte> typeName, out ReadOnlySpan<byte> identity)
    {
        typeName = default;
        identity = default;
        hasType = false;
        bool hasIdentity = false;
        var reader = new ZmtpMetadataReader(metadata);
        while (reader.Read(out var property))
        {
            if (property.Is(ZmtpPropertyNames.SocketType))
            {
                if (hasType)
                {
                    return ZmtpError.PropertyDuplicate;
                }

                typeName = property.Value;
                hasType = true;
            }
            else if (property.Is(ZmtpPropertyNames.Identity))
            {
                if (hasIdentity)
                {
                    return ZmtpError.PropertyDuplicate;
                }

                identity = property.Value;
                hasIdentity = true;
            }
        }

        return reader.Error;
    }
}
