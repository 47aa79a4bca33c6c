namespace Broker.Server;

/// <summary>
/// Answers the system requests that nats-server defines. Clients of the system account can send requests about the
/// server. Every client can send requests about itself and its own account. Thread-safe unless a member states
/// otherwise.
/// </summary>
internal sealed class SystemRequests(ServerCore core, SystemEvents events, RequestAnswers answers)
{
    /// <summary>The token in a request about all accounts, in place of the name of an account.</summary>
    internal const string AllAccounts = "PING";

    /// <summary>The beginning of the subjects of requests about streams.</summary>
    internal const string StreamsPrefix = "$JS.API.";

    private static readonly HashSet<string> ServerKinds = new(StringComparer.Ordinal)
    {
        "PING", "STATSZ", "IDZ", "HEALTHZ", "VARZ", "CONNZ", "SUBSZ", "ACCOUNTZ", "ROUTEZ", "LEAFZ", "GATEWAYZ", "JSZ",
    };

    private static readonly HashSet<string> Actions = new(StringComparer.Ordinal) { "KICK", "LDM", "RELOAD" };

    private static readonly HashSet<string> AccountKinds = new(StringComparer.Ordinal)
    {
        "CONNS", "CONNZ", "SUBSZ", "INFO", "STATZ", "LEAFZ", "JSZ",
    };

    // Requests of the system account do not wait for requests of other accounts.
    private readonly RequestQueue _ofSystem = new();
    private readonly RequestQueue _ofOthers = new();

    private Dictionary<Account, Subscription[]> _subscriptions = [];
    private Account? _system;

    /// <summary>
    /// Called when another account has become the system account. Set before the first client connects.
    /// </summary>
    internal Action<Account>? SystemAccountChanged { get; set; }

    /// <summary>
    /// Subscribes to requests in new accounts. If another account has become the system account, replaces the
    /// subscriptions of the earlier and the new system account. Called by one thread at a time.
    /// </summary>
    /// <param name="renews">Whether all subscriptions are replaced, because the server has other parts now.</param>
    internal void Subscribe(bool renews = false)
    {
        Account system = core.Accounts.SystemAccount;
        var subscriptions = new Dictionary<Account, Subscription[]>();
        foreach (Account account in core.Accounts.All)
        {
            bool isChanged = renews || (_system != system && (account == system || account == _system));
            if (_subscriptions.TryGetValue(account, out Subscription[]? before) && !isChanged)
            {
                subscriptions.Add(account, before);
                continue;
            }

            Subscription[] after = [.. Requests(account, account == system).Select(r => r.Subscribe())];
            Array.ForEach(after, account.Router.Add);
            Array.ForEach(before ?? [], s => account.Router.Remove(s));
            subscriptions.Add(account, after);
        }

        bool isOther = _system is not null && _system != system;
        _subscriptions = subscriptions;
        _system = system;
        if (isOther)
        {
            SystemAccountChanged?.Invoke(system);
        }
    }

    /// <summary>Subscribes to requests in an account that may be new. Called by one thread at a time.</summary>
    internal void Subscribe(Account account)
    {
        if (!_subscriptions.ContainsKey(account))
        {
            Subscription[] added = [.. Requests(account, account == core.Accounts.SystemAccount).Select(r => r.Subscribe())];
            Array.ForEach(added, account.Router.Add);
            _subscriptions.Add(account, added);
        }
    }

    /// <summary>Forgets an account that has been removed. Called by one thread at a time.</summary>
    internal void Forget(Account account) => _subscriptions.Remove(account);

    /// <summary>
    /// Whether a request about streams is refused in an account. An import of the service, and a peer server, may
    /// answer it. Called on any loop.
    /// </summary>
    internal bool RefusesStreams(Account account, ReadOnlySpan<byte> subject)
    {
        if (account.Peers > 0 || core.Streams?.HasStreams(account.Name) != false)
        {
            return false;
        }

        foreach (ImportLink link in account.Links.Imports)
        {
            if (link.IsService && link.Mapping.ToRemote(subject) is { Length: > 0 })
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>
    /// Queues a request, which is answered soon. Returns false if the request is unknown or too many requests wait: the
    /// requester then learns that there are no responders. Called on any loop.
    /// </summary>
    internal bool TryAnswer(ReceivedRequest request)
    {
        if (!IsKnown(request))
        {
            return false;
        }

        if (request.Scope == RequestScope.Streams)
        {
            ReadOnlyMemory<byte> refusal = core.Streams!.Refuse(request.Kind);
            return !refusal.IsEmpty && _ofOthers.TryAdd(() =>
            {
                events.Reply(request.Loop, request.ReplyAccount, request.Reply, refusal.ToArray());
                return Task.CompletedTask;
            });
        }

        RequestQueue queue = request.ReplyAccount.IsSystem ? _ofSystem : _ofOthers;
        return queue.TryAdd(async () =>
        {
            if (await answers.AnswerAsync(request).ConfigureAwait(false) is { } answer)
            {
                events.Reply(request.Loop, request.ReplyAccount, request.Reply, answer);
            }
        });
    }

    private bool IsKnown(ReceivedRequest request) => request.Scope switch
    {
        RequestScope.Servers => ServerKinds.Contains(request.Kind),
        RequestScope.ThisServer => request.Kind is not "PING" && (ServerKinds.Contains(request.Kind) || Actions.Contains(request.Kind)),
        RequestScope.Account => AccountKinds.Contains(request.Kind) && IsKnownAccount(request),
        _ => true,
    };

    private bool IsKnownAccount(ReceivedRequest request) => request.Kind switch
    {
        "CONNS" => core.Accounts.Find(request.Account!) is not null,
        "STATZ" => request.Account is AllAccounts || core.Accounts.Find(request.Account!) is not null,
        _ => true,
    };

    private IEnumerable<SystemRequest> Requests(Account account, bool isSystem)
    {
        yield return Request(RequestScope.Requester, "$SYS.REQ.USER.INFO");
        if (isSystem)
        {
            yield return Request(RequestScope.Servers, "$SYS.REQ.SERVER.PING");
            yield return Request(RequestScope.Servers, "$SYS.REQ.SERVER.PING.*");
            yield return Request(RequestScope.ThisServer, $"$SYS.REQ.SERVER.{core.Identity.Id}.*");
            yield return Request(RequestScope.Account, "$SYS.REQ.ACCOUNT.*.*");
            yield return Request(RequestScope.Subscribers, "$SYS.DEBUG.SUBSCRIBERS");
        }
        else
        {
            yield return Request(RequestScope.OwnAccount, "$SYS.REQ.SERVER.PING.CONNZ");
            yield return Request(RequestScope.OwnAccount, "$SYS.REQ.ACCOUNT.PING.CONNZ");
            yield return Request(RequestScope.OwnAccount, "$SYS.REQ.ACCOUNT.PING.STATZ");
            if (core.Streams?.HasStreams(account.Name) == false)
            {
                yield return Request(RequestScope.Streams, $"{StreamsPrefix}>");
            }
        }

        SystemRequest Request(RequestScope scope, string filter) => new(this, account, scope, filter);
    }
}
