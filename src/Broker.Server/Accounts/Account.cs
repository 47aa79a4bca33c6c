using System.Collections.Concurrent;
using System.Text;
using System.Text.Json;

namespace Broker.Server;

/// <summary>
/// An account: a separate set of subjects with its own router, and its imports from other accounts. Thread-safe.
/// </summary>
internal sealed class Account
{
    private readonly Lock _gate = new();

    // Key: a client's subscription in this account. Value: the subscriptions that stream imports add for it in other
    // accounts.
    private readonly Dictionary<Subscription, Shadow[]> _shadows = [];
    private readonly ConcurrentDictionary<Account, Subscription> _replySubscriptions = new();
    private volatile StreamSource[] _streams = [];
    private volatile AccountLimits _limits = AccountLimits.None;
    private ImportLink[] _links = [];
    private HashSet<Account> _exporters = [];
    private List<Subscription> _services = [];
    private int _connections;
    private long _totalConnections;
    private int _peers;

    internal Account(string name, Action<Account> awaitsReplies)
    {
        Name = name;
        JsonName = Encoding.UTF8.GetBytes(JsonEncodedText.Encode(name).ToString());
        Router = new Router { JsonName = JsonName };
        OnRequestPending = awaitsReplies;
    }

    internal string Name { get; }

    /// <summary>The name in its JSON encoding, without the quotes.</summary>
    internal byte[] JsonName { get; }

    internal Router Router { get; }

    /// <summary>The requests of this account's clients that wait for replies from other accounts.</summary>
    internal ForwardedRequests Requests { get; } = new();

    /// <summary>A callback that is called when a request has been added to <see cref="Requests"/>.</summary>
    internal Action<Account> OnRequestPending { get; }

    /// <summary>The traffic of the clients that have left.</summary>
    internal PastTraffic Past { get; } = new();

    internal int Connections => Volatile.Read(ref _connections);

    /// <summary>The number of peer servers that are connected now.</summary>
    internal int Peers => Volatile.Read(ref _peers);

    internal long TotalConnections => Interlocked.Read(ref _totalConnections);

    /// <summary>The exports and imports of the account, for monitoring.</summary>
    internal AccountLinks Links { get; set; } = AccountLinks.None;

    /// <summary>The mappings of the account, for monitoring.</summary>
    internal IReadOnlyList<SubjectMapping> Mappings { get; set; } = [];

    /// <summary>The current limits. A reload replaces the object.</summary>
    internal AccountLimits Limits
    {
        get => _limits;
        set => _limits = value;
    }

    internal bool IsSystem { get; set; }

    /// <summary>The clients of an account of an operator; null for an account of the configuration.</summary>
    internal AccountMembers? Members { get; set; }

    /// <summary>
    /// The UTC time when the account was created, or when a reload last replaced the users and the accounts.
    /// </summary>
    internal DateTime Updated { get; set; }

    /// <summary>Counts a client. Returns false if the account has its maximum number of clients.</summary>
    internal bool TryAddConnection()
    {
        int count = Volatile.Read(ref _connections);
        int seen = -1;
        while (seen != count)
        {
            if (count >= Limits.Connections)
            {
                return false;
            }

            (seen, count) = (count, Interlocked.CompareExchange(ref _connections, count + 1, count));
        }

        Interlocked.Increment(ref _totalConnections);
        return true;
    }

    /// <summary>
    /// Counts a client less if the account has more clients than its maximum. Returns true then: the caller must close
    /// this client.
    /// </summary>
    internal bool TryRemoveExcess()
    {
        int count = Volatile.Read(ref _connections);
        int seen = -1;
        while (seen != count)
        {
            if (!(count > Limits.Connections))
            {
                return false;
            }

            (seen, count) = (count, Interlocked.CompareExchange(ref _connections, count - 1, count));
        }

        return true;
    }

    /// <summary>Counts a peer server that has connected, or that has left.</summary>
    internal void CountPeer(int change) => Interlocked.Add(ref _peers, change);

    internal void RemoveConnection() => Interlocked.Decrement(ref _connections);

    /// <summary>
    /// Whether the account imports streams, or still has subscriptions in other accounts from earlier imports.
    /// </summary>
    internal bool ImportsStreams
    {
        get
        {
            lock (_gate)
            {
                return _streams.Length != 0 || _shadows.Count != 0;
            }
        }
    }

    /// <summary>
    /// Adds a subscription in this account and in the accounts that this account imports streams from. Messages that
    /// are published after the method has returned reach the subscription.
    /// </summary>
    /// <param name="subscription">The subscription.</param>
    /// <param name="work">Increased by the number of visited router entries.</param>
    internal void Add(Subscription subscription, ref long work)
    {
        Router.Add(subscription, ref work);
        if (_streams.Length != 0)
        {
            ApplyImports(subscription);
        }
    }

    /// <summary>
    /// Removes a subscription from this account and from all other accounts that it was added to. Returns false if the
    /// subscription has been removed already.
    /// </summary>
    internal bool Remove(Subscription subscription)
    {
        long work = 0;
        return Remove(subscription, ref work);
    }

