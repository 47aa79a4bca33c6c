using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Broker.Server;

/// <summary>Accepts only client certificates with a known public key. Immutable.</summary>
internal sealed class PinnedKeys
{
    private readonly HashSet<string> _hashes;

    /// <param name="hashes">The SHA-256 hashes as hexadecimal digits.</param>
    /// <exception cref="ArgumentException">A text is not such a hash.</exception>
    internal PinnedKeys(IReadOnlyList<string> hashes)
    {
        _hashes = new HashSet<string>(hashes, StringComparer.OrdinalIgnoreCase);
        if (hashes.FirstOrDefault(static hash => !IsHash(hash)) is { } wrong)
        {
            throw new ArgumentException($"TLS: the pinned public key \"{wrong}\" is not a SHA-256 hash of 64 hexadecimal digits.");
        }
    }

    /// <summary>Whether a text is a SHA-256 hash as hexadecimal digits.</summary>
    internal static bool IsHash(string? text)
        => text is { Length: 2 * SHA256.HashSizeInBytes } && text.All(char.IsAsciiHexDigit);

    /// <summary>Validates a client certificate after its chain has been verified.</summary>
    /// <exception cref="AuthenticationException">The certificate is valid, but it is not pinned.</exception>
    internal bool Validate(object sender, X509Certificate? certificate, X509Chain? chain, SslPolicyErrors errors)
    {
        if (errors != SslPolicyErrors.None || certificate is null)
        {
            return false;
        }

        using var copy = new X509Certificate2(certificate);
        string hash = Convert.ToHexString(SHA256.HashData(copy.PublicKey.ExportSubjectPublicKeyInfo()));
        // The exception is the reason in the log.
        return _hashes.Contains(hash)
            ? true
            : throw new AuthenticationException($"the certificate of the client is not pinned: its public key is {hash.ToLowerInvariant()}");
    }
}
