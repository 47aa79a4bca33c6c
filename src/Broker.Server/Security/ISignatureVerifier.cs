namespace Broker.Server;

/// <summary>
/// Verifies Ed25519 signatures (RFC 8032). The package <c>Broker.Cryptography</c> contains an implementation.
/// </summary>
/// <remarks>The server calls the verifier on thread-pool threads.</remarks>
public interface ISignatureVerifier
{
    /// <summary>
    /// Whether a signature of the message was made with the private key that belongs to the public key. Returns false
    /// if an argument is malformed.
    /// </summary>
    /// <param name="publicKey">The public key: 32 bytes.</param>
    /// <param name="message">The signed message.</param>
    /// <param name="signature">The signature: 64 bytes, or any number of bytes from a hostile peer.</param>
    bool Verify(ReadOnlySpan<byte> publicKey, ReadOnlySpan<byte> message, ReadOnlySpan<byte> signature);
}
