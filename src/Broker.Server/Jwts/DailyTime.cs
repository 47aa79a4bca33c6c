using System.Globalization;

namespace Broker.Server;

/// <summary>
/// A part of each day. If the end is before the start, the part ends on the next day.
/// </summary>
internal sealed class DailyTime
{
    private static readonly TimeSpan Day = TimeSpan.FromDays(1);

    private readonly TimeSpan _start;
    private readonly TimeSpan _length;

    /// <exception cref="JwtException">A claim is wrong.</exception>
    internal DailyTime(ClaimObject claims)
    {
        _start = TimeOf(claims, "start");
        TimeSpan length = TimeOf(claims, "end") - _start;
        _length = length < TimeSpan.Zero ? length + Day : length;
    }

    /// <summary>The time from this time of day to the end; zero or less if the time of day is outside.</summary>
    internal TimeSpan LeftAt(TimeSpan time)
    {
        TimeSpan since = time - _start;
        return _length - (since < TimeSpan.Zero ? since + Day : since);
    }

    private static TimeSpan TimeOf(ClaimObject claims, string name)
        => TimeOnly.TryParseExact(claims.Text(name), "HH:mm:ss", CultureInfo.InvariantCulture, DateTimeStyles.None, out TimeOnly time)
            ? time.ToTimeSpan()
            : throw claims.Wrong(name, "is not a time of day such as 08:30:00");
}
