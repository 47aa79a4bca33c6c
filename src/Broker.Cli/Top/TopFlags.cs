using System.CommandLine;
using Broker.Cli.Shell;

namespace Broker.Cli.Top;

/// <summary>The flags of <c>broker top</c> and of reports.</summary>
/// <param name="reports">
/// The rows of a report, "connections" or "routes", which ends after one table; null for <c>broker top</c>.
/// </param>
internal sealed class TopFlags(string? reports = null)
{
    private const string Routes = "routes";

    // A shorter interval would measure the monitoring pages and not the server.
    private static readonly TimeSpan LeastInterval = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan MostInterval = TimeSpan.FromHours(1);

    private readonly Option<TimeSpan?> _interval = CommonOptions.Time("--interval", "Time between two readings [default: 1s]");

    private readonly Option<string?> _sort = new("--sort")
    {
        Description = "Order of the connections: rate, bytes, pending or subs [default: rate]",
        HelpName = "order",
    };

    private readonly Option<bool> _routes = new("--routes") { Description = "Show the routes of the ZeroMQ bridge instead of the connections" };
    private readonly Option<long?> _lines = CommonOptions.Count("Number of rows [default: as many as the terminal has room for]");
    private readonly Option<bool> _once = new("--once") { Description = "Print one table after one interval and end, for scripts" };
    private readonly Option<bool> _json = new("--json") { Description = "Print the server, its connections and its routes as a JSON object on one line" };

    /// <summary>The flags of the server's address.</summary>
    public MonitoringFlags Monitoring { get; } = new();

    public void AddTo(Command command)
    {
        Monitoring.AddTo(command);
        Option[] own = reports switch
        {
            null => [_interval, _sort, _routes, _lines, _once, _json],
            Routes => [_interval, _lines, _json],
            _ => [_interval, _sort, _lines, _json],
        };
        foreach (Option option in own)
        {
            command.Options.Add(option);
        }
    }

    /// <exception cref="UsageException">A value is invalid.</exception>
    public TopSettings Read(ParseResult flags)
    {
        TimeSpan interval = flags.GetValue(_interval) ?? TimeSpan.FromSeconds(1);
        if (interval < LeastInterval || interval > MostInterval)
        {
            throw new UsageException("--interval must be a time from 100ms to 1h");
        }

        return new TopSettings
        {
            Interval = interval,
            Order = Order(reports == Routes ? null : flags.GetValue(_sort)),
            ShowsRoutes = reports == Routes || (reports is null && flags.GetValue(_routes)),
            Lines = flags.GetValue(_lines) is { } lines ? (int)Math.Min(lines, int.MaxValue) : null,
            IsOnce = reports is not null || flags.GetValue(_once),
            IsJson = flags.GetValue(_json),
        };
    }

    private static TopOrder Order(string? name) => name switch
    {
        null or "rate" => TopOrder.Rate,
        "bytes" => TopOrder.Bytes,
        "pending" => TopOrder.Pending,
        "subs" => TopOrder.Subscriptions,
        _ => throw new UsageException($"--sort must be rate, bytes, pending or subs, not \"{name}\""),
    };
}
