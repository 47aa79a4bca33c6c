using System.Text;
using Broker.Protocol;
using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// Describes a server for monitoring. Counters are read from other threads while the loops run. The loops do work only
/// for lists of subscriptions: they copy the references, and other threads convert the subscriptions to text.
/// Thread-safe.
/// </summary>
internal sealed class ServerInspector(ServerCore core, EventLoopGroup loops, AccountTraffic traffic)
{
    // The maximum time to wait for a loop, because a stopped loop runs no posted action.
    private static readonly TimeSpan LoopTimeout = TimeSpan.FromSeconds(5);

    private readonly DateTime _started = core.Now;
    private readonly ProcessUsage _usage = new();
    private readonly SubscriptionListings _listings = new();

    /// <summary>The number of times that a client's subscriptions were sorted to list them in pages.</summary>
    internal long SortedListings => _listings.Ordered;

    /// <inheritdoc cref="BrokerServer.Inspect"/>
    internal ServerDescription Inspect()
    {
        BrokerServerOptions options = core.Options;
        return new ServerDescription
        {
            Id = core.Identity.Id,
            Name = core.Identity.Name,
            ProtocolVersion = ServerIdentity.ProtocolVersion,
            SoftwareVersion = ServerIdentity.SoftwareVersion,
            EndPoint = core.AdvertisedEndPoint,
            SystemAccount = core.Accounts.SystemAccount.Name,
            IsShuttingDown = core.IsShuttingDown,
            Started = _started,
            OptionsLoaded = core.OptionsLoaded,
            Now = core.Now,
            MemoryBytes = Environment.WorkingSet,
            Cores = Environment.ProcessorCount,
            Loops = loops.Count,
            CpuPercent = _usage.Percent(),
            Counters = core.Snapshot(),
            RefusedConnections = loops.ConnectionBudget.Refused,
            PayloadBytesIn = core.PayloadIn,
            PayloadBytesOut = core.PayloadOut,
            Routing = InspectRouting(),
            Tags = options.ServerTags,
            MaxConnections = options.MaxConnections,
            MaxPayload = options.MaxPayload,
            MaxControlLine = options.MaxControlLine,
            MaxPending = options.MaxPending,
            MaxSubscriptions = core.MaxSubscriptions,
            MaxReceivedBytes = loops.ReceiveBudget.Limit,
            ReceivedBytes = loops.ReceiveBudget.UsedBytes,
            ReceiveWaiting = loops.ReceiveBudget.WaitingConnections,
            ReceiveClosed = loops.ReceiveBudget.ClosedConnections,
            IsAuthRequired = core.Security.Anonymous is null,
            AuthTimeout = core.Security.Timeout,
            IsTlsRequired = core.Tls is { IsOptional: false },
            IsTlsVerified = core.Tls is { Verifies: true },
            TlsTimeout = core.Tls?.Timeout ?? new ServerTlsOptions().Timeout,
            PingInterval = options.PingInterval,
            PingMax = options.PingMax,
            WriteDeadline = options.WriteDeadline,
        };
    }

    /// <inheritdoc cref="BrokerServer.InspectAccounts"/>
    internal IReadOnlyList<AccountDescription> InspectAccounts()
    {
        HashSet<string> withStreams = AccountsWithStreams();
        return [.. traffic.SumAll().OrderBy(a => a.Key.Name, StringComparer.Ordinal).Select(a => Describe(a.Key, a.Value, withStreams))];
    }

    /// <summary>Describes one account; null if it does not exist.</summary>
    internal AccountDescription? InspectAccount(string name)
        => core.Accounts.Find(name) is { } account ? Describe(account, traffic.Sum(account), AccountsWithStreams()) : null;

