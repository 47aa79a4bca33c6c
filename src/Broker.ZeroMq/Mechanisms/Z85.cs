using System.Buffers.Binary;

namespace Broker.ZeroMq;

/// <summary>
/// Encodes octets as text for source code and configuration files (RFC 32): four octets become five characters.
/// </summary>
internal static class Z85
{
    private const string Digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

    internal static string Encode(ReadOnlySpan<byte> octets)
    {
        Span<char> text = stackalloc char[octets.Length / 4 * 5];
        for (int group = 0; group * 4 < octets.Length; group++)
        {
            uint value = BinaryPrimitives.ReadUInt32BigEndian(octets[(group * 4)..]);
            for (int digit = 4; digit >= 0; digit--)
            {
                text[(group * 5) + digit] = Digits[(int)(value % 85)];
                value /= 85;
            }
        }

        return new string(text);
    }

    /// <summary>
    /// Decodes a text that encodes exactly <paramref name="count"/> octets. Returns null if the text is invalid.
    /// </summary>
    internal static byte[]? DecodeOrNull(string? text, int count)
    {
        if (text is null || text.Length != count / 4 * 5)
        {
            return null;
        }

        byte[] octets = new byte[count];
        for (int group = 0; group * 5 < text.Length; group++)
        {
            ulong value = 0;
            foreach (char c in text.AsSpan(group * 5, 5))
            {
                int digit = Digits.IndexOf(c, StringComparison.Ordinal);
                if (digit < 0)
                {
                    return null;
                }

                value = (value * 85) + (uint)digit;
            }

            if (value > uint.MaxValue)
            {
                return null;
            }

            BinaryPrimitives.WriteUInt32BigEndian(octets.AsSpan(group * 4), (uint)value);
        }

        return octets;
    }
}
