using System.Globalization;
using System.Text;
using Broker.Cli.Top;
using Broker.Protocol;
using Broker.Server;

namespace Broker.Cli.Tracing;

/// <summary>
/// Knows the subscriptions of a running server from its monitoring pages: of this broker or of any nats-server.
/// </summary>
internal sealed class PageSource : ITraceSource
{
    // The name of the bridge's connections.
    private const string Bridge = "zeromq bridge";
    private const int MostAccounts = 1000;
    private const int MostSubscriptions = 1000;
    private const int MostNames = 100;

    private readonly MonitoringReader _reader;
    private readonly List<string> _unknown = ["The pages do not show permissions: -c reads them from a configuration file."];
    private readonly Dictionary<ulong, ConnectionEntry?> _connections = [];
    private TracePages.LeafNode[] _leafNodes = [];
    private TracePages.StreamAccount[] _streams = [];

    private PageSource(MonitoringReader reader, IReadOnlyList<TracedAccount> accounts)
    {
        _reader = reader;
        Accounts = accounts;
    }

    public IReadOnlyList<TracedAccount> Accounts { get; }

    public IReadOnlyList<string> Unknown => _unknown;

    /// <summary>Reads the accounts, the leaf nodes and the streams.</summary>
    /// <exception cref="IOException">A page cannot be read. The message is a line for the user.</exception>
    public static async Task<PageSource> OpenAsync(MonitoringReader reader, CancellationToken stop)
    {
        TracePages.Accounts list = await reader.FindAsync("accountz", TraceSerializer.Default.Accounts, stop)
            ?? throw new IOException("the server has no page /accountz, which a trace needs");
        string[] names = list.Names ?? [];
        var accounts = new List<TracedAccount>();
        foreach (string name in names.Take(MostAccounts))
        {
            TracePages.Accounts? page = await reader.FindAsync($"accountz?acc={Uri.EscapeDataString(name)}", TraceSerializer.Default.Accounts, stop);
            accounts.Add(new TracedAccount(name, [.. Mappings(page?.AccountDetail)], [.. Imports(page?.AccountDetail)]));
        }

        var source = new PageSource(reader, accounts)
        {
            _leafNodes = (await reader.FindAsync("leafz?subs=1", TraceSerializer.Default.LeafNodes, stop))?.Leafs ?? [],
            _streams = (await reader.FindAsync("jsz?accounts=1&streams=1&config=1", TraceSerializer.Default.Streams, stop))?.AccountDetails ?? [],
        };
        if (names.Length > MostAccounts)
        {
            source._unknown.Add(string.Create(CultureInfo.InvariantCulture, $"The server has {names.Length} accounts; only the first {MostAccounts} were read."));
        }

        return source;
    }

    public async Task<string?> FindAccountAsync(string user, CancellationToken stop)
    {
        ConnectionsPage? page = await _reader.FindAsync(
            $"connz?auth=1&limit=1&user={Uri.EscapeDataString(user)}", PageSerializer.Default.ConnectionsPage, stop);
        return page?.Connections?.FirstOrDefault()?.Account;
    }

    // The pages do not show permissions.
    public string? WhyNotPublish(string account, string user, string subject) => null;

    public async Task<IReadOnlyList<TraceReceiver>> FindReceiversAsync(string account, string subject, CancellationToken stop)
    {
        string query = string.Create(
            CultureInfo.InvariantCulture,
            $"subsz?subs=1&limit={MostSubscriptions}&acc={Uri.EscapeDataString(account)}&test={Uri.EscapeDataString(subject)}");
        TracePages.Subscriptions? page = await _reader.FindAsync(query, TraceSerializer.Default.Subscriptions, stop);
        TracePages.Subscription[] found = [.. (page?.SubscriptionsList ?? []).Where(subscription => !IsOfImport(account, subscription))];
        if (page?.SubscriptionsList?.Length >= MostSubscriptions)
        {
            _unknown.Add(string.Create(CultureInfo.InvariantCulture, $"More than {MostSubscriptions} subscriptions get the message; not all are shown."));
        }

        TraceReceiver[] streams = Streams(account, subject, out HashSet<string> filters);
        if (streams.Length > 0)
        {
            found = [.. await WithoutStreamsAsync(found, filters, stop)];
        }

        ILookup<string, TracePages.Subscription> groups = found.Where(static s => s.Qgroup is not null).ToLookup(static s => s.Qgroup!, StringComparer.Ordinal);
        var receivers = new List<TraceReceiver>();
        foreach (TracePages.Subscription subscription in found)
        {
            int members = subscription.Qgroup is { } group ? groups[group].Count() : 1;
            receivers.Add(await DescribeAsync(subscription, members, stop));
        }

        return [.. receivers, .. streams, .. LeafNodes(account, subject)];
    }

    private TraceReceiver[] Streams(string account, string subject, out HashSet<string> filters)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(subject);
        var receivers = new List<TraceReceiver>();
        filters = new HashSet<string>(StringComparer.Ordinal);
        foreach (TracePages.Stream stream in _streams.Where(of => of.Name == account).SelectMany(static of => of.StreamDetail ?? []))
        {
            if (stream.Config?.Subjects?.FirstOrDefault(filter => Subject.Matches(Encoding.UTF8.GetBytes(filter), bytes)) is { } filter)
            {
                filters.Add(filter);
                receivers.Add(new TraceReceiver($"stream {stream.Name}", TraceOutcome.Yes, $"stores {filter}"));
            }
        }

