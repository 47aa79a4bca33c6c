using System.Security.Cryptography;

namespace Broker.ZeroMq;

/// <summary>
/// Encrypts and decrypts whole texts as boxes. A box is the authenticator followed by the encrypted text.
/// </summary>
internal static class CurveBoxes
{
    internal const int KeySize = 32;
    internal const int TagSize = 16;
    internal const int NonceSize = 24;

    /// <summary>
    /// Creates a box with the shared key of a secret key and a public key. Returns null if
    /// <see cref="ICurveCryptography.TryAgree"/> refuses the public key.
    /// </summary>
    internal static ICurveBox? CreateBoxOrNull(this ICurveCryptography cryptography, ReadOnlySpan<byte> secretKey, ReadOnlySpan<byte> publicKey)
    {
        Span<byte> shared = stackalloc byte[KeySize];
        ICurveBox? box = cryptography.TryAgree(secretKey, publicKey, shared) ? cryptography.CreateBox(shared) : null;
        CryptographicOperations.ZeroMemory(shared);
        return box;
    }

    /// <summary>Writes the box of a text. The box is 16 octets longer than the text.</summary>
    internal static void Seal(this ICurveBox box, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> text, Span<byte> sealedText)
    {
        Span<byte> encrypted = sealedText.Slice(TagSize, text.Length);
        box.Begin(nonce);
        box.Transform(text, encrypted);
        box.Authenticate(encrypted);
        box.GetTag(sealedText[..TagSize]);
    }

    /// <summary>
    /// Decrypts a box. Returns false and writes nothing if the box was changed or has another key or nonce.
    /// </summary>
    internal static bool TryOpen(this ICurveBox box, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> sealedText, Span<byte> text)
    {
        ReadOnlySpan<byte> encrypted = sealedText[TagSize..];
        box.Begin(nonce);
        if (!box.IsGenuine(sealedText[..TagSize], encrypted))
        {
            return false;
        }

        box.Transform(encrypted, text[..encrypted.Length]);
        return true;
    }

    /// <summary>
    /// Whether the tag is the authenticator of the encrypted text. Call <see cref="ICurveBox.Begin"/> first.
    /// </summary>
    internal static bool IsGenuine(this ICurveBox box, ReadOnlySpan<byte> tag, ReadOnlySpan<byte> encrypted)
    {
        Span<byte> expected = stackalloc byte[TagSize];
        box.Authenticate(encrypted);
        box.GetTag(expected);
        return CryptographicOperations.FixedTimeEquals(expected, tag);
    }
}
