namespace Broker.Server.Security;

/// <summary>Checks Ed25519 signatures (RFC 8032). The package <c>Broker.Cryptography</c> has one.</summary>
/// <remarks>Called on thread-pool threads.</remarks>
public interface ISignatureVerifier
{
    /// <summary>Whether the signature is of the message and by the key; false for whatever is malformed.</summary>
    /// <param name="publicKey">32 bytes.</param>
    /// <param name="message">What was signed.</param>
    /// <param name="signature">64 bytes, or any number from a hostile peer.</param>
    bool Verify(ReadOnlySpan<byte> publicKey, ReadOnlySpan<byte> message, ReadOnlySpan<byte> signature);
}
