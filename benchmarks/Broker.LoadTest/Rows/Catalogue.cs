using System.IO.Enumeration;
using Broker.LoadTest.Rows.Footprints;
using Broker.LoadTest.Rows.Growth;
using Broker.LoadTest.Rows.Leaf;
using Broker.LoadTest.Rows.Real;

namespace Broker.LoadTest.Rows;

/// <summary>All rows in the order of the report, in groups.</summary>
internal static class Catalogue
{
    /// <summary>The name that selects all groups.</summary>
    public const string Everything = "all";

    private static readonly int[] IdlePolls = [0, 20, 100, 400, 1_000];

    /// <summary>The groups of rows. The first group is measured by default.</summary>
    public static IReadOnlyList<RowGroup> Groups { get; } =
    [
        new("basic", "throughput and request-reply", BasicRows.Create()),
        new("tls", "the same rows over TLS", [.. BasicRows.Create().Select(row => new OverTls(row))]),
        new("real", "many subjects, varying sizes, reply subjects, wide fan-out: no line repeats the previous one", RealRows.Create()),
        new("suspended", "round trips beside a fan-out to 100 readers: with all of them reading, and with one stopped by SIGSTOP", RealRows.CreateSuspended()),
        new("scaling", "how the cost of a message grows with subscriptions, subjects, churn, payload and publishers", GrowthRows.Create()),
        new("fanout", "how the cost of a delivery grows with the number of subscribers", GrowthRows.CreateFanOut()),
        new("memory", "memory of idle connections and of subscriptions, and CPU time of the idle server", [new IdleConnections("connections10k", 10_000), new IdleSubscriptions("subscriptions1M", 1_000_000)]),
        new("start", "start time of a process, and its memory after the start", [new Starting("starting")]),
        new("fairness", "request and reply beside a flooding publisher", [Request("alone", "nobody", flooded: false), Request("flooded", "a flooding publisher", flooded: true)]),
        new("wakeup", "idle CPU and wake-up for each number of polls after activity", [new WakeUp("wakeup", null), .. IdlePolls.Select(polls => new WakeUp($"wakeup-{polls}", polls))]),
        new("leaf", "each server as a leaf node of one nats-server hub", LeafRows.Create()),
    ];

    private static IEnumerable<Row> All => Groups.SelectMany(group => group.Rows);

    /// <summary>
    /// Finds the rows that match any of these names: a group, <see cref="Everything"/>, or a pattern of row names in
    /// which <c>*</c> stands for anything, without regard to case. Throws if a name matches nothing.
    /// </summary>
    public static IReadOnlyList<Row> Select(IReadOnlyList<string> patterns)
    {
        if (patterns.Count == 0)
        {
            return Groups[0].Rows;
        }

        foreach (string pattern in patterns)
        {
            if (!Groups.Any(group => group.Rows.Any(row => Matches(pattern, group, row))))
            {
                throw new ArgumentException($"No row or group is named '{pattern}'. Groups: {string.Join(", ", Groups.Select(group => group.Name))}, {Everything}. Rows: {string.Join(", ", All.Select(row => row.Name))}.");
            }
        }

        return [.. from rowGroup in Groups from row in rowGroup.Rows where patterns.Any(pattern => Matches(pattern, rowGroup, row)) select row];
    }

    /// <summary>Writes each group and each of its rows with a description, one on a line.</summary>
    public static void Write(TextWriter output)
    {
        foreach (RowGroup group in Groups)
        {
            output.WriteLine($"{group.Name}: {group.What}");
            foreach (Row row in group.Rows)
            {
                output.WriteLine($"  {row.Name}: {row.What}");
            }
        }
    }

    private static bool Matches(string pattern, RowGroup group, Row row)
        => Is(pattern, Everything) || Is(pattern, group.Name) || FileSystemName.MatchesSimpleExpression(pattern, row.Name);

    private static bool Is(string pattern, string word) => string.Equals(pattern, word, StringComparison.OrdinalIgnoreCase);

    private static RequestReply Request(string name, string beside, bool flooded)
        => new($"request-{name}", 16, flooded) { Point = new Point("request and reply beside", beside, GrowthFigure.P99) };
}
