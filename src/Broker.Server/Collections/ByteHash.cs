using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Broker.Server.Collections;

/// <summary>
/// A hash for short byte strings: 16 bytes a step, folded with a full 128-bit product. Subjects and tokens are mostly
/// shorter than that, and then it is two loads and two multiplications.
/// </summary>
internal static class ByteHash
{
    private const ulong First = 0x9E3779B97F4A7C15;
    private const ulong Second = 0xC2B2AE3D27D4EB4F;

    internal static uint Compute(ReadOnlySpan<byte> bytes, ulong seed)
    {
        ref byte at = ref MemoryMarshal.GetReference(bytes);
        int length = bytes.Length;
        ulong hash = seed ^ ((ulong)length * First);
        int left = length;
        while (left > 16)
        {
            hash = Fold(Unsafe.ReadUnaligned<ulong>(ref at) ^ hash ^ First, Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref at, 8)) ^ Second);
            at = ref Unsafe.Add(ref at, 16);
            left -= 16;
        }

        ulong low;
        ulong high;
        if (left >= 8)
        {
            // The two words overlap unless there are exactly 16 bytes; the length, hashed above, tells such strings apart.
            low = Unsafe.ReadUnaligned<ulong>(ref at);
            high = Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref at, left - 8));
        }
        else if (left >= 4)
        {
            low = Unsafe.ReadUnaligned<uint>(ref at);
            high = Unsafe.ReadUnaligned<uint>(ref Unsafe.Add(ref at, left - 4));
        }
        else
        {
            low = left > 0 ? at | ((ulong)Unsafe.Add(ref at, left >> 1) << 8) | ((ulong)Unsafe.Add(ref at, left - 1) << 16) : 0;
            high = 0;
        }

        hash = Fold(low ^ hash ^ First, high ^ Second);
        return (uint)(hash ^ (hash >> 32));
    }

    private static ulong Fold(ulong left, ulong right)
    {
        ulong high = Math.BigMul(left, right, out ulong low);
        return high ^ low;
    }
}
