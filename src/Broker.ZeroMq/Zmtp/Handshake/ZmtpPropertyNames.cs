using System.Buffers;

namespace Broker.ZeroMq;

/// <summary>The property names of RFC 37, and the characters that a name may contain.</summary>
internal static class ZmtpPropertyNames
{
    private static readonly SearchValues<byte> NameOctets =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+"u8);

    /// <summary>Socket-Type: one of the names of <see cref="ZmtpSocketTypes"/>.</summary>
    public static ReadOnlySpan<byte> SocketType => "Socket-Type"u8;

    /// <summary>Identity: 0 to 255 octets that do not begin with 0.</summary>
    public static ReadOnlySpan<byte> Identity => "Identity"u8;

    /// <summary>
    /// X-Reconnects: the peer connects again after an ERROR command, although RFC 23 forbids it. So it can be told why
    /// it is refused, even if the reason may pass.
    /// </summary>
    public static ReadOnlySpan<byte> Reconnects => "X-Reconnects"u8;

    /// <summary>Whether all octets are legal in a name. It does not check the length.</summary>
    internal static bool IsLegal(ReadOnlySpan<byte> name) => !name.ContainsAnyExcept(NameOctets);
}
