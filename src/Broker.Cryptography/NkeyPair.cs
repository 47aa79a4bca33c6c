using System.Security.Cryptography;
using Org.BouncyCastle.Math.EC.Rfc7748;
using Org.BouncyCastle.Math.EC.Rfc8032;

namespace Broker.Cryptography;

/// <summary>
/// A key pair of an operator, an account, a user or a server, which signs; or a pair that encrypts. Immutable and
/// thread-safe.
/// </summary>
/// <remarks>
/// A seed is base32 text (RFC 4648, no padding) of two prefix bytes, 32 secret bytes, and a CRC-16 (XMODEM,
/// little-endian) of the prefix and these bytes. No error text and no <see cref="ToString"/> contains the seed.
/// </remarks>
public sealed partial class NkeyPair
{
    private const int SeedPrefix = 18;
    private const int SecretLength = 32;
    private const int SeedLength = 2 + SecretLength + 2;
    private const int PublicLength = 1 + 32 + 2;

    private readonly byte[] _secret;

    internal NkeyPair(NkeyKind kind, byte[] secret)
    {
        _secret = secret;
        Kind = kind;
        byte[] key = new byte[Ed25519.PublicKeySize];
        if (kind == NkeyKind.Curve)
        {
            X25519.ScalarMultBase(secret, 0, key, 0);
        }
        else
        {
            Ed25519.GeneratePublicKey(secret, 0, key, 0);
        }

        PublicKey = NkeyText.Encode([PrefixOf(kind), .. key]);
    }

    /// <summary>The owner of the pair.</summary>
    public NkeyKind Kind { get; }

    /// <summary>The public key: 56 characters, of which the first one shows the kind.</summary>
    public string PublicKey { get; }

    /// <summary>Generates a new key pair.</summary>
    public static NkeyPair Generate(NkeyKind kind) => new(kind, RandomNumberGenerator.GetBytes(SecretLength));

    /// <summary>Parses a seed: 58 characters that begin with <c>S</c> and the letter of the kind.</summary>
    /// <exception cref="FormatException">The text is not a seed of a known kind.</exception>
    public static NkeyPair FromSeed(string seed)
    {
        ArgumentNullException.ThrowIfNull(seed);
        // The message does not contain the wrong text, because the text may be a secret seed with one wrong letter.
        return Find(seed) ?? throw new FormatException(
            "The text is not a seed: it must have 58 base32 characters that begin with S and A, O, U, N or X, with a valid checksum.");
    }

    /// <summary>Whether a text is a public key of this kind.</summary>
    public static bool IsPublicKey(string? text, NkeyKind kind) => text is not null && TryDecodePublic(text, kind, out _);

    /// <summary>Signs a message. The Ed25519 signature has 64 bytes.</summary>
    /// <exception cref="InvalidOperationException">The pair is of the kind <see cref="NkeyKind.Curve"/>.</exception>
    public byte[] Sign(ReadOnlySpan<byte> message)
    {
        if (Kind == NkeyKind.Curve)
        {
            throw new InvalidOperationException("A curve key cannot sign.");
        }

        byte[] signature = new byte[Ed25519.SignatureSize];
        Ed25519.Sign(_secret, 0, message.ToArray(), 0, message.Length, signature, 0);
        return signature;
    }

    /// <summary>Returns the seed, which is secret. <see cref="FromSeed"/> parses it.</summary>
    public string ExportSeed()
    {
        int prefix = PrefixOf(Kind);
        return NkeyText.Encode([(byte)((SeedPrefix << 3) | (prefix >> 5)), (byte)((prefix & 31) << 3), .. _secret]);
    }

    /// <summary>Returns the public key.</summary>
    public override string ToString() => PublicKey;

    /// <summary>Parses a seed; null if the text is not a seed.</summary>
    internal static NkeyPair? Find(string seed)
    {
        byte[] bytes = new byte[SeedLength];
        if (!NkeyText.TryDecode(seed.AsSpan().Trim(), bytes) || bytes[0] >> 3 != SeedPrefix || (bytes[1] & 7) != 0)
        {
            return null;
        }

        int prefix = ((bytes[0] & 7) << 5) | (bytes[1] >> 3);
        foreach (NkeyKind kind in Enum.GetValues<NkeyKind>())
        {
            if (PrefixOf(kind) == prefix)
            {
                return new NkeyPair(kind, bytes[2..^2]);
            }
        }

        return null;
    }

    /// <summary>Decodes a public key of this kind to its 32 bytes.</summary>
    internal static bool TryDecodePublic(string text, NkeyKind kind, out byte[] key)
    {
        byte[] bytes = new byte[PublicLength];
        bool isValid = NkeyText.TryDecode(text, bytes) && bytes[0] == PrefixOf(kind);
        key = isValid ? bytes[1..^2] : [];
        return isValid;
    }

    private static byte PrefixOf(NkeyKind kind) => kind switch
    {
        NkeyKind.Account => 0,
        NkeyKind.Operator => 14 << 3,
        NkeyKind.User => 20 << 3,
        NkeyKind.Server => 13 << 3,
        NkeyKind.Curve => 23 << 3,
        _ => throw new ArgumentOutOfRangeException(nameof(kind), kind, "The kind must be a member of the enumeration."),
    };
}
