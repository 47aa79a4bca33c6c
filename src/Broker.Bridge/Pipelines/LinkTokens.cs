using System.Security.Cryptography;

namespace Broker.Bridge;

/// <summary>
/// Tokens that prove that an ingress receives what an egress sends to one of its links. A token is an HMAC of the
/// link's name with a key that only this egress has, so tokens need not be stored.
/// </summary>
internal sealed class LinkTokens
{
    private const int CodeBytes = 12;

    private readonly byte[] _key = RandomNumberGenerator.GetBytes(HMACSHA256.HashSizeInBytes);

    /// <summary>The length of a token in characters.</summary>
    internal const int Length = 2 * CodeBytes;

    /// <summary>Writes the token of a link.</summary>
    internal void Write(ReadOnlySpan<byte> link, Span<byte> token)
    {
        Span<byte> code = stackalloc byte[HMACSHA256.HashSizeInBytes];
        HMACSHA256.HashData(_key, link, code);
        Convert.TryToHexStringLower(code[..CodeBytes], token, out _);
    }

    /// <summary>Whether this is the token of the link.</summary>
    internal bool IsOf(ReadOnlySpan<byte> link, ReadOnlySpan<byte> token)
    {
        Span<byte> expected = stackalloc byte[Length];
        Write(link, expected);
        return CryptographicOperations.FixedTimeEquals(expected, token);
    }
}
