namespace Broker.Benchmarks.Numbers;

/// <summary>
/// Converts an integer to ASCII in the simplest way: one digit for each division, from the end of a temporary buffer,
/// followed by a copy.
/// </summary>
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
