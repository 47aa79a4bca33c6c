using System.Buffers.Binary;
using System.Security.Cryptography;
using Broker.Transport;
using Org.BouncyCastle.Math.EC.Rfc8032;

namespace Broker.Cryptography;

/// <summary>
/// A user's key pair, and the user's JWT if there is one. A client authenticates itself with them. Immutable and
/// thread-safe.
/// </summary>
/// <remarks>
/// A user seed is base32 text (RFC 4648, no padding) of two prefix bytes, the 32 bytes of the Ed25519 seed, and a
/// CRC-16 (XMODEM, little-endian) of the prefix and the seed. No error text and no <see cref="ToString"/> contains the
/// seed or the JWT.
/// </remarks>
/// <example><code>
/// var credentials = UserCredentials.Load("user.creds");
/// var options = new ClientOptions { Nkey = credentials.PublicKey, Jwt = () => credentials.Jwt, Sign = credentials.Sign
/// };
/// </code></example>
public sealed class UserCredentials
{
    private const string Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private const int SeedPrefix = 18;
    private const int UserPrefix = 20;
    private const int SeedLength = 2 + 32 + 2;
    private const int MaxFile = 1024 * 1024;

    private readonly byte[] _seed;

    private UserCredentials(byte[] seed, string? jwt)
    {
        _seed = seed;
        Jwt = jwt;
        byte[] key = new byte[Ed25519.PublicKeySize];
        Ed25519.GeneratePublicKey(seed, 0, key, 0);
        PublicKey = Encode([UserPrefix << 3, .. key]);
    }

    /// <summary>The public user nkey: 56 characters that begin with <c>U</c>.</summary>
    public string PublicKey { get; }

    /// <summary>The JWT of the credentials file; null if the file contains only a seed.</summary>
    public string? Jwt { get; }

    /// <summary>Generates a new key pair.</summary>
    public static UserCredentials Generate() => new(RandomNumberGenerator.GetBytes(Ed25519.SecretKeySize), null);

    /// <summary>Parses a user seed: 58 characters that begin with <c>SU</c>.</summary>
    /// <exception cref="FormatException">The text is not a user seed.</exception>
    public static UserCredentials FromSeed(string seed)
    {
        ArgumentNullException.ThrowIfNull(seed);
        return new UserCredentials(Decode(seed.Trim()), null);
    }

    /// <summary>
    /// Reads a credentials file, which contains a block with a JWT and a block with a seed, or only a seed.
    /// </summary>
    /// <exception cref="IOException">The file cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">Access to the file is denied.</exception>
    /// <exception cref="FormatException">The file is not a credentials file.</exception>
    public static UserCredentials Load(string file)
    {
        ArgumentNullException.ThrowIfNull(file);
        string text;
        try
        {
            text = BoundedFile.ReadText(file, MaxFile);
        }
        catch (InvalidDataException e)
        {
            throw new FormatException($"'{file}' is not a credentials file: it is larger than 1 MiB.", e);
        }

        string? jwt = null;
        string? seed = null;
        // Each block has one line of data between lines of dashes. Text outside the blocks is for human readers.
        foreach (string line in text.Split('\n').Select(static l => l.Trim()))
        {
            if (line.StartsWith("eyJ", StringComparison.Ordinal))
            {
                jwt ??= line;
            }
            else if (line.StartsWith("SU", StringComparison.Ordinal) && !line.Contains(' ', StringComparison.Ordinal))
            {
                seed ??= line;
            }
        }

        return seed is null
            ? throw new FormatException($"'{file}' is not a credentials file: it has no user seed.")
            : new UserCredentials(Decode(seed), jwt);
    }

    /// <summary>Signs the nonce of a server. The signature has 64 bytes.</summary>
    public byte[] Sign(ReadOnlyMemory<byte> nonce)
    {
        byte[] message = nonce.ToArray();
        byte[] signature = new byte[Ed25519.SignatureSize];
        Ed25519.Sign(_seed, 0, message, 0, message.Length, signature, 0);
        return signature;
    }

    /// <summary>
    /// Returns the seed, which is secret: 58 characters that begin with <c>SU</c>. <see cref="FromSeed"/> parses it.
    /// </summary>
    public string ExportSeed() => Encode([(SeedPrefix << 3) | (UserPrefix >> 2), (UserPrefix << 6) & 0xFF, .. _seed]);

    /// <summary>Returns the public key.</summary>
    public override string ToString() => PublicKey;

    private static byte[] Decode(string seed)
    {
        byte[] bytes = new byte[SeedLength];
        int held = 0;
        int bits = 0;
        int length = 0;
        foreach (char c in seed)
        {
            int value = Alphabet.IndexOf(c, StringComparison.Ordinal);
            if (value < 0 || length == SeedLength)
            {
                throw NoSeed();
            }

            held = ((held << 5) | value) & 0xFFF;
            bits += 5;
            if (bits >= 8)
            {
                bits -= 8;
                bytes[length++] = (byte)(held >> bits);
            }
        }

        // The last two bits must be zero, so that each seed has only one text.
        bool whole = length == SeedLength && (held & ((1 << bits) - 1)) == 0
            && BinaryPrimitives.ReadUInt16LittleEndian(bytes.AsSpan(SeedLength - 2)) == Crc(bytes.AsSpan(0, SeedLength - 2));
        bool user = bytes[0] >> 3 == SeedPrefix && (((bytes[0] & 7) << 5) | (bytes[1] >> 3)) == UserPrefix << 3;
        return whole && user ? bytes[2..^2] : throw NoSeed();
    }

    // The message does not contain the wrong text, because the text may be a secret seed with one wrong letter.
    private static FormatException NoSeed()
        => new("The text is not a user seed: it must have 58 base32 characters that begin with SU, with a valid checksum.");

    private static string Encode(byte[] bytes)
    {
        byte[] all = [.. bytes, 0, 0];
        BinaryPrimitives.WriteUInt16LittleEndian(all.AsSpan(bytes.Length), Crc(bytes));
        return string.Create(((all.Length * 8) + 4) / 5, all, static (text, all) =>
        {
            for (int i = 0; i < text.Length; i++)
            {
                int bit = i * 5;
                int two = (all[bit / 8] << 8) | ((bit / 8) + 1 < all.Length ? all[(bit / 8) + 1] : 0);
                text[i] = Alphabet[(two >> (11 - (bit % 8))) & 31];
            }
        });
    }

    private static ushort Crc(ReadOnlySpan<byte> bytes)
    {
        int crc = 0;
        foreach (byte value in bytes)
        {
            crc ^= value << 8;
            for (int i = 0; i < 8; i++)
            {
                crc = (crc & 0x8000) != 0 ? (crc << 1) ^ 0x1021 : crc << 1;
            }
        }

        return (ushort)crc;
    }
}
