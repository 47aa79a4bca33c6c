using System.Globalization;

namespace Broker.Cli.Top;

/// <summary>Formats numbers with at most three digits and a unit, so that columns stay narrow.</summary>
internal static class ShortNumber
{
    private const double Thousand = 1000;
    private const string Units = " KMGTPE";

    /// <summary>The number such as 999, 1.23K or 45.6M; "-" for NaN.</summary>
    public static string Of(double value)
    {
        if (double.IsNaN(value))
        {
            return "-";
        }

        int unit = 0;
        // 999.5 would be rounded to 1000.
        for (; value >= Thousand - 0.5 && unit < Units.Length - 1; unit++)
        {
            value /= Thousand;
        }

        if (unit == 0)
        {
            // A slow rate must not look like none.
            return value is > 0 and < 9.95 && !double.IsInteger(value) ? Format(value, "0.0") : Format(value, "0");
        }

        return Format(value, value < 9.995 ? "0.00" : value < 99.95 ? "0.0" : "0") + Units[unit];
    }

    private static string Format(double value, string format) => value.ToString(format, CultureInfo.InvariantCulture);
}
