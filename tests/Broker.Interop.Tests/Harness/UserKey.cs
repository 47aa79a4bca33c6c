using System.Buffers.Binary;
using System.Security.Cryptography;
using Org.BouncyCastle.Crypto.Parameters;

namespace Broker.Interop.Tests.Harness;

/// <summary>
/// A user nkey made for a test: prefix, 32 bytes and a CRC-16 (XMODEM, little-endian) of both, in base32 (RFC 4648, no
/// padding). The seed's prefix has two bytes; the bits from the ninth on give the type of the key.
/// </summary>
internal sealed record UserKey(string Public, string Seed)
{
    private const byte User = 20 << 3;
    private const byte PrivateSeed = 18 << 3;

    public static UserKey Create()
    {
        byte[] seed = RandomNumberGenerator.GetBytes(32);
        byte[] key = new Ed25519PrivateKeyParameters(seed, 0).GeneratePublicKey().GetEncoded();
        return new UserKey(Encode([User, .. key]), Encode([PrivateSeed | (User >> 5), (User & 31) << 3, .. seed]));
    }

    /// <summary>The options of a session that signs with the key.</summary>
    public string[] Options => [$"nkey={Seed}", $"public={Public}"];

    private static string Encode(byte[] bytes)
    {
        const string Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
        byte[] checkedBytes = new byte[bytes.Length + 2];
        bytes.CopyTo(checkedBytes, 0);
        BinaryPrimitives.WriteUInt16LittleEndian(checkedBytes.AsSpan(bytes.Length), Crc(bytes));

        char[] text = new char[((checkedBytes.Length * 8) + 4) / 5];
        for (int i = 0; i < text.Length; i++)
        {
            int bit = i * 5;
            int two = checkedBytes[bit / 8] << 8 | (bit / 8 + 1 < checkedBytes.Length ? checkedBytes[bit / 8 + 1] : 0);
            text[i] = Alphabet[two >> (11 - bit % 8) & 31];
        }

        return new string(text);
    }

    private static ushort Crc(ReadOnlySpan<byte> bytes)
    {
        int crc = 0;
        foreach (byte b in bytes)
        {
            crc ^= b << 8;
            for (int i = 0; i < 8; i++)
            {
                crc = (crc & 0x8000) != 0 ? (crc << 1) ^ 0x1021 : crc << 1;
            }
        }

        return (ushort)crc;
    }
}