        return [.. receivers];
    }

    // nats-server lists the subscriptions of its streams too. Their clients are not among its connections.
    private async Task<IReadOnlyList<TracePages.Subscription>> WithoutStreamsAsync(
        IReadOnlyList<TracePages.Subscription> found, HashSet<string> filters, CancellationToken stop)
    {
        var clients = new List<TracePages.Subscription>();
        foreach (TracePages.Subscription subscription in found)
        {
            // Beyond the limit of names it is not known whose subscription it is.
            if (!filters.Contains(subscription.Subject) || await FindConnectionAsync(subscription.Cid, stop) is not null || !_connections.ContainsKey(subscription.Cid))
            {
                clients.Add(subscription);
            }
        }

        return clients;
    }

    private async Task<TraceReceiver> DescribeAsync(TracePages.Subscription subscription, int members, CancellationToken stop)
    {
        ConnectionEntry? connection = await FindConnectionAsync(subscription.Cid, stop);
        string name = string.Create(CultureInfo.InvariantCulture, $"client {subscription.Cid}")
            + (string.IsNullOrEmpty(connection?.Name) ? "" : $" \"{connection.Name}\"")
            + (string.IsNullOrEmpty(connection?.AuthorizedUser) ? "" : $" (user {connection.AuthorizedUser})");
        string why = $"has subscribed to {subscription.Subject}"
            + (connection?.Name?.StartsWith(Bridge, StringComparison.Ordinal) is true ? ", for ZeroMQ programs" : "")
            + (members > 1
                ? string.Create(CultureInfo.InvariantCulture, $"; one of {members} members of the queue group {subscription.Qgroup} gets each message")
                : subscription.Qgroup is { } only ? $", the only member of the queue group {only}" : "");
        return new TraceReceiver(name, members > 1 ? TraceOutcome.Part : TraceOutcome.Yes, why);
    }

    private async Task<ConnectionEntry?> FindConnectionAsync(ulong cid, CancellationToken stop)
    {
        if (!_connections.TryGetValue(cid, out ConnectionEntry? connection) && _connections.Count < MostNames)
        {
            string query = string.Create(CultureInfo.InvariantCulture, $"connz?auth=1&cid={cid}");
            connection = (await _reader.FindAsync(query, PageSerializer.Default.ConnectionsPage, stop))?.Connections?.FirstOrDefault();
            _connections.Add(cid, connection);
        }

        return connection;
    }

    private IEnumerable<TraceReceiver> LeafNodes(string account, string subject)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(subject);
        foreach (TracePages.LeafNode node in _leafNodes.Where(node => node.Account == account))
        {
            string? filter = node.SubscriptionsList?.FirstOrDefault(filter => Subject.Matches(Encoding.UTF8.GetBytes(filter), bytes));
            string name = string.IsNullOrEmpty(node.Name) ? string.Create(CultureInfo.InvariantCulture, $"{node.Ip}:{node.Port}") : node.Name;
            yield return filter is null
                ? new TraceReceiver($"leaf node {name}", TraceOutcome.No, "has no subscriber for the subject")
                : new TraceReceiver($"leaf node {name}", TraceOutcome.Yes, $"has subscribers for {filter}");
        }
    }

    // nats-server lists its own subscriptions for imports beside those of clients: a service in the account that
    // imports it, and a stream in the account that exports it.
    private bool IsOfImport(string account, TracePages.Subscription subscription)
        => (subscription.Account is { } of && of != account)
            || Accounts.FirstOrDefault(a => a.Name == account)?.Imports.OfType<ServiceImport>()
            .Any(import => (import.To ?? import.Subject) == subscription.Subject) is true;

    private static IEnumerable<SubjectMapping> Mappings(TracePages.Account? account)
    {
        foreach ((string source, TracePages.Destination[] shown) in account?.Mappings ?? [])
        {
            // The page ends with the messages that keep their subject, which a mapping does not name.
            bool isWhole = shown is [.., { Weight: 100 } last] && last.Subject == source && shown.Length > 1;
            int before = 0;
            var destinations = new List<MappingDestination>();
            foreach (TracePages.Destination destination in isWhole ? shown.SkipLast(1) : shown)
            {
                destinations.Add(new MappingDestination(destination.Subject, destination.Weight - before));
                before = destination.Weight;
            }

            SubjectMapping mapping;
            try
            {
                mapping = new SubjectMapping(source, destinations);
            }
            catch (ArgumentException)
            {
                // A function that only a later nats-server has.
                continue;
            }

            yield return mapping;
        }
    }

    private static IEnumerable<AccountImport> Imports(TracePages.Account? account)
    {
        foreach (TracePages.Import import in account?.Imports ?? [])
        {
            if (import is { Type: "stream", Account.Length: > 0, Subject.Length: > 0 })
            {
                yield return new StreamImport(import.Account, import.Subject) { To = import.LocalSubject };
            }
            else if (import is { Type: "service", Account.Length: > 0, To.Length: > 0 })
            {
                yield return new ServiceImport(import.Account, import.To) { To = import.Subject };
            }
        }
    }
}
