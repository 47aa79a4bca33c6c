using System.Buffers.Binary;
using System.Numerics;

namespace Broker.Streams;

/// <summary>
/// CRC-32C. The seed of a segment's records is a random number, so that the body of a message cannot contain bytes that
/// look like a record of the store.
/// </summary>
internal static class Checksum
{
    private static readonly uint[] Table = [.. Enumerable.Range(0, byte.MaxValue + 1).Select(static i => BitOperations.Crc32C(0, (byte)i))];

    // The entries of the table have different highest bytes. This finds an entry by that byte.
    private static readonly byte[] ByHighest = Invert();

    internal static uint Of(uint seed, ReadOnlySpan<byte> bytes)
    {
        uint crc = ~seed;
        for (; bytes.Length >= sizeof(ulong); bytes = bytes[sizeof(ulong)..])
        {
            crc = BitOperations.Crc32C(crc, BinaryPrimitives.ReadUInt64LittleEndian(bytes));
        }

        foreach (byte b in bytes)
        {
            crc = BitOperations.Crc32C(crc, b);
        }

        return ~crc;
    }

    internal static uint Of(uint seed, uint value) => ~BitOperations.Crc32C(~seed, value);

    /// <summary>Returns the seed with which bytes have a checksum. There is exactly one.</summary>
    internal static uint SeedOf(uint check, ReadOnlySpan<byte> bytes)
    {
        uint crc = ~check;
        for (int i = bytes.Length - 1; i >= 0; i--)
        {
            byte entry = ByHighest[crc >> 24];
            crc = ((crc ^ Table[entry]) << 8) | (uint)(entry ^ bytes[i]);
        }

        return ~crc;
    }

    private static byte[] Invert()
    {
        byte[] inverse = new byte[Table.Length];
        for (int i = 0; i < Table.Length; i++)
        {
            inverse[Table[i] >> 24] = (byte)i;
        }

        return inverse;
    }
}
