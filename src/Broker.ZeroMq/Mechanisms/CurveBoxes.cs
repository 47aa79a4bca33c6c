using System.Security.Cryptography;

namespace Broker.ZeroMq.Mechanisms;

/// <summary>Whole texts into boxes and out of them: the authenticator, then the encrypted text.</summary>
internal static class CurveBoxes
{
    internal const int KeySize = 32;
    internal const int TagSize = 16;
    internal const int NonceSize = 24;

    /// <summary>Opens a box that is locked by what two keys agree on. Null when they agree on nothing.</summary>
    internal static ICurveBox? Between(this ICurveCryptography cryptography, ReadOnlySpan<byte> secretKey, ReadOnlySpan<byte> publicKey)
    {
        Span<byte> shared = stackalloc byte[KeySize];
        ICurveBox? box = cryptography.TryAgree(secretKey, publicKey, shared) ? cryptography.CreateBox(shared) : null;
        CryptographicOperations.ZeroMemory(shared);
        return box;
    }

    /// <summary>Writes the box of a text: 16 octets more.</summary>
    internal static void Seal(this ICurveBox box, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> text, Span<byte> sealedText)
    {
        Span<byte> encrypted = sealedText.Slice(TagSize, text.Length);
        box.Begin(nonce);
        box.Transform(text, encrypted);
        box.Authenticate(encrypted);
        box.GetTag(sealedText[..TagSize]);
    }

    /// <summary>Opens a box. False, with nothing written, when it is of another key or nonce, or was changed.</summary>
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

    /// <summary>After Begin: whether this is the authenticator of the encrypted text.</summary>
    internal static bool IsGenuine(this ICurveBox box, ReadOnlySpan<byte> tag, ReadOnlySpan<byte> encrypted)
    {
        Span<byte> expected = stackalloc byte[TagSize];
        box.Authenticate(encrypted);
        box.GetTag(expected);
        return CryptographicOperations.FixedTimeEquals(expected, tag);
    }
}
