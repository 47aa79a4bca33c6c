namespace Broker.LoadTest.Clients;

/// <summary>A row of the comparison of client libraries.</summary>
/// <param name="Name">The name in the table and for <c>--rows</c>.</param>
/// <param name="Work">The work of the client.</param>
/// <param name="Messages">The number of messages of a round.</param>
/// <param name="Together">The number of requests in flight.</param>
internal sealed record ClientRow(string Name, ClientWork Work, int Messages, int Together = 1)
{
    private const int QuickShare = 50;

    /// <summary>All rows. A round of each takes about a second on a machine of 2024.</summary>
    public static IReadOnlyList<ClientRow> All { get; } =
    [
        new("publish", ClientWork.Publish, 1_000_000),
        new("receive", ClientWork.Receive, 1_000_000),
        new("receive-await", ClientWork.Read, 1_000_000),
        new("request", ClientWork.Request, 10_000),
        new("request-64", ClientWork.Request, 100_000, 64),
    ];

    /// <summary>The same row with fewer messages.</summary>
    public ClientRow Quick() => this with { Messages = Messages / QuickShare };

    /// <summary>
    /// Returns the rows with these names, in the order of <see cref="All"/>; all of them if there are no names.
    /// </summary>
    /// <exception cref="ArgumentException">There is no row of a name.</exception>
    public static IReadOnlyList<ClientRow> Select(IReadOnlyCollection<string> names)
    {
        string? unknown = names.FirstOrDefault(static name => All.All(row => row.Name != name));
        return unknown is null
            ? [.. All.Where(row => names.Count == 0 || names.Contains(row.Name))]
            : throw new ArgumentException($"There is no row '{unknown}': the rows are {string.Join(", ", All.Select(static row => row.Name))}.");
    }
}
