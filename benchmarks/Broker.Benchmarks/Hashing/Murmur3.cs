using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Broker.Benchmarks.Hashing;

/// <summary>MurmurHash3_x86_32: four bytes in a step, and a final step that mixes well.</summary>
internal static class Murmur3
{
    private const uint First = 0xCC9E2D51;
    private const uint Second = 0x1B873593;

    internal static uint Compute(ReadOnlySpan<byte> bytes, uint seed)
    {
        uint hash = seed;
        ref byte at = ref MemoryMarshal.GetReference(bytes);
        int left = bytes.Length;
        for (; left >= 4; left -= 4)
        {
            hash ^= Scramble(Unsafe.ReadUnaligned<uint>(ref at));
            hash = (BitOperations.RotateLeft(hash, 13) * 5) + 0xE6546B64;
            at = ref Unsafe.Add(ref at, 4);
        }

        uint rest = 0;
        for (int i = left - 1; i >= 0; i--)
        {
            rest = (rest << 8) | Unsafe.Add(ref at, i);
        }

        hash ^= Scramble(rest) ^ (uint)bytes.Length;
        hash = (hash ^ (hash >> 16)) * 0x85EBCA6B;
        hash = (hash ^ (hash >> 13)) * 0xC2B2AE35;
        return hash ^ (hash >> 16);
    }

    private static uint Scramble(uint word) => BitOperations.RotateLeft(word * First, 15) * Second;
}
