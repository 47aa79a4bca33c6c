namespace Broker.ZeroMq;

/// <summary>
/// XSalsa20 and Poly1305 with one key, as in NaCl's crypto_secretbox. A nonce starts a new key stream: its first 32
/// octets are the key of the authenticator, and the following octets encrypt the text. The authenticator is computed
/// over the encrypted text.
/// </summary>
/// <remarks>
/// A box processes one text at a time, in parts: call <see cref="Begin"/>, then any number of times
/// <see cref="Transform"/> and <see cref="Authenticate"/>, then <see cref="GetTag"/>. Only one thread at a time may use
/// a box.
/// </remarks>
public interface ICurveBox : IDisposable
{
    /// <summary>Starts a text with a nonce of 24 octets.</summary>
    void Begin(ReadOnlySpan<byte> nonce);

    /// <summary>Encrypts or decrypts the next part of the text.</summary>
    /// <param name="source">The part.</param>
    /// <param name="destination">
    /// The result. It is as long as the source and either the same memory or memory that does not overlap.
    /// </param>
    void Transform(ReadOnlySpan<byte> source, Span<byte> destination);

    /// <summary>Adds the next part of the encrypted text to the authenticator.</summary>
    void Authenticate(ReadOnlySpan<byte> encrypted);

    /// <summary>Writes the 16 octets of the authenticator.</summary>
    void GetTag(Span<byte> tag);
}
