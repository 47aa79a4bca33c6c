using System.Runtime.CompilerServices;

namespace Broker.Server.Collections;

/// <summary>
/// The last sixteen bytes of a byte string, in two words that overlap where there are fewer: with the length they are all of a string of up to
/// sixteen bytes. What is compared and what is hashed are the same two loads.
/// </summary>
internal readonly struct ByteKey
{
    /// <summary>How many bytes it holds at most.</summary>
    internal const int Size = 2 * sizeof(ulong);

    /// <summary>How long a string is at most that is hashed and compared in two steps. Asked in one form everywhere, so that who has asked is not asked again.</summary>
    internal const int Short = 2 * Size;

    internal readonly ulong Low;
    internal readonly ulong High;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ByteKey(ulong low, ulong high)
    {
        Low = low;
        High = high;
    }

    /// <param name="start">The first byte of the string.</param>
    /// <param name="length">How many there are.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ByteKey Of(ref byte start, int length)
    {
        // Two locals: words that are written to a struct one by one would be read back from memory.
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
