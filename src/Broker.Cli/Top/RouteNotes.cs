using System.Globalization;

namespace Broker.Cli.Top;

/// <summary>Says in words what the columns of a route cannot: what waits, and why messages were dropped.</summary>
internal static class RouteNotes
{
    /// <summary>The state in one word, or an empty text for a route that works as usual.</summary>
    public static string StateOf(RouteEntry route) => route.Paused > 0 ? "paused" : route.Shadow > 0 ? "shadow" : "";

    /// <summary>Returns a line about the route, or null if there is nothing to say.</summary>
    public static string? Of(RouteRow row)
    {
        List<string> parts = [.. States(row), .. Waits(row.Entry)];
        AddLoss(parts, "dropped", row.Entry.Dropped, row.Entry.DroppedBecause);
        AddLoss(parts, "refused", row.Entry.Refused, row.Entry.RefusedBecause);
        return parts.Count == 0 ? null : $"{row.Entry.Name}: {string.Join("; ", parts)}";
    }

    private static IEnumerable<string> States(RouteRow row)
    {
        RouteEntry route = row.Entry;
        if (route.Paused > 0)
        {
            yield return "paused";
        }

        if (route.Shadow > 0)
        {
            yield return "shadow, gets copies";
        }

        // The windows of the other ends are used up, and the route has taken nothing since the last reading.
        if (route is { Paused: 0, Credit: 0, Pushers: > 0 } && row.FromZeroMq == 0)
        {
            yield return "PUSH programs wait";
        }
    }

    private static IEnumerable<string> Waits(RouteEntry route)
    {
        (long?, string)[] all =
        [
            (route.Pending, "without a reply"), (route.Held, "held until there is room"), (route.Waiting, "waiting for a PULL program"), (route.InFlight, "in flight"),
        ];
        foreach ((long? number, string what) in all)
        {
            if (number > 0)
            {
                yield return $"{ShortNumber.Of(number.Value)} {what}";
            }
        }
    }

    private static void AddLoss(List<string> parts, string what, long all, Dictionary<string, long>? because)
    {
        if (all > 0)
        {
            string[] reasons = [.. (because ?? []).Where(static reason => reason.Value > 0).Select(static reason => Reason(reason.Key, reason.Value))];
            parts.Add($"{ShortNumber.Of(all)} {what}{(reasons.Length == 0 ? "" : $" ({string.Join(", ", reasons)})")}");
        }
    }

    private static string Reason(string name, long number)
        => string.Create(CultureInfo.InvariantCulture, $"{ShortNumber.Of(number)} {name.Replace('_', ' ')}");
}
