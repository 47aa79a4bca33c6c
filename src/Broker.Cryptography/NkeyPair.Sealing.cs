using System.Security.Cryptography;
using Broker.ZeroMq;

namespace Broker.Cryptography;

// Encryption between two curve keys: the box of NaCl (X25519, XSalsa20 and Poly1305) behind a version and a nonce.
public sealed partial class NkeyPair
{
    private const int NonceLength = 24;
    private const int TagLength = 16;
    private const int SharedLength = 32;

    private static readonly CurveCryptography Curves = new();

    private static ReadOnlySpan<byte> Version => "xkv1"u8;

    /// <summary>
    /// Encrypts a message for the owner of a curve key. The owner can decrypt it only if it knows this public key.
    /// </summary>
    /// <param name="message">The message.</param>
    /// <param name="receiver">The public key of the receiver, which begins with <c>X</c>.</param>
    /// <exception cref="InvalidOperationException">The pair is not of the kind
    /// <see cref="NkeyKind.Curve"/>.</exception>
    /// <exception cref="CryptographicException">The other key is not a usable curve key.</exception>
    public byte[] Seal(ReadOnlySpan<byte> message, string receiver)
    {
        byte[] result = new byte[Version.Length + NonceLength + TagLength + message.Length];
        Version.CopyTo(result);
        Span<byte> nonce = result.AsSpan(Version.Length, NonceLength);
        RandomNumberGenerator.Fill(nonce);
        Span<byte> encrypted = result.AsSpan(Version.Length + NonceLength + TagLength);
        using ICurveBox box = BoxWith(receiver);
        box.Begin(nonce);
        box.Transform(message, encrypted);
        box.Authenticate(encrypted);
        box.GetTag(result.AsSpan(Version.Length + NonceLength, TagLength));
        return result;
    }

    /// <summary>Decrypts a message that the owner of a curve key has encrypted for this key.</summary>
    /// <param name="encrypted">The encrypted message.</param>
    /// <param name="sender">The public key of the sender, which begins with <c>X</c>.</param>
    /// <exception cref="InvalidOperationException">The pair is not of the kind
    /// <see cref="NkeyKind.Curve"/>.</exception>
    /// <exception cref="CryptographicException">The message is not one of this sender for this key.</exception>
    public byte[] Open(ReadOnlySpan<byte> encrypted, string sender)
    {
        int head = Version.Length + NonceLength + TagLength;
        if (encrypted.Length < head || !encrypted.StartsWith(Version))
        {
            throw new CryptographicException("The message is not encrypted with a curve key.");
        }

        ReadOnlySpan<byte> body = encrypted[head..];
        byte[] message = new byte[body.Length];
        byte[] tag = new byte[TagLength];
        using ICurveBox box = BoxWith(sender);
        box.Begin(encrypted.Slice(Version.Length, NonceLength));
        box.Authenticate(body);
        box.GetTag(tag);
        if (!CryptographicOperations.FixedTimeEquals(tag, encrypted.Slice(Version.Length + NonceLength, TagLength)))
        {
            throw new CryptographicException("The message was encrypted with other keys, or changed.");
        }

        box.Transform(body, message);
        return message;
    }

    private ICurveBox BoxWith(string other)
    {
        ArgumentNullException.ThrowIfNull(other);
        if (Kind != NkeyKind.Curve)
        {
            throw new InvalidOperationException("Only a curve key encrypts.");
        }

        byte[] shared = new byte[SharedLength];
        return TryDecodePublic(other, NkeyKind.Curve, out byte[] key) && Curves.TryAgree(_secret, key, shared)
            ? Curves.CreateBox(shared)
            : throw new CryptographicException("The other key is not a usable curve key.");
    }
}
