using System.Globalization;
using System.Text;

namespace Broker.Streams;

/// <summary>Writes durations as nats-server writes them into its texts, for example <c>1m0s</c> and <c>1.5s</c>.</summary>
internal static class StatusTime
{
    /// <summary>Writes a duration in nanoseconds, of one millisecond at least.</summary>
    internal static string Of(long nanoseconds)
    {
        decimal seconds = nanoseconds / 1_000_000_000m;
        if (seconds < 1)
        {
            return string.Create(CultureInfo.InvariantCulture, $"{nanoseconds / 1_000_000m:0.######}ms");
        }

        var text = new StringBuilder();
        if (seconds >= 3600)
        {
            text.Append(CultureInfo.InvariantCulture, $"{decimal.Floor(seconds / 3600)}h");
        }

        if (seconds >= 60)
        {
            text.Append(CultureInfo.InvariantCulture, $"{decimal.Floor(seconds / 60) % 60}m");
        }

        return text.Append(CultureInfo.InvariantCulture, $"{seconds % 60:0.#########}s").ToString();
    }
}
