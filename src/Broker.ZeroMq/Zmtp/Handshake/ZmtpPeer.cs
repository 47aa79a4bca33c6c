namespace Broker.ZeroMq;

/// <summary>
/// The facts that a peer sends in its greeting and metadata. The object owns copies of them and stays valid after the
/// handshake.
/// </summary>
internal sealed class ZmtpPeer
{
    /// <summary>The major version of a peer of ZMTP/2.0, which sends 1 or 2.</summary>
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

    /// <summary>The major version of the peer's greeting; 2 for a peer of ZMTP/2.0.</summary>
    public byte Major { get; }

    /// <summary>The minor version of the peer's greeting.</summary>
    public byte Minor { get; }

    /// <summary>The peer's socket type.</summary>
    public ZmtpSocketType SocketType { get; private set; }

    /// <summary>The peer's identity. It is empty if the peer sent none, or if its socket type has none.</summary>
    public ReadOnlyMemory<byte> Identity { get; private set; }

    /// <summary>Whether the peer's version has commands, such as ERROR.</summary>
    public bool UnderstandsCommands => Major >= 3;

    /// <summary>Whether the peer has announced that it connects again after an ERROR command.</summary>
    internal bool ReconnectsAfterError => TryGetProperty(ZmtpPropertyNames.Reconnects, out _);

    /// <summary>
    /// Whether subscriptions must be sent to this peer as commands (3.1 and above) and not as messages.
    /// </summary>
    public bool UsesSubscribeCommands => IsOf31;

    /// <summary>
    /// Whether the peer's version has PING (3.1 and above). Some peers of an older version answer it too, such as
    /// NetMQ.
    /// </summary>
    public bool UnderstandsPing => IsOf31;

    /// <summary>Whether the peer's version is ZMTP 3.1 or above.</summary>
    internal bool IsOf31 => Major > 3 || (Major == 3 && Minor >= 1);

    /// <summary>All properties as the peer sent them. They are well-formed.</summary>
    public ZmtpMetadataReader Properties => new(_metadata);

    /// <summary>Finds a property by name, ignoring case. The value is valid as long as the peer object.</summary>
    public bool TryGetProperty(ReadOnlySpan<byte> name, out ReadOnlySpan<byte> value)
    {
        ZmtpMetadataReader reader = Properties;
        while (reader.Read(out ZmtpProperty property))
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

    /// <summary>Checks and stores the peer's metadata. A mechanism calls it once in a handshake.</summary>
    /// <remarks>
    /// A missing Socket-Type is refused, although RFC 37 only recommends the property: the rules of the socket patterns
    /// cannot be enforced without it. The identity is read only from REQ, DEALER and ROUTER peers, because RFC 37
    /// requires that the identity of all other peers is ignored.
    /// </remarks>
    public ZmtpError ReadMetadata(ReadOnlySpan<byte> metadata)
    {
        ZmtpError error = Find(metadata, out bool hasType, out ReadOnlySpan<byte> typeName, out ReadOnlySpan<byte> identity);
        if (error != ZmtpError.None)
        {
            return error;
        }

        if (!hasType)
        {
            return ZmtpError.SocketTypeMissing;
        }

        if (!ZmtpSocketTypes.TryParse(typeName, out ZmtpSocketType type))
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

    /// <summary>Checks and stores the socket type and the identity of a peer of ZMTP/2.0.</summary>
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

        ZmtpError error = CheckIdentity(identity);
        if (error != ZmtpError.None)
        {
            return error;
        }

        SocketType = type;
        Identity = identity.ToArray();
        return ZmtpError.None;
    }

    // ZMTP reserves identities that begin with a zero octet, but libzmq and NetMQ take them from options and from
    // peers.
    internal static ZmtpError CheckIdentity(ReadOnlySpan<byte> identity)
        => identity.Length > MaxIdentityLength ? ZmtpError.IdentityTooLong : ZmtpError.None;

    private static ZmtpError Find(
        ReadOnlySpan<byte> metadata, out bool hasType, out ReadOnlySpan<byte> typeName, out ReadOnlySpan<byte> identity)
    {
        typeName = default;
        identity = default;
        hasType = false;
        bool hasIdentity = false;
        var reader = new ZmtpMetadataReader(metadata);
        while (reader.Read(out ZmtpProperty property))
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
