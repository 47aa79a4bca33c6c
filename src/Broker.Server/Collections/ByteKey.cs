using System.Runtime.CompilerServices;

namespace Broker.Server;

/// <summary>
/// The last sixteen bytes of a byte string as two words. In a shorter string the words overlap. Together with the
/// length, the key describes all bytes of a string of up to sixteen bytes. Comparison and hash use the same two loads.
/// </summary>
internal readonly struct ByteKey
{
    /// <summary>The largest number of bytes in a key.</summary>
    internal const int Size = 2 * sizeof(ulong);

    /// <summary>
    /// The longest string that is hashed and compared in two steps. All callers test this limit in the same form, so
    /// that the compiler can remove the repeated test.
    /// </summary>
    internal const int Short = 2 * Size;

    internal readonly ulong Low;
    internal readonly ulong High;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ByteKey(ulong low, ulong high)
    {
        Low = low;
        High = high;
    }

    /// <summary>Creates the key of a string.</summary>
    /// <param name="start">The first byte of the string.</param>
    /// <param name="length">The length of the string.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ByteKey Of(ref byte start, int length)
    {
        // Two local variables: the words would be read back from memory if they were written to a struct one by one.
        ulong low;
        ulong high = 0;
        if (length >= sizeof(ulong))
        {
            low = Load<ulong>(ref start, length > Size ? length - Size : 0);
            high = Load<ulong>(ref start, length - sizeof(ulong));
        }
        else if (length >= sizeof(uint))
        {
            low = Load<uint>(ref start, 0);
            high = Load<uint>(ref start, length - sizeof(uint));
        }
        else
        {
            low = length > 0
                ? start | ((ulong)Load<byte>(ref start, length >> 1) << 8) | ((ulong)Load<byte>(ref start, length - 1) << 16)
                : 0;
        }

        return new ByteKey(low, high);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool Is(ByteKey other) => ((Low ^ other.Low) | (High ^ other.High)) == 0;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static T Load<T>(ref byte at, int offset) => Unsafe.ReadUnaligned<T>(ref Unsafe.Add(ref at, offset));
}