    /// <inheritdoc cref="Remove(Subscription)"/>
    /// <param name="subscription">The subscription.</param>
    /// <param name="work">Increased by the number of visited router entries.</param>
    internal bool Remove(Subscription subscription, ref long work)
    {
        if (!Router.Remove(subscription, ref work))
        {
            return false;
        }

        // The subscription is closed now, so ApplyImports will not add it to other accounts again.
        lock (_gate)
        {
            if (_shadows.Remove(subscription, out Shadow[]? shadows))
            {
                Remove(shadows);
            }
        }

        return true;
    }

    /// <summary>Replaces the filters of one reservation. The new filters must be valid.</summary>
    internal void Reserve(IReadOnlyCollection<string> before, IReadOnlyCollection<string> after)
    {
        Router.Reservations.Replace(before, after);
        // The cached routes of other accounts contain subscriptions that this account's imports added. The reservation
        // changes which messages these subscriptions may receive.
        lock (_gate)
        {
            foreach (Shadow shadow in _shadows.Values.SelectMany(static shadows => shadows))
            {
                shadow.Exporter.Router.Refresh(shadow.Subscription);
            }
        }
    }

    /// <summary>Updates the routers after the permissions of the subscription's client have changed.</summary>
    internal void Refresh(Subscription subscription)
    {
        Router.Refresh(subscription);
        lock (_gate)
        {
            foreach (Shadow shadow in _shadows.GetValueOrDefault(subscription, []))
            {
                shadow.Exporter.Router.Refresh(shadow.Subscription);
            }
        }
    }

    /// <summary>
    /// Adds a subscription in the accounts of the current stream imports, and removes it from the accounts of earlier
    /// imports.
    /// </summary>
    internal void ApplyImports(Subscription subscription)
    {
        lock (_gate)
        {
            if (subscription.IsClosed)
            {
                return;
            }

            if (_shadows.Remove(subscription, out Shadow[]? before))
            {
                Remove(before);
            }

            var shadows = new List<Shadow>();
            foreach (StreamSource source in _streams)
            {
                if (source.Link.Mapping.FilterToRemote(subscription.Filter) is { } filter)
                {
                    var shadow = new StreamImportSubscription(subscription, source.Link.Mapping, filter, Router.Reservations);
                    source.Exporter.Router.Add(shadow);
                    shadows.Add(new Shadow(source.Exporter, shadow));
                }
            }

            if (shadows.Count != 0)
            {
                _shadows.Add(subscription, [.. shadows]);
            }
        }
    }

    /// <summary>
    /// Replaces the imports of the account. Call <see cref="ApplyImports"/> afterwards for each existing subscription.
    /// Returns false if the account has these imports already.
    /// </summary>
    internal bool Import(IEnumerable<ImportLink> links, Func<string, Account> find)
    {
        ImportLink[] all = [.. links];
        if (all.AsSpan().SequenceEqual(_links) && all.All(l => _exporters.Contains(find(l.Import.Account))))
        {
            return false;
        }

        _links = all;
        Links = Links with { Imports = all };
        _exporters = [.. all.Select(l => find(l.Import.Account))];
        _streams = [.. all.Where(l => !l.IsService).Select(l => new StreamSource(l, find(l.Import.Account)))];
        List<Subscription> before = _services;
        _services = [];
        // Add the new services before the old services are removed, so that every request meanwhile has a responder.
        foreach (ImportLink link in all.Where(l => l.IsService))
        {
            var target = new ServiceImportTarget(this, find(link.Import.Account), link);
            AcceptRepliesFrom(target.Exporter);
            Subscription service = target.Subscribe();
            _services.Add(service);
            Router.Add(service);
        }

        foreach (Subscription service in before)
        {
            Router.Remove(service);
        }

        return true;
    }

    /// <summary>
    /// Adds a subscription in <paramref name="exporter"/> that receives the replies to requests of this account.
    /// </summary>
    internal void AcceptRepliesFrom(Account exporter)
    {
        if (_replySubscriptions.ContainsKey(exporter))
        {
            return;
        }

        Subscription subscription = new ReplyTarget(this, exporter).Subscribe();
        if (_replySubscriptions.TryAdd(exporter, subscription))
        {
            exporter.Router.Add(subscription);
        }
    }

    /// <summary>
    /// Removes the subscriptions that receive replies in other accounts. Called after this account has been removed.
    /// </summary>
    internal void Detach()
    {
        foreach (Account exporter in _replySubscriptions.Keys)
        {
            RemoveRepliesFrom(exporter);
        }
    }

    /// <summary>
    /// Removes the subscription in <paramref name="exporter"/> that receives the replies to requests of this account.
    /// </summary>
    internal void RemoveRepliesFrom(Account exporter)
    {
        if (_replySubscriptions.TryRemove(exporter, out Subscription? subscription))
        {
            exporter.Router.Remove(subscription);
        }
    }

    private static void Remove(Shadow[] shadows)
    {
        foreach (Shadow shadow in shadows)
        {
            shadow.Exporter.Router.Remove(shadow.Subscription);
        }
    }

    private readonly record struct Shadow(Account Exporter, ShadowSubscription Subscription);

    private sealed record StreamSource(ImportLink Link, Account Exporter);
}
