using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Broker.Benchmarks.Hashing;

/// <summary>
/// A hash in the style of Georgi Marinov's Jesteress and Meiyan, variants of FNV-1a. It processes eight bytes in a step
/// with one multiplication, then the remaining 4, 2 and 1 bytes. It is fast for short keys and easy to attack, because
/// it takes no seed.
/// </summary>
internal static class Jesteress
{
    private const uint Prime = 709607;

    internal static uint Compute(ReadOnlySpan<byte> bytes)
    {
        uint hash = 2166136261;
        ref byte at = ref MemoryMarshal.GetReference(bytes);
        int left = bytes.Length;
        for (; left >= 8; left -= 8)
        {
            uint low = Unsafe.ReadUnaligned<uint>(ref at);
            uint high = Unsafe.ReadUnaligned<uint>(ref Unsafe.Add(ref at, 4));
            hash = (hash ^ BitOperations.RotateLeft(low, 5) ^ high) * Prime;
            at = ref Unsafe.Add(ref at, 8);
        }

        if ((left & 4) != 0)
        {
            hash = (hash ^ Unsafe.ReadUnaligned<uint>(ref at)) * Prime;
            at = ref Unsafe.Add(ref at, 4);
        }

        if ((left & 2) != 0)
        {
            hash = (hash ^ Unsafe.ReadUnaligned<ushort>(ref at)) * Prime;
            at = ref Unsafe.Add(ref at, 2);
        }

        if ((left & 1) != 0)
        {
            hash = (hash ^ at) * Prime;
        }

        return hash ^ (hash >> 16);
    }
}
