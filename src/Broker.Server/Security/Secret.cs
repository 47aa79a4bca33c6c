using System.Security.Cryptography;
using System.Text;

namespace Broker.Server.Security;

/// <summary>A password or token that the server was given, in clear or as a bcrypt hash.</summary>
internal sealed class Secret
{
    // Of equal length whatever was given, so that a compare tells nothing of lengths either.
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
                $"The password of {owner} is a bcrypt hash, and there is no {nameof(BrokerServerOptions.PasswordVerifier)}: "
                + "use the package Broker.Cryptography.");
        }

        if (!verifier.IsValid(given))
        {
            throw new ArgumentException($"The password of {owner} looks like a bcrypt hash and is none.");
        }
    }

    /// <summary>Null when it was given in clear.</summary>
    internal string? Hash { get; }

    /// <summary>In constant time. Only for one that was given in clear.</summary>
    internal bool Matches(string given) => CryptographicOperations.FixedTimeEquals(_digest, Digest(given));

    private static byte[] Digest(string text) => SHA256.HashData(Encoding.UTF8.GetBytes(text));

    // As nats-server tells them apart.
    private static bool LooksHashed(string given)
        => given is ['$', '2', 'a' or 'b' or 'x' or 'y', '$', >= '0' and <= '9', >= '0' and <= '9', '$', ..];
}
