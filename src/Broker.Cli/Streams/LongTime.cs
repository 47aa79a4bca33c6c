using System.Globalization;
using Broker.Hosting;

namespace Broker.Cli.Streams;

/// <summary>
/// Parses and shows times of storage. Beside the units of Go, <c>d</c>, <c>w</c> and <c>y</c> are days, weeks and
/// years.
/// </summary>
internal static class LongTime
{
    private const int DaysOfWeek = 7;
    private const int DaysOfYear = 365;
    private const int MostDigits = 6;

    // The API has nanoseconds as a 64-bit number.
    private static readonly TimeSpan Most = TimeSpan.FromTicks(long.MaxValue / TimeSpan.NanosecondsPerTick);

    public static bool TryParse(string text, out TimeSpan time)
    {
        time = default;
        ReadOnlySpan<char> rest = text;
        while (!rest.IsEmpty)
        {
            int digits = rest.IndexOfAnyExceptInRange('0', '9');
            int unit = digits is <= 0 or > MostDigits ? 0 : DaysOf(rest[digits]);
            if (unit == 0)
            {
                break;
            }

            long days = (long)unit * int.Parse(rest[..digits], CultureInfo.InvariantCulture);
            if (days + time.TotalDays > Most.TotalDays)
            {
                return false;
            }

            time += TimeSpan.FromDays(days);
            rest = rest[(digits + 1)..];
        }

        if (rest.IsEmpty)
        {
            return text.Length > 0 && time <= Most;
        }

        if (!Duration.TryParse(rest.ToString(), out TimeSpan more) || more > Most)
        {
            return false;
        }

        time += more;
        return time <= Most;
    }

    public static string Format(TimeSpan time)
        => time.Ticks > 0 && time.Ticks % TimeSpan.TicksPerDay == 0 ? $"{time.Ticks / TimeSpan.TicksPerDay}d" : Duration.Format(time);

    private static int DaysOf(char unit) => unit switch
    {
        'd' => 1,
        'w' => DaysOfWeek,
        'y' => DaysOfYear,
        _ => 0,
    };
}
