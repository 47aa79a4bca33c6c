using System.Text;
using Broker.Protocol;

namespace Broker.Server;

// Inspection of a server. Counters are read from other threads while the loops run. Only lists of subscriptions are
// copied by the loops, as references; other threads convert them to text.
public sealed partial class BrokerServer
{
    private readonly DateTime _started;
    private readonly ProcessUsage _usage = new();
    private readonly SubscriptionListings _listings = new();

    /// <summary>
    /// Describes the server with its configuration and its counters. Thread-safe; it does not use the event loops.
    /// </summary>
    public ServerDescription Inspect()
    {
        BrokerServerOptions options = _core.Options;
        return new ServerDescription
        {
            Id = _core.Identity.Id,
            Name = _core.Identity.Name,
            ProtocolVersion = ServerIdentity.ProtocolVersion,
            EndPoint = _core.AdvertisedEndPoint,
            SystemAccount = _core.Accounts.SystemAccount.Name,
            IsShuttingDown = _core.IsShuttingDown,
            Started = _started,
            Now = _core.Now,
            MemoryBytes = Environment.WorkingSet,
            Cores = Environment.ProcessorCount,
            Loops = Loops.Count,
            CpuPercent = _usage.Percent(),
            Counters = _core.Snapshot(),
            RefusedConnections = Loops.ConnectionBudget.Refused,
            PayloadBytesIn = _core.PayloadIn,
            PayloadBytesOut = _core.PayloadOut,
            Routing = InspectRouting(),
            Tags = options.ServerTags,
            MaxConnections = options.MaxConnections,
            MaxPayload = options.MaxPayload,
            MaxControlLine = options.MaxControlLine,
            MaxPending = options.MaxPending,
            IsAuthRequired = _core.Security.Anonymous is null,
            AuthTimeout = _core.Security.Timeout,
            IsTlsRequired = _core.Tls is { IsOptional: false },
            IsTlsVerified = _core.Tls is { Verifies: true },
            TlsTimeout = _core.Tls?.Timeout ?? new ServerTlsOptions().Timeout,
            PingInterval = options.PingInterval,
            PingMax = options.PingMax,
            WriteDeadline = options.WriteDeadline,
        };
    }

    /// <summary>Describes all accounts, ordered by name. Thread-safe.</summary>
    public IReadOnlyList<AccountDescription> InspectAccounts()
        => [.. _core.Accounts.All.OrderBy(a => a.Name, StringComparer.Ordinal).Select(Describe)];

