using System.Globalization;
using Broker.Cli.Terminal;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace Broker.Cli.Top;

/// <summary>Makes the table of a frame.</summary>
internal static class TopTable
{
    // The lines above and below the rows: two of the server, one of the order, an empty one, the head, and the keys.
    private const int OtherLines = 6;

    // From this width on, a terminal has room for the columns that scripts find in the JSON form anyway.
    private const int WideWidth = 110;

    // Wide enough for "127.0.0.1:65535" and for most names.
    private const int NarrowText = 15;
    private const int WideText = 32;

    private static readonly Style Waiting = new(Color.Yellow);
    private static readonly Style Lost = new(Color.Red);

    /// <param name="frame">The values.</param>
    /// <param name="settings">The order and the view.</param>
    /// <param name="width">The width of the terminal in columns.</param>
    /// <param name="height">The height of the terminal, or null if all rows are printed.</param>
    /// <param name="problem">An error of the latest reading, or null.</param>
    public static IRenderable Of(TopFrame frame, TopSettings settings, int width, int? height, string? problem)
    {
        int room = height is { } lines ? Math.Max(1, lines - OtherLines - 1) : int.MaxValue;
        int rows = Math.Min(room, settings.Lines ?? int.MaxValue);
        List<IRenderable> parts = [.. Head(frame).Select(static text => Line(text))];
        parts.Add(problem is null ? Line(Caption(frame, settings, rows)) : Line(problem, Lost));
        parts.Add(Text.Empty);
        parts.Add(settings.ShowsRoutes ? Routes(frame, rows, width) : Connections(frame, rows, width));
        parts.AddRange(settings.ShowsRoutes ? Notes(frame, rows, room) : []);
        if (height is not null)
        {
            parts.Add(Line("m rate  b bytes  p pending  s subscriptions  r routes  c connections  q quit", new Style(decoration: Decoration.Dim)));
        }

        return new Rows(parts);
    }

    private static IEnumerable<string> Head(TopFrame frame)
    {
        ServerPage server = frame.Server;
        string name = server.ServerName ?? server.ServerId ?? "";
        // A server without a name has its id as name, which is too long for a line.
        name = name.Length > WideText ? name[..8] + "…" : name;
        string version = server.BrokerVersion is { } own ? "broker " + own : server.Version ?? "";
        yield return string.Create(
            CultureInfo.InvariantCulture,
            $"{name}, {version}, up {server.Uptime}, processor {server.Cpu:0.#} %, memory {ShortNumber.Of(server.Mem)}B");
        yield return $"in {ShortNumber.Of(frame.Rates.MessagesIn)} msg/s, {ShortNumber.Of(frame.Rates.BytesIn)}B/s; "
            + $"out {ShortNumber.Of(frame.Rates.MessagesOut)} msg/s, {ShortNumber.Of(frame.Rates.BytesOut)}B/s; "
            + string.Create(CultureInfo.InvariantCulture, $"slow consumers {server.SlowConsumers}");
    }

    private static string Caption(TopFrame frame, TopSettings settings, int rows)
    {
        if (settings.ShowsRoutes)
        {
            return frame.Routes is null
                ? "this server has no ZeroMQ bridge"
                : Amount(Math.Min(rows, frame.Routes.Length), frame.Routes.Length, "route", "routes");
        }

        string order = settings.Order switch
        {
            TopOrder.Bytes => "bytes a second",
            TopOrder.Pending => "pending bytes",
            TopOrder.Subscriptions => "subscriptions",
            _ => "messages a second",
        };
        return $"{Amount(Math.Min(rows, frame.Connections.Length), frame.AllConnections, "connection", "connections")} by {order}";
    }

    private static string Amount(long shown, long all, string one, string several)
        => string.Create(CultureInfo.InvariantCulture, $"{(shown < all ? $"{shown} of " : "")}{all} {(all == 1 ? one : several)}");

