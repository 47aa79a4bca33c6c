namespace Broker.ZeroMq.Mechanisms;

/// <summary>
/// XSalsa20 and Poly1305 under one key, as NaCl's crypto_secretbox joins them: the first 32 octets of a nonce's key stream are the key of the
/// authenticator, those that follow go over the text; the authenticator is computed over the encrypted text.
/// </summary>
/// <remarks>
/// For a text in parts, at most one at a time: <see cref="Begin"/>, then any number of calls of <see cref="Transform"/> and
/// <see cref="Authenticate"/>, then <see cref="GetTag"/>. One thread at a time.
/// </remarks>
public interface ICurveBox : IDisposable
{
    /// <summary>Starts with a nonce of 24 octets.</summary>
    void Begin(ReadOnlySpan<byte> nonce);

    /// <summary>Encrypts or decrypts the next part of the text.</summary>
    /// <param name="source">The part.</param>
    /// <param name="destination">As long; the same memory, or memory that does not overlap.</param>
    void Transform(ReadOnlySpan<byte> source, Span<byte> destination);

    /// <summary>Counts the next part of the encrypted text in.</summary>
    void Authenticate(ReadOnlySpan<byte> encrypted);

    /// <summary>Writes the 16 octets of the authenticator over what was counted in.</summary>
    void GetTag(Span<byte> tag);
}
