using System.Buffers.Binary;
using System.Numerics;

namespace Broker.Streams;

/// <summary>
/// CRC-32C. The seed of a segment's records is a random number, so that the body of a message cannot contain bytes that
/// look like a record of the store.
/// </summary>
internal static class Checksum
{
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
}