    private static Table Connections(TopFrame frame, int rows, int width)
    {
        bool isWide = width >= WideWidth;
        int textWidth = isWide ? WideText : NarrowText;
        Table table = NewTable([("cid", true), ("client", false), .. isWide ? [("user", false)] : Array.Empty<(string, bool)>(), ("address", false),
            ("in/s", true), ("out/s", true), ("in B/s", true), ("out B/s", true), ("pending", true), ("subs", true)]);
        foreach (ConnectionRow row in frame.Connections.Take(rows))
        {
            table.AddRow([
                Line(row.Entry.Cid.ToString(CultureInfo.InvariantCulture)),
                Line(Cut(row.Client, textWidth)),
                .. isWide ? [Line(Cut(row.Entry.AuthorizedUser ?? "", textWidth))] : Array.Empty<IRenderable>(),
                Line(Cut(row.Entry.Address, isWide ? WideText : NarrowText)),
                .. Numbers(row.Rates.MessagesIn, row.Rates.MessagesOut, row.Rates.BytesIn, row.Rates.BytesOut),
                Line(ShortNumber.Of(row.Entry.PendingBytes), row.Entry.PendingBytes > 0 ? Waiting : Style.Plain),
                Line(ShortNumber.Of(row.Entry.Subscriptions)),
            ]);
        }

        return table;
    }

    private static Table Routes(TopFrame frame, int rows, int width)
    {
        int textWidth = width >= WideWidth ? WideText : NarrowText;
        // An arrow points from where the messages come to where they go. The heads are short, so that 80 columns are enough.
        Table table = NewTable([("route", false), ("state", false), ("pattern", false), ("peers", true), ("zmq→/s", true), ("→subj/s", true),
            ("subj→/s", true), ("→zmq/s", true), ("waits", true), ("drops", true)]);
        foreach (RouteRow row in (frame.Routes ?? []).Take(rows))
        {
            table.AddRow([
                Line(Cut(row.Entry.Name ?? "", textWidth)), Line(RouteNotes.StateOf(row.Entry), Waiting), Line(Cut(row.Entry.Pattern ?? "", textWidth)),
                Line(ShortNumber.Of(row.Entry.Peers)),
                .. Numbers(row.FromZeroMq, row.ToSubjects, row.FromSubjects, row.ToZeroMq),
                Line(row.Entry.Kept is { } kept ? ShortNumber.Of(kept) : "-"),
                Line(ShortNumber.Of(row.Entry.Dropped + row.Entry.Refused), row.Entry.Dropped + row.Entry.Refused > 0 ? Lost : Style.Plain),
            ]);
        }

        return table;
    }

    // The text about the routes stands below them if there is room.
    private static IEnumerable<IRenderable> Notes(TopFrame frame, int rows, int room)
    {
        RouteRow[] shown = [.. (frame.Routes ?? []).Take(rows)];
        return shown.Select(RouteNotes.Of).OfType<string>().Select(static note => Line(note)).Prepend(Text.Empty).Take(room - shown.Length);
    }

    private static List<IRenderable> Numbers(params ReadOnlySpan<double> values)
    {
        var cells = new List<IRenderable>(values.Length);
        foreach (double value in values)
        {
            cells.Add(Line(ShortNumber.Of(value)));
        }

        return cells;
    }

    private static Table NewTable(IEnumerable<(string Head, bool IsNumber)> columns)
    {
        var table = new Table { Border = TableBorder.None, ShowHeaders = true };
        foreach ((string head, bool isNumber) in columns)
        {
            var column = new TableColumn(Line(head, new Style(decoration: Decoration.Bold)))
            {
                NoWrap = true,
                Alignment = isNumber ? Justify.Right : Justify.Left,
                Padding = new Padding(0, 0, 1, 0),
            };
            table.AddColumn(column);
        }

        return table;
    }

    private static string Cut(string text, int width)
    {
        text = SafeText.OneLine(text);
        return text.Length <= width ? text : text[..(width - 1)] + "…";
    }

    // Names and errors come from clients and servers, and must not contain control characters or markup.
    private static Text Line(string text, Style? style = null)
        => new(SafeText.OneLine(text), style) { Overflow = Overflow.Ellipsis };
}
