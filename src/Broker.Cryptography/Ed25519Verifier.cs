using Broker.Server;
using Org.BouncyCastle.Math.EC.Rfc8032;

namespace Broker.Cryptography;

/// <summary>Verifies Ed25519 signatures (RFC 8032, the pure variant). Stateless and thread-safe.</summary>
public sealed class Ed25519Verifier : ISignatureVerifier
{
    /// <inheritdoc/>
    public bool Verify(ReadOnlySpan<byte> publicKey, ReadOnlySpan<byte> message, ReadOnlySpan<byte> signature)
        => publicKey.Length == Ed25519.PublicKeySize && signature.Length == Ed25519.SignatureSize
            && Ed25519.Verify(signature.ToArray(), 0, publicKey.ToArray(), 0, message.ToArray(), 0, message.Length);
}
