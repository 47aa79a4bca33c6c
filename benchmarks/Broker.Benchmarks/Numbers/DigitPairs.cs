using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Broker.Benchmarks.Numbers;

/// <summary>
/// Converts an integer to ASCII with two digits for each division, from a table of pairs. It writes directly to the
/// destination.
/// </summary>
internal static class DigitPairs
{
    private static ReadOnlySpan<byte> Pairs
        => "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899"u8;

    internal static int Write(Span<byte> destination, ulong value)
    {
        int digits = Count(value);
        Span<byte> text = destination[..digits];
        int at = digits;
        while (value >= 100)
        {
            (value, ulong pair) = Math.DivRem(value, 100);
            at -= 2;
            Copy(text[at..], (int)pair);
        }

        if (value >= 10)
        {
            Copy(text, (int)value);
        }
        else
        {
            text[0] = (byte)('0' + value);
        }

        return digits;
    }

    private static void Copy(Span<byte> destination, int pair)
        => Unsafe.WriteUnaligned(
            ref MemoryMarshal.GetReference(destination), MemoryMarshal.Read<ushort>(Pairs[(pair * 2)..]));

    private static int Count(ulong value)
    {
        int digits = 1;
        for (; value >= 10_000; value /= 10_000)
        {
            digits += 4;
        }

        return digits + (value >= 1000 ? 3 : value >= 100 ? 2 : value >= 10 ? 1 : 0);
    }
}
