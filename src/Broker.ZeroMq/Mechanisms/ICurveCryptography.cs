namespace Broker.ZeroMq;

/// <summary>
/// The cryptographic primitives of CURVE (RFC 26, "Security Handshake"). They are the primitives of NaCl's crypto_box.
/// The package Broker.Cryptography contains an implementation. Implementations are stateless and thread-safe.
/// </summary>
public interface ICurveCryptography
{
    /// <summary>Computes the public key of a secret key (X25519, RFC 7748).</summary>
    /// <param name="secretKey">The secret key: 32 random octets.</param>
    /// <param name="publicKey">The result: 32 octets.</param>
    void GetPublicKey(ReadOnlySpan<byte> secretKey, Span<byte> publicKey);

    /// <summary>Computes the shared key of two sides: HSalsa20 of the result of X25519 (crypto_box_beforenm).</summary>
    /// <param name="secretKey">This side's secret key: 32 octets.</param>
    /// <param name="publicKey">The other side's public key: any 32 octets.</param>
    /// <param name="sharedKey">The result: 32 octets.</param>
    /// <returns>
    /// False if the other side's key is a point of low order. With such a key, every secret key gives the same shared
    /// key.
    /// </returns>
    bool TryAgree(ReadOnlySpan<byte> secretKey, ReadOnlySpan<byte> publicKey, Span<byte> sharedKey);

    /// <summary>Creates a box for a key.</summary>
    /// <param name="key">The key: 32 octets, which are copied.</param>
    ICurveBox CreateBox(ReadOnlySpan<byte> key);
}
