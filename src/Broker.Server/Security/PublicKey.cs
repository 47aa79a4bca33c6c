using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;

namespace Broker.Server;

/// <summary>
/// Decodes public nkeys. An nkey consists of a prefix byte, an Ed25519 key of 32 bytes, and a CRC-16 (XMODEM,
/// little-endian) of the prefix and the key, in base32 (RFC 4648, no padding).
/// </summary>
internal static class PublicKey
{
    internal const int KeyLength = 32;

    private const int Characters = 56;
    private const int Bytes = 35;

    /// <summary>Decodes the key of a user.</summary>
    internal static bool TryDecode(string text, [NotNullWhen(true)] out byte[]? key) => TryDecode(text, KeyKind.User, out key);

    /// <summary>Whether a text is a valid public key of this kind.</summary>
    internal static bool IsValid(string? text, KeyKind kind) => text is not null && TryDecode(text, kind, out _);

    /// <summary>Decodes a key. Returns false if the text is not a valid key, or a key of another kind.</summary>
    internal static bool TryDecode(string text, KeyKind kind, [NotNullWhen(true)] out byte[]? key)
    {
        key = null;
        Span<byte> bytes = stackalloc byte[Bytes];
        if (text.Length != Characters || !TryDecodeBase32(text, bytes) || bytes[0] != (byte)kind
            || BinaryPrimitives.ReadUInt16LittleEndian(bytes[^2..]) != Crc(bytes[..^2]))
        {
            return false;
        }

        key = bytes[1..^2].ToArray();
        return true;
    }

    /// <summary>Encodes a key as text.</summary>
    internal static string Encode(KeyKind kind, ReadOnlySpan<byte> key)
    {
        byte[] bytes = [(byte)kind, .. key, 0, 0];
        BinaryPrimitives.WriteUInt16LittleEndian(bytes.AsSpan(bytes.Length - 2), Crc(bytes.AsSpan(0, bytes.Length - 2)));
        return string.Create(Characters, bytes, static (text, bytes) =>
        {
            for (int i = 0; i < text.Length; i++)
            {
                int bit = i * 5;
                int two = (bytes[bit / 8] << 8) | ((bit / 8) + 1 < bytes.Length ? bytes[(bit / 8) + 1] : 0);
                int value = (two >> (11 - (bit % 8))) & 31;
                text[i] = (char)(value < 26 ? 'A' + value : '2' + value - 26);
            }
        });
    }

    private static bool TryDecodeBase32(string text, Span<byte> bytes)
    {
        // 56 characters are 280 bits, which are exactly 35 bytes.
        int at = 0;
        uint bits = 0;
        int held = 0;
        foreach (char c in text)
        {
            int value = c is >= 'A' and <= 'Z' ? c - 'A' : c is >= '2' and <= '7' ? c - '2' + 26 : -1;
            if (value < 0)
            {
                return false;
            }

            bits = (bits << 5) | (uint)value;
            held += 5;
            if (held >= 8)
            {
                held -= 8;
                bytes[at++] = (byte)(bits >> held);
            }
        }

        return true;
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
