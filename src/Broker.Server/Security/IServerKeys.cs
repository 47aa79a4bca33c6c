using System.Diagnostics.CodeAnalysis;

namespace Broker.Server;

/// <summary>
/// The key pairs of one server, with which it signs and encrypts requests to an auth callout service. The package
/// Broker.Cryptography has an implementation. Thread-safe.
/// </summary>
public interface IServerKeys
{
    /// <summary>The public key that verifies signatures: 56 characters that begin with <c>N</c>.</summary>
    string PublicKey { get; }

    /// <summary>The public key that encrypts: 56 characters that begin with <c>X</c>.</summary>
    string CurveKey { get; }

    /// <summary>Signs a message by Ed25519.</summary>
    byte[] Sign(ReadOnlySpan<byte> message);

    /// <summary>Encrypts a message for the owner of a key that begins with <c>X</c>.</summary>
    byte[] Seal(ReadOnlySpan<byte> message, string receiver);

    /// <summary>Decrypts a message that the owner of a key has encrypted for this server.</summary>
    /// <returns>False if the message is not such a message.</returns>
    bool TryOpen(ReadOnlySpan<byte> encrypted, string sender, [NotNullWhen(true)] out byte[]? message);
}
