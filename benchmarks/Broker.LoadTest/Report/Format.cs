using System.Globalization;

namespace Broker.LoadTest.Report;

/// <summary>Formats figures for the tables with three significant digits and the invariant culture.</summary>
internal static class Format
{
    public const string Nothing = "–";

    public static string Count(double value) => value switch
    {
        >= 1e6 => Digits(value / 1e6) + "M",
        >= 1e4 => Digits(value / 1e3) + "k",
        _ => value.ToString("0", CultureInfo.InvariantCulture),
    };

    public static string Digits(double value) => value switch
    {
        >= 99.95 => value.ToString("N0", CultureInfo.InvariantCulture),
        >= 9.995 => value.ToString("0.0", CultureInfo.InvariantCulture),
        _ => value.ToString("0.00", CultureInfo.InvariantCulture),
    };

    public static string Range(Spread spread, Func<double, string> format) => $"{format(spread.Min)}–{format(spread.Max)}";

    public static string Times(double ratio) => double.IsFinite(ratio) ? Digits(ratio) + "×" : Nothing;
}
