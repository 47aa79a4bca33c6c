using System.Buffers.Binary;

namespace Broker.Cryptography;

/// <summary>
/// The text of keys and seeds: base32 (RFC 4648, no padding) of bytes and their CRC-16 (XMODEM, little-endian).
/// </summary>
internal static class NkeyText
{
    private const string Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

    /// <summary>Appends the checksum to the bytes and encodes them.</summary>
    internal static string Encode(ReadOnlySpan<byte> bytes)
    {
        byte[] all = [.. bytes, 0, 0];
        BinaryPrimitives.WriteUInt16LittleEndian(all.AsSpan(bytes.Length), Crc(bytes));
        return EncodeBase32(all);
    }

    internal static string EncodeBase32(byte[] all) => string.Create(((all.Length * 8) + 4) / 5, all, static (text, all) =>
    {
        for (int i = 0; i < text.Length; i++)
        {
            int bit = i * 5;
            int two = (all[bit / 8] << 8) | ((bit / 8) + 1 < all.Length ? all[(bit / 8) + 1] : 0);
            text[i] = Alphabet[(two >> (11 - (bit % 8))) & 31];
        }
    });

    /// <summary>Decodes a text to exactly these bytes and compares the checksum, which is in their last two.</summary>
    internal static bool TryDecode(ReadOnlySpan<char> text, Span<byte> bytes)
    {
        int held = 0;
        int bits = 0;
        int length = 0;
        foreach (char c in text)
        {
            int value = Alphabet.IndexOf(c, StringComparison.Ordinal);
            if (value < 0 || length == bytes.Length)
            {
                return false;
            }

            held = ((held << 5) | value) & 0xFFF;
            bits += 5;
            if (bits >= 8)
            {
                bits -= 8;
                bytes[length++] = (byte)(held >> bits);
            }
        }

        // The bits that are left over must be zero, so that the bytes have only one text.
        return length == bytes.Length && (held & ((1 << bits) - 1)) == 0
            && BinaryPrimitives.ReadUInt16LittleEndian(bytes[^2..]) == Crc(bytes[..^2]);
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
