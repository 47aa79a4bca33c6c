using System.Buffers.Binary;
using Org.BouncyCastle.Math.EC.Rfc8032;

namespace Broker.Cryptography;

/// <summary>
/// A user's key pair, and its JWT if it has one: what a client shows and signs with. Immutable, any thread.
/// </summary>
/// <remarks>
/// A user seed is base32 (RFC 4648, no padding) of two prefix bytes, the 32 bytes of the Ed25519 seed, and a CRC-16 (XMODEM,
/// little-endian) of both. No text that this class makes has the seed or the JWT in it.
/// </remarks>
/// <example><code>
/// var credentials = UserCredentials.Load("user.creds");
/// var options = new ClientOptions { Nkey = credentials.PublicKey, Jwt = () => credentials.Jwt, Sign = credentials.Sign };
/// </code></example>
public sealed class UserCredentials
{
    private const string Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private const int SeedPrefix = 18;
    private const int UserPrefix = 20;
    private const int SeedLength = 2 + 32 + 2;
    private const int MostFileBytes = 1024 * 1024;

    private readonly byte[] _seed;

    private UserCredentials(byte[] seed, string? jwt)
    {
        _seed = seed;
        Jwt = jwt;
        byte[] key = new byte[Ed25519.PublicKeySize];
        Ed25519.GeneratePublicKey(seed, 0, key, 0);
        PublicKey = Encode([UserPrefix << 3, .. key]);
    }

    /// <summary>The public user nkey: 56 characters, the first of them <c>U</c>.</summary>
    public string PublicKey { get; }

    /// <summary>The JWT as it stands in the file; null for a mere key.</summary>
    public string? Jwt { get; }

    /// <summary>Reads a user seed: 58 characters, the first two of them <c>SU</c>.</summary>
    /// <exception cref="FormatException">It is none.</exception>
    public static UserCredentials FromSeed(string seed)
    {
        ArgumentNullException.ThrowIfNull(seed);
        return new UserCredentials(Decode(seed.Trim()), null);
    }

    /// <summary>Reads a credentials file: a block with a JWT and a block with a seed, or the seed alone.</summary>
    /// <exception cref="IOException">The file cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be read.</exception>
    /// <exception cref="FormatException">It is no such file.</exception>
    public static UserCredentials Load(string file)
    {
        ArgumentNullException.ThrowIfNull(file);
        if (new FileInfo(file).Length > MostFileBytes)
        {
            throw new FormatException($"'{file}' is too large for credentials.");
        }

        string? jwt = null;
        string? seed = null;
        // Between lines of dashes each block has one line that counts; what stands around them is for people.
        foreach (string line in File.ReadAllLines(file).Select(l => l.Trim()))
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
            ? throw new FormatException($"'{file}' has no user seed.")
            : new UserCredentials(Decode(seed), jwt);
    }

    /// <summary>Signs what a server sent: 64 bytes.</summary>
    public byte[] Sign(ReadOnlyMemory<byte> nonce)
    {
        byte[] message = nonce.ToArray();
        byte[] signature = new byte[Ed25519.SignatureSize];
        Ed25519.Sign(_seed, 0, message, 0, message.Length, signature, 0);
        return signature;
    }

    /// <summary>The public key.</summary>
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

        // Two bits are left over; one seed has one spelling.
        bool whole = length == SeedLength && (held & ((1 << bits) - 1)) == 0
            && BinaryPrimitives.ReadUInt16LittleEndian(bytes.AsSpan(SeedLength - 2)) == Crc(bytes.AsSpan(0, SeedLength - 2));
        bool user = bytes[0] >> 3 == SeedPrefix && (((bytes[0] & 7) << 5) | (bytes[1] >> 3)) == UserPrefix << 3;
        return whole && user ? bytes[2..^2] : throw NoSeed();
    }

    // Not repeated: it may be a seed but for one letter.
    private static FormatException NoSeed() => new("This is no user seed: 58 letters and digits of base32 that begin with SU, with a checksum.");

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
