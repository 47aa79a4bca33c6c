using System.Globalization;

namespace Broker.Hosting;

/// <summary>
/// Parses sizes in the notation of nats-server's configuration file: <c>K</c>, <c>M</c>, <c>G</c>, … are powers of
/// 1,000, and <c>KB</c>, <c>KiB</c>, <c>MB</c>, … are powers of 1,024.
/// </summary>
internal static class ByteSize
{
    /// <summary>Parses a size that is not negative.</summary>
    public static bool TryParse(string text, out long size)
    {
        size = 0;
        int digits = text.AsSpan().IndexOfAnyExceptInRange('0', '9');
        digits = digits < 0 ? text.Length : digits;
        if (Unit(text[digits..].Trim()) is not { } unit
            || !long.TryParse(text.AsSpan(0, digits), NumberStyles.None, CultureInfo.InvariantCulture, out long number)
            || number > long.MaxValue / unit)
        {
            return false;
        }

        size = number * unit;
        return true;
    }

    /// <summary>Returns the factor of a unit: 1 for no unit, or null for an unknown unit.</summary>
    public static long? Unit(string suffix)
    {
        if (suffix.Length == 0)
        {
            return 1;
        }

        int power = "KMGTPE".IndexOf(char.ToUpperInvariant(suffix[0]), StringComparison.Ordinal) + 1;
        if (power == 0)
        {
            return null;
        }

        return suffix[1..].ToUpperInvariant() switch
        {
            "" => Power(1000, power),
            "B" or "I" or "IB" => Power(1024, power),
            _ => null,
        };

        static long Power(long basis, int exponent)
        {
            long result = 1;
            for (int i = 0; i < exponent; i++)
            {
                result *= basis;
            }

            return result;
        }
    }
}
