using System.Globalization;
using Broker.Cli.Streams;

namespace Broker.Cli.Consumers;

/// <summary>Parses a moment: a time before or after now, or a date of RFC 3339.</summary>
internal static class Moment
{
    public static bool TryParse(string text, bool isPast, out DateTimeOffset moment)
    {
        if (LongTime.TryParse(text, out TimeSpan time))
        {
            DateTimeOffset now = DateTimeOffset.UtcNow;
            moment = isPast ? now - time : now + time;
            return true;
        }

        // A text without a date would be a time of today.
        moment = default;
        return text.Contains('T', StringComparison.Ordinal)
            && DateTimeOffset.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal | DateTimeStyles.AdjustToUniversal, out moment);
    }
}
