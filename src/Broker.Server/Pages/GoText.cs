using System.Globalization;

namespace Broker.Server;

/// <summary>Formats times and durations as nats-server does.</summary>
internal static class GoText
{
    private const int DaysOfYear = 365;

    /// <summary>Formats whole seconds with one to five units, such as <c>1d2h3m4s</c>.</summary>
    internal static string Uptime(TimeSpan time)
    {
        long seconds = Math.Max(0, (long)time.TotalSeconds);
        long minutes = seconds / 60;
        long hours = minutes / 60;
        long days = hours / 24;
        long years = days / DaysOfYear;
        string text = string.Create(CultureInfo.InvariantCulture, $"{seconds % 60}s");
        text = minutes == 0 ? text : string.Create(CultureInfo.InvariantCulture, $"{minutes % 60}m{text}");
        text = hours == 0 ? text : string.Create(CultureInfo.InvariantCulture, $"{hours % 24}h{text}");
        text = days == 0 ? text : string.Create(CultureInfo.InvariantCulture, $"{days % DaysOfYear}d{text}");
        return years == 0 ? text : string.Create(CultureInfo.InvariantCulture, $"{years}y{text}");
    }

    /// <summary>Formats a short duration as Go does: <c>156µs</c>, <c>1.5ms</c>, <c>2.25s</c>.</summary>
    internal static string Duration(TimeSpan time)
    {
        double microseconds = Math.Max(0, Math.Round(time.TotalMicroseconds));
        return microseconds switch
        {
            < 1000 => string.Create(CultureInfo.InvariantCulture, $"{microseconds:0}µs"),
            < 1_000_000 => string.Create(CultureInfo.InvariantCulture, $"{microseconds / 1000:0.###}ms"),
            < 60_000_000 => string.Create(CultureInfo.InvariantCulture, $"{microseconds / 1_000_000:0.######}s"),
            _ => Uptime(time),
        };
    }
}