    /// <summary>
    /// Lists clients. Only the clients of the page are described; the others are visited to determine the order. The
    /// event loops do no work for it unless the query requests subscriptions; they then copy at most
    /// <see cref="ConnectionQuery.MaxListedSubscriptions"/> references. The server keeps the descriptions of the last
    /// <c>10,000</c> closed clients.
    /// </summary>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    public async Task<ConnectionPage> InspectConnectionsAsync(
        ConnectionQuery? query = null, CancellationToken cancellationToken = default)
    {
        query = (query ?? new ConnectionQuery()).Clamp();
        DateTime now = _core.Now;
        var list = new ConnectionList(query, now, _core.Tick);
        if (query.States.HasFlag(ConnectionStates.Open))
        {
            list.AddOpen(_core.Sessions);
        }

        if (query.States.HasFlag(ConnectionStates.Closed))
        {
            list.AddClosed(_core.Closed.ToArray());
        }

        List<ConnectionList.Entry> page = list.Page();
        var connections = new List<ConnectionDescription>(page.Count);
        int room = ConnectionQuery.MaxListedSubscriptions;
        foreach (ConnectionList.Entry entry in page)
        {
            ConnectionDescription facts = entry.Describe(now);
            if (query.WithSubscriptions)
            {
                Subscription[] copied = entry.Session is { Subscriptions.Count: > 0 } session && room > 0
                    ? await CopyAsync(session, 0, room, cancellationToken).ConfigureAwait(false)
                    : [];
                room -= copied.Length;
                facts = facts with { SubscriptionList = [.. copied.Select(s => Describe(entry.Session!, s))] };
            }

            connections.Add(facts);
        }

        return new ConnectionPage(connections, list.Total, query.Offset, query.Limit);
    }

    /// <summary>
    /// Lists subscriptions, ordered by client and by the number of the sid. Only the loops of clients on the page do
    /// work for it; they copy a few thousand references at a time. The subscriptions of a client with very many are
    /// sorted for the first page. The sorted list is kept for following pages, as long as these are requested soon and
    /// the client does not subscribe meanwhile.
    /// </summary>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    public async Task<SubscriptionPage> InspectSubscriptionsAsync(
        SubscriptionQuery? query = null, CancellationToken cancellationToken = default)
    {
        query = (query ?? new SubscriptionQuery()).Clamp();
        var found = new List<SubscriptionDescription>();
        if (query.Subject is not null)
        {
            byte[] subject = Encoding.UTF8.GetBytes(query.Subject);
            IEnumerable<Subscription> matching = Subject.IsValidLiteral(subject)
                ? _core.Accounts.All.Where(a => IsOf(query.Account, a)).SelectMany(a => a.Router.Match(subject))
                : [];
            // A subscription may have ended since it was found.
            IEnumerable<(ClientSession Session, Subscription Subscription)> there = matching
                .Select(s => (Session: ClientSession.Of(s), Subscription: s))
                .Where(s => s.Session is not null)
                .Select(s => (s.Session!, s.Subscription));
            found.AddRange(there
                .OrderBy(s => s.Session.Id)
                .Skip(query.Offset)
                .Take(query.Limit)
                .Select(s => Describe(s.Session, s.Subscription)));
            return new SubscriptionPage(found, query.Offset, query.Limit);
        }

        int skip = query.Offset;
        foreach (ClientSession session in _core.Sessions.Where(s => IsOf(query.Account, s.Account)).OrderBy(s => s.Id))
        {
            int count = session.Subscriptions.Count;
            if (skip >= count)
            {
                skip -= count;
                continue;
            }

            ArraySegment<Subscription> listed = await _listings
                .PageAsync(session, skip, query.Limit - found.Count, cancellationToken)
                .ConfigureAwait(false);
            found.AddRange(listed.Select(s => Describe(session, s)));
            skip = 0;
            if (found.Count >= query.Limit)
            {
                break;
            }
        }

        return new SubscriptionPage(found, query.Offset, query.Limit);
    }

    private static async Task<Subscription[]> CopyAsync(
        ClientSession session, int skip, int most, CancellationToken cancellationToken)
    {
        var copied = new TaskCompletionSource<Subscription[]>(TaskCreationOptions.RunContinuationsAsynchronously);
        session.Loop.Post(() => copied.TrySetResult(session.Subscriptions.Copy(skip, most)));
        // A stopped loop runs no posted action, so the wait has a limit.
        Task done = await Task.WhenAny(copied.Task, Task.Delay(MaxPolls * PollInterval, cancellationToken))
            .ConfigureAwait(false);
        cancellationToken.ThrowIfCancellationRequested();
        return done == copied.Task ? await copied.Task.ConfigureAwait(false) : [];
    }

    private static SubscriptionDescription Describe(ClientSession session, Subscription subscription) => new(
        session.Account.Name,
        Encoding.UTF8.GetString(subscription.Filter),
        subscription.Queue is null ? null : Encoding.UTF8.GetString(subscription.Queue),
        Encoding.UTF8.GetString(subscription.Sid),
        subscription.Delivered,
        subscription.Max,
        session.Id);

    private static bool IsOf(string? wanted, Account account)
        => wanted is null || string.Equals(wanted, account.Name, StringComparison.Ordinal);

    private static AccountDescription Describe(Account account)
        => new(account.Name, account.Connections, account.Router.SubscriptionCount)
        {
            IsSystem = account.IsSystem,
            Updated = account.Updated,
            Routing = Describe(account.Router.Count()),
            Exports = account.Links.Exports,
            Imports = [.. account.Links.Imports.Select(Describe)],
        };

    private static ImportDescription Describe(ImportLink link) => new(
        link.IsService,
        link.Import.Account,
        Encoding.UTF8.GetString(link.Mapping.Remote),
        Encoding.UTF8.GetString(link.Mapping.Local));

    private RoutingCounters InspectRouting()
        => Describe(_core.Accounts.All.Select(a => a.Router.Count()).Aggregate(RouterCounts.Sum));

    private static RoutingCounters Describe(RouterCounts counts) => new(
        counts.Subscriptions,
        counts.Routes,
        counts.Inserts,
        counts.Removes,
        counts.Matches,
        counts.Matches == 0 ? 0 : (double)counts.Hits / counts.Matches,
        counts.MaxFanout,
        counts.Built == 0 ? 0 : (double)counts.Fanout / counts.Built);
}
