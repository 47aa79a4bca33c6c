using System.Buffers;
using System.Buffers.Text;
using System.Globalization;
using System.Text;
using Broker.Protocol;

namespace Broker.Streams;

/// <summary>The header <c>Nats-TTL</c>: whole seconds, a duration in the notation of Go, or <c>never</c>.</summary>
internal static class TimeToLive
{
    /// <summary>The time to live of a message that its stream's greatest age does not end either.</summary>
    internal const long Never = long.MaxValue;

    // A century is long enough, and its end is a valid time.
    private const double MaxTicks = 100d * 366 * TimeSpan.TicksPerDay;

    private static readonly SearchValues<char> Number = SearchValues.Create("0123456789.");

    private static readonly (string Name, double Ticks)[] Units =
    [
        ("ms", TimeSpan.TicksPerMillisecond), ("us", TimeSpan.TicksPerMicrosecond), ("\u00b5s", TimeSpan.TicksPerMicrosecond), ("ns", 0.01),
        ("h", TimeSpan.TicksPerHour), ("m", TimeSpan.TicksPerMinute), ("s", TimeSpan.TicksPerSecond),
    ];

    /// <summary>Finds the time to live in the headers of a message. Returns false if there is none that is valid.</summary>
    internal static bool TryFind(ReadOnlySpan<byte> headers, out long ticks)
    {
        ticks = 0;
        return HeaderBlock.TryGet(headers, "Nats-TTL"u8, out ReadOnlySpan<byte> value) && TryParse(value, out ticks);
    }

    /// <summary>Reads a time to live, which is at least a second.</summary>
    internal static bool TryParse(ReadOnlySpan<byte> value, out long ticks)
    {
        if (Ascii.EqualsIgnoreCase(value, "never"u8))
        {
            ticks = Never;
            return true;
        }

        double total;
        if (Utf8Parser.TryParse(value, out ulong seconds, out int read) && read == value.Length)
        {
            total = seconds * (double)TimeSpan.TicksPerSecond;
        }
        else if (!TryParseParts(value, out total))
        {
            ticks = 0;
            return false;
        }

        ticks = (long)Math.Min(total, MaxTicks);
        return ticks >= TimeSpan.TicksPerSecond;
    }

    /// <summary>Writes a duration as Go does, for example <c>1h0m30s</c>.</summary>
    internal static string Format(long ticks)
    {
        string seconds = (ticks % TimeSpan.TicksPerMinute / (decimal)TimeSpan.TicksPerSecond).ToString("0.#######", CultureInfo.InvariantCulture) + "s";
        string minutes = ticks >= TimeSpan.TicksPerMinute ? string.Create(CultureInfo.InvariantCulture, $"{ticks / TimeSpan.TicksPerMinute % 60}m") : "";
        string hours = ticks >= TimeSpan.TicksPerHour ? string.Create(CultureInfo.InvariantCulture, $"{ticks / TimeSpan.TicksPerHour}h") : "";
        return hours + minutes + seconds;
    }

    // Numbers with units, such as 1h30m.
    private static bool TryParseParts(ReadOnlySpan<byte> value, out double total)
    {
        total = 0;
        Span<char> text = stackalloc char[32];
        if (value.IsEmpty || value.Length > text.Length)
        {
            return false;
        }

        ReadOnlySpan<char> rest = text[..Encoding.UTF8.GetChars(value, text)];
        while (!rest.IsEmpty)
        {
            int end = rest.IndexOfAnyExcept(Number);
            if (end <= 0 || !double.TryParse(rest[..end], NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double number) || !TryTakeUnit(ref rest, end, out double unit))
            {
                return false;
            }

            total += number * unit;
        }

        return true;
    }

    private static bool TryTakeUnit(ref ReadOnlySpan<char> rest, int start, out double ticks)
    {
        foreach ((string name, double length) in Units)
        {
            if (rest[start..].StartsWith(name, StringComparison.Ordinal))
            {
                rest = rest[(start + name.Length)..];
                ticks = length;
                return true;
            }
        }

        ticks = 0;
        return false;
    }
}
