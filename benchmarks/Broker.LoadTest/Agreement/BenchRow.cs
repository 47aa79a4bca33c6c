using Broker.LoadTest.Rows;

namespace Broker.LoadTest.Agreement;

/// <summary>
/// A row of the load test, and the arguments with which <c>broker bench</c> creates the same traffic.
/// </summary>
/// <param name="Name">The name of the row.</param>
/// <param name="Figure">The name of the rate in the JSON of <c>broker bench</c>.</param>
/// <param name="Arguments">The pattern and the flags of <c>broker bench</c>.</param>
internal sealed record BenchRow(string Name, string Figure, params string[] Arguments)
{
    /// <summary>All rows, in the order of the report.</summary>
    public static IReadOnlyList<BenchRow> All { get; } =
    [
        Publish("pub16", "--size", "16"),
        Publish("pub2400", "--size", "2400"),
        Deliver("twoconns16", "--size", "16"),
        Deliver("fanout4", "--size", "16", "--subscribers", "4"),
        Deliver("fanin50", "--size", "16", "--publishers", "50"),
        Deliver("queue4", "--size", "16", "--subscribers", "4", "--queue", "workers"),
        new("request16", "replies_per_second", "request", "foo", "--size", "16"),
        Publish("real-pub16-10k", "--size", "16", "--subjects", "10000"),
        Deliver("real-one256-1k", "--size", "0..256", "--subjects", "1000"),
        Deliver("real-fanout20-1k", "--size", "0..256", "--subjects", "1000", "--subscribers", "20"),
    ];

    /// <summary>The row of the load test.</summary>
    public Row Row => Catalogue.Select([Name])[0];

    /// <summary>Finds rows by their names. Returns all rows for no name.</summary>
    /// <exception cref="ArgumentException">There is no row of a name.</exception>
    public static IReadOnlyList<BenchRow> Select(IReadOnlyList<string> names)
    {
        string? unknown = names.FirstOrDefault(static name => !All.Any(row => row.Name == name));
        return unknown is null
            ? [.. All.Where(row => names.Count == 0 || names.Contains(row.Name, StringComparer.Ordinal))]
            : throw new ArgumentException($"There is no row '{unknown}' of broker bench: the rows are {string.Join(", ", All.Select(static row => row.Name))}.");
    }

    private static BenchRow Publish(string name, params string[] flags) => new(name, "published_per_second", ["pub", "foo", .. flags]);

    private static BenchRow Deliver(string name, params string[] flags) => new(name, "received_per_second", ["pubsub", "foo", .. flags]);
}
