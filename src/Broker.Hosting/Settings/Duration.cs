using System.Buffers;
using System.Globalization;

namespace Broker.Hosting;

/// <summary>
/// Parses and formats durations in Go's notation: <c>10s</c>, <c>1m30s</c>, <c>1.5h</c>, <c>250ms</c>.
/// </summary>
internal static class Duration
{
    private static readonly SearchValues<char> NumberCharacters = SearchValues.Create("0123456789.");

    private static readonly (string Unit, double Ticks)[] Units =
    [
        // "ms" must precede "m", because the first unit that matches is used.
        ("ns", 0.01), ("us", 10), ("µs", 10), ("ms", TimeSpan.TicksPerMillisecond),
        ("s", TimeSpan.TicksPerSecond), ("m", TimeSpan.TicksPerMinute), ("h", TimeSpan.TicksPerHour),
    ];

    public static bool TryParse(string text, out TimeSpan value)
    {
        value = default;
        ReadOnlySpan<char> rest = text.AsSpan();
        if (rest.IsEmpty)
        {
            return false;
        }

        double ticks = 0d;
        while (!rest.IsEmpty)
        {
            int length = rest.IndexOfAnyExcept(NumberCharacters);
            if (length <= 0 || !double.TryParse(rest[..length], NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double number))
            {
                return false;
            }

            rest = rest[length..];
            int unit = -1;
            for (int i = 0; i < Units.Length && unit < 0; i++)
            {
                if (rest.StartsWith(Units[i].Unit, StringComparison.Ordinal))
                {
                    unit = i;
                }
            }

            if (unit < 0)
            {
                return false;
            }

            rest = rest[Units[unit].Unit.Length..];
            ticks += number * Units[unit].Ticks;
        }

        if (ticks > TimeSpan.MaxValue.Ticks / 2)
        {
            return false;
        }

        value = TimeSpan.FromTicks((long)ticks);
        return true;
    }

    /// <summary>Returns the shortest notation, such as <c>2m</c> or <c>10s</c>.</summary>
    public static string Format(TimeSpan value) => value switch
    {
        { Ticks: var t } when t % TimeSpan.TicksPerHour == 0 && t > 0 => $"{value.TotalHours:0}h",
        { Ticks: var t } when t % TimeSpan.TicksPerMinute == 0 && t > 0 => $"{value.TotalMinutes:0}m",
        { Ticks: var t } when t % TimeSpan.TicksPerSecond == 0 => $"{value.TotalSeconds:0}s",
        _ => string.Create(CultureInfo.InvariantCulture, $"{value.TotalMilliseconds:0.###}ms"),
    };
}
