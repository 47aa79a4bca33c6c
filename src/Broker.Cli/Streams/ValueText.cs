using System.Globalization;
using Broker.Cli.Terminal;

namespace Broker.Cli.Streams;

/// <summary>Shows values of streams to a reader.</summary>
internal static class ValueText
{
    private const int Unit = 1024;

    /// <summary>Returns the value as a text of one line, in which control characters are escaped.</summary>
    public static string Of(object value) => SafeText.OneLine(value switch
    {
        string text => text,
        bool isTrue => isTrue ? "yes" : "no",
        TimeSpan time => LongTime.Format(time),
        DateTimeOffset time => Time(time),
        IEnumerable<string> texts => string.Join(", ", texts),
        _ => Convert.ToString(value, CultureInfo.InvariantCulture) ?? "",
    });

    /// <summary>Returns a limit, in which -1 means that there is none.</summary>
    public static string Limit(long limit) => limit < 0 ? "none" : limit.ToString(CultureInfo.InvariantCulture);

    public static string LimitOfBytes(long limit) => limit < 0 ? "none" : Bytes((ulong)limit);

    public static string Limit(TimeSpan limit) => limit == TimeSpan.Zero ? "none" : LongTime.Format(limit);

    /// <summary>Returns a time in UTC to a second. The first time of an empty stream is none.</summary>
    public static string Time(DateTimeOffset time)
        => time.Year <= 1 ? "-" : time.ToUniversalTime().ToString("yyyy-MM-dd HH:mm:ss'Z'", CultureInfo.InvariantCulture);

    /// <summary>Returns a size with at most two digits behind the point: 12 B or 1.25 MiB.</summary>
    public static string Bytes(ulong bytes)
    {
        ReadOnlySpan<string> units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        double size = bytes;
        int unit = 0;
        for (; size >= Unit && unit < units.Length - 1; unit++)
        {
            size /= Unit;
        }

        return string.Create(CultureInfo.InvariantCulture, $"{size:0.##} {units[unit]}");
    }

    /// <summary>Returns a number with the right form of its noun.</summary>
    public static string Count(long number, string one, string several) => string.Create(CultureInfo.InvariantCulture, $"{number} {(number == 1 ? one : several)}");
}
