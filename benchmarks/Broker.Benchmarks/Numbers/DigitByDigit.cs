namespace Broker.Benchmarks.Numbers;

/// <summary>Integer to ASCII as first written by everybody: one digit per division, from the back of a scratch, then a copy.</summary>
internal static class DigitByDigit
{
    private const int MostDigits = 20;

    internal static int Write(Span<byte> destination, ulong value)
    {
        Span<byte> scratch = stackalloc byte[MostDigits];
        int at = MostDigits;
        do
        {
            (value, ulong digit) = Math.DivRem(value, 10);
            scratch[--at] = (byte)('0' + digit);
        }
        while (value != 0);

        scratch[at..].CopyTo(destination);
        return MostDigits - at;
    }
}