    /// <inheritdoc cref="BrokerServer.InspectSubjects"/>
    internal SubjectPage InspectSubjects()
    {
        int interval = core.Options.SampleSubjects;
        var rows = new List<SubjectSampler.Row>();
        foreach (SubjectSampler sampler in core.Samplers.Where(s => s.Interval == interval))
        {
            sampler.CopyTo(rows);
        }

        return new SubjectPage(
            interval,
            [
                .. rows.GroupBy(r => (r.Account, r.Subject, r.IsCut))
                    .OrderByDescending(g => g.Sum(r => r.Weight))
                    .Take(SubjectSampler.Capacity)
                    .Select(g => new SubjectTraffic(
                        g.Key.Account, g.Key.Subject, g.Key.IsCut, interval * g.Sum(r => r.Samples), interval * g.Sum(r => r.Payload))),
            ]);
    }

    /// <summary>
    /// Counts subscriptions of an account's clients. For a subject, counts the subscriptions that receive its messages.
    /// For a filter, counts the subscriptions that receive only messages that the filter matches.
    /// </summary>
    /// <param name="account">The account.</param>
    /// <param name="filter">The subject or the filter.</param>
    /// <param name="queue">If not null, only subscriptions of this queue group are counted.</param>
    internal async Task<int> CountSubscribersAsync(Account account, string filter, string? queue)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(filter);
        byte[]? group = queue is null ? null : Encoding.UTF8.GetBytes(queue);
        if (Subject.IsValidLiteral(bytes))
        {
            return account.Router.Match(bytes).Count(IsInGroup);
        }

        int count = 0;
        if (Subject.IsValidFilter(bytes))
        {
            foreach (ClientSession session in core.Sessions.Where(s => s.Account == account))
            {
                ArraySegment<Subscription> all = await _listings
                    .PageAsync(session, 0, int.MaxValue, CancellationToken.None)
                    .ConfigureAwait(false);
                count += all.Count(s => IsInGroup(s) && ImportLink.Covers(bytes, s.Filter));
            }
        }

        return count;

