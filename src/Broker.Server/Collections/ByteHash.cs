using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Broker.Server;

/// <summary>
/// A hash of short byte strings. Each step hashes 16 bytes with a full 128-bit product. Most subjects and tokens are
/// shorter and take two loads and two multiplications.
/// </summary>
internal static class ByteHash
{
    private const ulong First = 0x9E3779B97F4A7C15;
    private const ulong Second = 0xC2B2AE3D27D4EB4F;

    internal static uint Compute(ReadOnlySpan<byte> bytes, ulong seed)
        => Compute(bytes, ByteKey.Of(ref MemoryMarshal.GetReference(bytes), bytes.Length), seed);

    /// <summary>Computes the hash of a string with a known key. A short string needs no method call.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Compute(ReadOnlySpan<byte> bytes, ByteKey key, ulong seed)
    {
        ulong hash = Begin(bytes.Length, seed);
        if (bytes.Length > ByteKey.Size)
        {
            ref byte start = ref MemoryMarshal.GetReference(bytes);
            hash = bytes.Length > ByteKey.Short ? Steps(ref start, bytes.Length, hash) : Step(ref start, hash);
        }

        return End(key, hash);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong Steps(ref byte at, int left, ulong hash)
    {
        for (; left > ByteKey.Size; left -= ByteKey.Size)
        {
            hash = Step(ref at, hash);
            at = ref Unsafe.Add(ref at, ByteKey.Size);
        }

        return hash;
    }

    // In a string that is shorter than the key, the two words of the key overlap. In a longer string, the key overlaps
    // bytes that are hashed before. Different strings may therefore have the same words: the hashed length
    // distinguishes these strings.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Begin(int length, ulong seed) => seed ^ ((ulong)length * First);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Step(ref byte at, ulong hash)
        => Fold(Unsafe.ReadUnaligned<ulong>(ref at) ^ hash ^ First, Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref at, sizeof(ulong))) ^ Second);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint End(ByteKey key, ulong hash)
    {
        hash = Fold(key.Low ^ hash ^ First, key.High ^ Second);
        return (uint)(hash ^ (hash >> 32));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Fold(ulong left, ulong right)
        // BigMul writes the lower half to memory. The result of a separate multiplication is available earlier.
        => Math.BigMul(left, right, out _) ^ (left * right);
}
