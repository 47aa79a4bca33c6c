using System.Security.Cryptography;
using System.Text;

namespace Broker.Server;

/// <summary>A configured password or token, in plain text or as a bcrypt hash.</summary>
internal sealed class Secret
{
    // All digests have the same length, so the time of a comparison does not reveal the length of the secret.
    private readonly byte[] _digest;

    internal Secret(string given, string owner, IPasswordVerifier? verifier)
    {
        _digest = Digest(given);
        if (!LooksHashed(given))
        {
            return;
        }

        Hash = given;
        if (verifier is null)
        {
            throw new ArgumentException(
                $"The password of {owner} is a bcrypt hash: set {nameof(BrokerServerOptions.PasswordVerifier)}, for "
                + "example with the package Broker.Cryptography.");
        }

        if (!verifier.IsValid(given))
        {
            throw new ArgumentException(
                $"The password of {owner} is not a valid bcrypt hash: it must have 60 characters.");
        }
    }

    /// <summary>The bcrypt hash; null if the secret is plain text.</summary>
    internal string? Hash { get; }

    /// <summary>Compares a text with a plain text secret in constant time.</summary>
    internal bool Matches(string given) => CryptographicOperations.FixedTimeEquals(_digest, Digest(given));

    private static byte[] Digest(string text) => SHA256.HashData(Encoding.UTF8.GetBytes(text));

    // nats-server distinguishes hashes from plain text in the same way.
    private static bool LooksHashed(string given)
        => given is ['$', '2', 'a' or 'b' or 'x' or 'y', '$', >= '0' and <= '9', >= '0' and <= '9', '$', ..];
}