        bool IsInGroup(Subscription subscription)
            => group is null || (subscription.Queue is { } own && own.AsSpan().SequenceEqual(group));
    }

    /// <inheritdoc cref="BrokerServer.InspectConnectionsAsync"/>
    internal async Task<ConnectionPage> InspectConnectionsAsync(
        ConnectionQuery? query, CancellationToken cancellationToken)
    {
        query = (query ?? new ConnectionQuery()).Clamp();
        DateTime now = core.Now;
        var list = new ConnectionList(query, now, core.Tick);
        if (query.States.HasFlag(ConnectionStates.Open))
        {
            list.AddOpen(core.Sessions);
        }

        if (query.States.HasFlag(ConnectionStates.Closed))
        {
            list.AddClosed(core.Closed.ToArray());
        }

        if (query.SubscribedTo is { } filter)
        {
            list.Keep(await FindSubscribersAsync(query.Account, filter, cancellationToken).ConfigureAwait(false));
        }

        List<ConnectionList.Entry> page = list.Page();
        var connections = new List<ConnectionDescription>(page.Count);
        int left = ConnectionQuery.MaxListedSubscriptions;
        foreach (ConnectionList.Entry entry in page)
        {
            ConnectionDescription description = entry.Describe(now);
            if (query.WithSubscriptions)
            {
                var listed = new ListedSubscriptions();
                if (entry.Session is { Subscriptions.Count: > 0 } session && left > 0)
                {
                    listed.Add(session, await CopyAsync(session, 0, left, cancellationToken).ConfigureAwait(false));
                    left -= listed.Count;
                }

                description = description with { SubscriptionList = listed };
            }

            connections.Add(description);
        }

        return new ConnectionPage(connections, list.Total, query.Offset, query.Limit);
    }

    /// <inheritdoc cref="BrokerServer.InspectSubscriptionsAsync"/>
    internal async Task<SubscriptionPage> InspectSubscriptionsAsync(
        SubscriptionQuery? query, CancellationToken cancellationToken)
    {
        query = (query ?? new SubscriptionQuery()).Clamp();
        var found = new ListedSubscriptions();
        if (query.Subject is not null)
        {
            byte[] subject = Encoding.UTF8.GetBytes(query.Subject);
            IEnumerable<Subscription> matching = Subject.IsValidLiteral(subject)
                ? core.Accounts.All.Where(a => IsOf(query.Account, a)).SelectMany(a => a.Router.Match(subject))
                : [];
            // A subscription may have ended since it was found.
            IEnumerable<(ClientSession Session, Subscription Subscription)> there = matching
                .Select(s => (Session: ClientSession.Of(s), Subscription: s))
                .Where(s => s.Session is not null)
                .Select(s => (s.Session!, s.Subscription));
            foreach (IGrouping<ClientSession, Subscription> client in there
                .OrderBy(s => s.Session.Id)
                .Skip(query.Offset)
                .Take(query.Limit)
                .GroupBy(s => s.Session, s => s.Subscription))
            {
                found.Add(client.Key, client.ToArray());
            }

            return new SubscriptionPage(found, query.Offset, query.Limit);
        }

        int skip = query.Offset;
        foreach (ClientSession session in core.Sessions.Where(s => IsOf(query.Account, s.Account)).OrderBy(s => s.Id))
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
            found.Add(session, listed);
            skip = 0;
            if (found.Count >= query.Limit)
            {
                break;
            }
        }

        return new SubscriptionPage(found, query.Offset, query.Limit);
    }

    // Returns the ids of the clients with a subscription that can receive messages which the filter matches.
    private async Task<HashSet<ulong>> FindSubscribersAsync(
        string? account, string filter, CancellationToken cancellationToken)
    {
        var found = new HashSet<ulong>();
        byte[] bytes = Encoding.UTF8.GetBytes(filter);
        if (!Subject.IsValidFilter(bytes))
        {
            return found;
        }

        foreach (ClientSession session in core.Sessions.Where(s => IsOf(account, s.Account)))
        {
            ArraySegment<Subscription> all = await _listings
                .PageAsync(session, 0, int.MaxValue, cancellationToken)
                .ConfigureAwait(false);
            if (all.Any(s => ImportLink.Overlap(bytes, s.Filter)))
            {
                found.Add(session.Id);
            }
        }

        return found;
    }

    private static async Task<Subscription[]> CopyAsync(
        ClientSession session, int skip, int max, CancellationToken cancellationToken)
    {
        var copied = new TaskCompletionSource<Subscription[]>(TaskCreationOptions.RunContinuationsAsynchronously);
        session.Loop.Post(() => copied.TrySetResult(session.Subscriptions.Copy(skip, max)));
        Task done = await Task.WhenAny(copied.Task, Task.Delay(LoopTimeout, cancellationToken)).ConfigureAwait(false);
        cancellationToken.ThrowIfCancellationRequested();
        return done == copied.Task ? await copied.Task.ConfigureAwait(false) : [];
    }

    private static bool IsOf(string? wanted, Account account)
        => wanted is null || string.Equals(wanted, account.Name, StringComparison.Ordinal);

    private HashSet<string> AccountsWithStreams() => new(core.Streams?.Describe().Accounts ?? [], StringComparer.Ordinal);

    private static AccountDescription Describe(Account account, AccountTraffic.Totals traffic, HashSet<string> withStreams)
        => new(account.Name, account.Connections, account.Router.SubscriptionCount)
        {
            MessagesIn = traffic.MessagesIn,
            BytesIn = traffic.BytesIn,
            MessagesOut = traffic.MessagesOut,
            BytesOut = traffic.BytesOut,
            IsSystem = account.IsSystem,
            HasStreams = withStreams.Contains(account.Name),
            Peers = account.Peers,
            Updated = account.Updated,
            Routing = Describe(account.Router.Count()),
            Mappings = account.Mappings,
            Exports = account.Links.Exports,
            Imports = [.. account.Links.Imports.Select(Describe)],
        };

    private static ImportDescription Describe(ImportLink link) => new(
        link.IsService,
        link.Import.Account,
        Encoding.UTF8.GetString(link.Mapping.Remote),
        Encoding.UTF8.GetString(link.Mapping.Local))
    {
        Share = link.Import is ServiceImport { Share: true },
    };

    private RoutingCounters InspectRouting()
        => Describe(core.Accounts.All.Select(a => a.Router.Count()).Aggregate(RouterCounts.Sum));

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
