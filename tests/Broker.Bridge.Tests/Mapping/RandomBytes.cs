namespace Broker.Bridge.Tests.Mapping;

/// <summary>Random byte strings in which special bytes occur more often than in uniform ones.</summary>
internal static class RandomBytes
{
    private static readonly byte[] Alphabet = [.. "ab.. =/*>\r\n"u8, 0, 0xFF, (byte)'D', (byte)'3'];

    public static byte[] Next(Random random, int maxLength)
    {
        byte[] bytes = new byte[random.Next(4) == 0 ? random.Next(maxLength + 1) : random.Next(Math.Min(maxLength, 12) + 1)];
        if (random.Next(3) == 0)
        {
            random.NextBytes(bytes);
            return bytes;
        }

        for (int i = 0; i < bytes.Length; i++)
        {
            bytes[i] = Alphabet[random.Next(Alphabet.Length)];
        }

        return bytes;
    }
}
