namespace Broker.ZeroMq;

/// <summary>
/// The wire names of the socket types and the table of legal pairs (RFC 37, "The Socket-Type Property").
/// </summary>
internal static class ZmtpSocketTypes
{
    /// <summary>
    /// The number of socket types. The values of the enumeration run from 0 to this number minus one.
    /// </summary>
    public const int Count = (int)ZmtpSocketType.Peer + 1;

    /// <summary>Returns the name that is sent in the Socket-Type property. The span is static data.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is not a member of the enumeration.</exception>
    public static ReadOnlySpan<byte> Name(this ZmtpSocketType type) => type switch
    {
        ZmtpSocketType.Req => "REQ"u8,
        ZmtpSocketType.Rep => "REP"u8,
        ZmtpSocketType.Dealer => "DEALER"u8,
        ZmtpSocketType.Router => "ROUTER"u8,
        ZmtpSocketType.Pub => "PUB"u8,
        ZmtpSocketType.XPub => "XPUB"u8,
        ZmtpSocketType.Sub => "SUB"u8,
        ZmtpSocketType.XSub => "XSUB"u8,
        ZmtpSocketType.Push => "PUSH"u8,
        ZmtpSocketType.Pull => "PULL"u8,
        ZmtpSocketType.Pair => "PAIR"u8,
        ZmtpSocketType.Client => "CLIENT"u8,
        ZmtpSocketType.Server => "SERVER"u8,
        ZmtpSocketType.Radio => "RADIO"u8,
        ZmtpSocketType.Dish => "DISH"u8,
        ZmtpSocketType.Scatter => "SCATTER"u8,
        ZmtpSocketType.Gather => "GATHER"u8,
        ZmtpSocketType.Peer => "PEER"u8,
        _ => throw new ArgumentOutOfRangeException(nameof(type)),
    };

    /// <summary>
    /// Finds the type of a wire name. The match is exact, since the grammar of RFC 37 has upper case only.
    /// </summary>
    public static bool TryParse(ReadOnlySpan<byte> name, out ZmtpSocketType type)
    {
        for (type = ZmtpSocketType.Req; type <= ZmtpSocketType.Peer; type++)
        {
            if (name.SequenceEqual(type.Name()))
            {
                return true;
            }
        }

        type = default;
        return false;
    }

    /// <summary>Whether sockets of these two types may be connected. The relation is symmetric.</summary>
    public static bool CanConnect(ZmtpSocketType left, ZmtpSocketType right)
        => (uint)left < Count && (uint)right < Count && (Partners(left) & Bit(right)) != 0;

    /// <summary>Whether the identity of a peer of this type has a meaning: REQ, DEALER and ROUTER.</summary>
    public static bool HasIdentity(this ZmtpSocketType type)
        => type is ZmtpSocketType.Req or ZmtpSocketType.Dealer or ZmtpSocketType.Router;

    /// <summary>The type whose work a socket of a draft type does; null if the type is not a draft.</summary>
    public static ZmtpSocketType? Basis(this ZmtpSocketType type) => type switch
    {
        ZmtpSocketType.Client => ZmtpSocketType.Dealer,
        ZmtpSocketType.Server or ZmtpSocketType.Peer => ZmtpSocketType.Router,
        ZmtpSocketType.Radio => ZmtpSocketType.Pub,
        ZmtpSocketType.Dish => ZmtpSocketType.Sub,
        ZmtpSocketType.Scatter => ZmtpSocketType.Push,
        ZmtpSocketType.Gather => ZmtpSocketType.Pull,
        _ => null,
    };

    private static uint Partners(ZmtpSocketType type) => type switch
    {
        ZmtpSocketType.Req => Bit(ZmtpSocketType.Rep) | Bit(ZmtpSocketType.Router),
        ZmtpSocketType.Rep => Bit(ZmtpSocketType.Req) | Bit(ZmtpSocketType.Dealer),
        ZmtpSocketType.Dealer => Bit(ZmtpSocketType.Rep) | Bit(ZmtpSocketType.Dealer) | Bit(ZmtpSocketType.Router),
        ZmtpSocketType.Router => Bit(ZmtpSocketType.Req) | Bit(ZmtpSocketType.Dealer) | Bit(ZmtpSocketType.Router),
        ZmtpSocketType.Pub or ZmtpSocketType.XPub => Bit(ZmtpSocketType.Sub) | Bit(ZmtpSocketType.XSub),
        ZmtpSocketType.Sub or ZmtpSocketType.XSub => Bit(ZmtpSocketType.Pub) | Bit(ZmtpSocketType.XPub),
        ZmtpSocketType.Push => Bit(ZmtpSocketType.Pull),
        ZmtpSocketType.Pull => Bit(ZmtpSocketType.Push),

        ZmtpSocketType.Client => Bit(ZmtpSocketType.Server),
        ZmtpSocketType.Server => Bit(ZmtpSocketType.Client),
        ZmtpSocketType.Radio => Bit(ZmtpSocketType.Dish),
        ZmtpSocketType.Dish => Bit(ZmtpSocketType.Radio),
        ZmtpSocketType.Scatter => Bit(ZmtpSocketType.Gather),
        ZmtpSocketType.Gather => Bit(ZmtpSocketType.Scatter),

        // PAIR connects only to PAIR, and PEER only to PEER.
        _ => Bit(type),
    };

    private static uint Bit(ZmtpSocketType type) => 1u << (int)type;
}
