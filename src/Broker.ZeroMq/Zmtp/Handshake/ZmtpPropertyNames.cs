using System.Buffers;

namespace Broker.ZeroMq.Zmtp.Handshake;

/// <summary>The property names of RFC 37, and what a name may be made of.</summary>
internal static class ZmtpPropertyNames
{
    private static readonly SearchValues<byte> NameOctets =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+"u8);

    /// <summary>Socket-Type: one of the names of <see cref="ZmtpSocketTypes"/>.</summary>
    public static ReadOnlySpan<byte> SocketType => "Socket-Type"u8;

    /// <summary>Identity: 0 to 255 octets, the first not 0.</summary>
    public static ReadOnlySpan<byte> Identity => "Identity"u8;

    /// <summary>Whether all octets are legal in a name. Says nothing about its length.</summary>
    internal static bool IsLegal(ReadOnlySpan<byte> name) => !name.ContainsAnyExcept(NameOctets);
}
