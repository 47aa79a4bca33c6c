namespace Broker.ZeroMq.Mechanisms;

/// <summary>
/// The primitives that CURVE is made of (RFC 26, "Security Handshake"; those of NaCl's crypto_box). Broker.Cryptography has an implementation.
/// Stateless, any thread.
/// </summary>
public interface ICurveCryptography
{
    /// <summary>Computes the public key of a secret one (X25519, RFC 7748).</summary>
    /// <param name="secretKey">32 random octets.</param>
    /// <param name="publicKey">32 octets to be written.</param>
    void GetPublicKey(ReadOnlySpan<byte> secretKey, Span<byte> publicKey);

    /// <summary>Computes the key that two sides share: HSalsa20 of what X25519 agrees on (crypto_box_beforenm).</summary>
    /// <param name="secretKey">Our 32 octets.</param>
    /// <param name="publicKey">The other side's 32 octets, which may be anything.</param>
    /// <param name="sharedKey">32 octets to be written.</param>
    /// <returns>False when the other side's key is one with which everybody agrees on the same: a point of low order.</returns>
    bool TryAgree(ReadOnlySpan<byte> secretKey, ReadOnlySpan<byte> publicKey, Span<byte> sharedKey);

    /// <summary>Makes a box that is locked by a key.</summary>
    /// <param name="key">32 octets; copied.</param>
    ICurveBox CreateBox(ReadOnlySpan<byte> key);
}
