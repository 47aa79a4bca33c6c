using System.Collections.Concurrent;
using System.Net;
using Broker.Protocol;
using Broker.Transport;

namespace Broker.Server;

/// <summary>The state that all client sessions of one server share.</summary>
internal sealed class ServerCore
{
    private const long MaxAuthenticationBytes = 32L * 1024 * 1024;

    private readonly EventLoopGroup _loops;
    private readonly LoopState[] _states;
    private readonly SubscriptionRemovalQueue?[] _removals;
    private readonly long _derivedPendingTotal;
    private readonly int _derivedSubscriptions;
    private readonly ConcurrentDictionary<ClientSession, bool> _sessions = new();
    private volatile BrokerServerOptions _options;
    private volatile bool _shuttingDown;
    private volatile bool _lameDuck;
    private volatile bool _draining;
    private volatile SecurityRules _security;
    private IServerKeys? _keys;
    private volatile ServerTls? _tls;
    private long _lastClient;
    private int _infoVersion;
    private long _optionsLoaded;
    private int _sessionCount;

    private int _connections;
    private long _slowConsumers;
    private long _undeliveredMessages;
    private long _undeliveredBytes;
    private int _undeliveredClients;

    internal ServerCore(BrokerServerOptions options, EventLoopGroup loops)
    {
        _options = options;
        _loops = loops;
        OptionsLoaded = Now;
        PendingTotal = new PendingTotal(this);
        long heap = HeapLimit.Read();
        _derivedPendingTotal = HeapLimit.MaxBufferedBytes(heap);
        _derivedSubscriptions = SubscriptionLimits.PerClient(heap);
        SubscriptionBytes = SubscriptionLimits.CreateBudget(heap);
        AuthenticationBytes = new ByteBudget(HeapLimit.Reduce(MaxAuthenticationBytes, heap));
        ReplyGrantBytes = new ByteBudget(HeapLimit.Reduce(ReplyGrants.MaxBytesInAll, heap));
        Log = new ServerLog(options.Logger);
        OperatorMode? tokens = options.CreateOperatorMode(loops.TimeProvider);
        AccountPlan plan = options.CreatePlan(tokens);
        _tls = ServerTls.Create(options.Tls);
        _tls?.LogValidity(Log);
        _keys = options.AuthCallout is null && options.Operator is null ? null : options.CreateServerKeys?.Invoke();
        Identity = new ServerIdentity(options.ServerName, _keys?.PublicKey);
        AccountCallouts = new AccountCallouts(
            () => CreateCalloutServer(Options), name => Accounts!.Find(name), () => Security.Tokens as OperatorMode);
        tokens?.Callouts = AccountCallouts.Of;
        _security = new SecurityRules(options, tokens, CreateCallout(options));
        Accounts = new AccountDirectory(plan, loops);
        _states = new LoopState[loops.Count];
        _removals = new SubscriptionRemovalQueue?[_states.Length];
        for (int i = 0; i < _states.Length; i++)
        {
            _states[i] = new LoopState(i, alone: loops.Count == 1);
            _states[i].SetSampling(options.SampleSubjects);
        }
    }

    /// <summary>The current options. A reload replaces the object and never changes the old object.</summary>
    internal BrokerServerOptions Options
    {
        get => _options;
        set => _options = value;
    }

    /// <summary>The UTC time when the current options were put into effect. Written by the reload.</summary>
    internal DateTime OptionsLoaded
    {
        get => new(Interlocked.Read(ref _optionsLoaded), DateTimeKind.Utc);
        set => Interlocked.Exchange(ref _optionsLoaded, value.Ticks);
    }

    internal ServerLog Log { get; }

    /// <summary>The event loops of the server.</summary>
    internal EventLoopGroup Loops => _loops;

    /// <summary>The clock of the server, which is the clock of its event loops.</summary>
    internal TimeProvider Time => _loops.TimeProvider;

    /// <summary>The current UTC time of the server's clock.</summary>
    internal DateTime Now => Time.GetUtcNow().UtcDateTime;

    /// <summary>The current time of the server's clock in milliseconds, as the event loops count it.</summary>
    internal long Tick => _loops.CurrentTick;

    /// <summary>
    /// The current security rules. A new session reads them when it connects; connected sessions are notified of a
    /// change.
    /// </summary>
    internal SecurityRules Security
    {
        get => _security;
        set => _security = value;
    }

    /// <summary>The TLS settings for new connections; null without TLS.</summary>
    internal ServerTls? Tls
    {
        get => _tls;
        set => _tls = value;
    }

    /// <summary>The queue that verifies passwords and signatures on at most half the processors.</summary>
    internal VerificationQueue Verifications { get; } = new(Math.Max(1, Environment.ProcessorCount / 2));

    /// <summary>The budget for received bytes of clients whose CONNECT is being verified.</summary>
    internal ByteBudget AuthenticationBytes { get; }

    /// <summary>The budget for the reply subjects that clients may publish to as responders.</summary>
    internal ByteBudget ReplyGrantBytes { get; }

    internal ServerIdentity Identity { get; }

    /// <summary>The parser limits for a new connection.</summary>
    internal ParserLimits ParserLimits => new(Options.MaxControlLine, Options.MaxPayload);

    internal PendingTotal PendingTotal { get; }

    /// <summary>
    /// The limit on bytes that are queued for all clients: the option's value, or a part of the heap limit; 0 for no
    /// limit.
    /// </summary>
    internal long MaxPendingTotal => Options.MaxPendingTotal is var said and not 0 ? said : _derivedPendingTotal;

    /// <summary>
    /// The limit on the subscriptions of a client: the option's value, or a number that follows from the heap limit; 0
    /// for no limit.
    /// </summary>
    internal int MaxSubscriptions => Options.MaxSubscriptions is var said and not 0 ? said : _derivedSubscriptions;

    /// <summary>The budget for the subscriptions of all clients; null if the heap is not limited.</summary>
    internal ByteBudget? SubscriptionBytes { get; }

    internal AccountDirectory Accounts { get; }

    /// <summary>The message targets, which receive messages without a connection.</summary>
    internal TargetList Targets { get; } = new();

    /// <summary>The receiver of session events. It is set before the first client connects.</summary>
    internal ISessionEvents Events { get; set; } = null!;

    internal ClosedConnections Closed { get; } = new();

    internal int LoopCount => _states.Length;

    internal long PayloadIn => _states.Sum(s => s.PayloadIn);

    internal long PayloadOut => _states.Sum(s => s.PayloadOut);

    /// <summary>The address in INFO, which is the first address that the server listens on.</summary>
    internal EndPoint? AdvertisedEndPoint { get; set; }

    /// <summary>Whether the server is shutting down: it reads nothing more and refuses new clients.</summary>
    internal bool IsShuttingDown
    {
        get => _shuttingDown;
        set => _shuttingDown = value;
    }

    /// <summary>
    /// The callback that reads the program's configuration again and applies it; null if the program has set no
    /// callback.
    /// </summary>
    internal Func<Task>? RereadConfiguration { get; set; }

    /// <summary>The streams of the server; null if it has none. Set before the first client connects.</summary>
    internal IServerStreams? Streams { get; set; }

    /// <summary>Whether the server is in lame duck mode: clients are asked to move to another server.</summary>
    internal bool IsLameDuck
    {
        get => _lameDuck;
        set => _lameDuck = value;
    }

    /// <summary>
    /// Whether the server is draining: messages that a client does not receive are counted as undelivered.
    /// </summary>
    internal bool IsDraining
    {
        get => _draining;
        set => _draining = value;
    }

    internal bool HasSessions => !_sessions.IsEmpty;

    /// <summary>
    /// The number of open connections, including connections of refused clients that are not closed yet. The getter
    /// does not visit the connections.
    /// </summary>
    internal int SessionCount => Volatile.Read(ref _sessionCount);

    internal ICollection<ClientSession> Sessions => _sessions.Keys;

    /// <summary>
    /// Enumerates <see cref="Sessions"/> without a copy and without a lock. It may miss sessions that connect or
    /// disconnect meanwhile.
    /// </summary>
    internal IEnumerable<ClientSession> EnumerateSessions()
    {
        foreach (KeyValuePair<ClientSession, bool> session in _sessions)
        {
            yield return session.Key;
        }
    }

    internal DrainReport Undelivered => new(
        Interlocked.Read(ref _undeliveredMessages),
        Interlocked.Read(ref _undeliveredBytes),
        Volatile.Read(ref _undeliveredClients));

    /// <summary>The services of accounts of operators that decide about logins.</summary>
    internal AccountCallouts AccountCallouts { get; }

    /// <summary>
    /// Creates the auth callout of options; null without one. If the current one has the same options, it is used
    /// again, so that its clients stay connected.
    /// </summary>
    internal IAuthCallout? CreateCallout(BrokerServerOptions options)
    {
        if (options.AuthCallout is not { } callout)
        {
            return null;
        }

        if (_security?.Callout is AuthCallout before && before.Options.IsSameAs(callout))
        {
            return before;
        }

        return new AuthCallout(callout, CreateCalloutServer(options)!);
    }

    // Null if the server has no keys.
    private CalloutServer? CreateCalloutServer(BrokerServerOptions options)
    {
        _keys ??= options.CreateServerKeys?.Invoke();
        string host = (AdvertisedEndPoint as IPEndPoint)?.Address.ToString() ?? "127.0.0.1";
        return _keys is null ? null
            : new CalloutServer(_keys, options.SignatureVerifier!, Time, Identity.Name, host, ServerIdentity.ProtocolVersion, Open);
    }

    private MessageTarget Open(string accountName, IMessageTargetHandler handler)
        => OpenTarget(
            Accounts.Find(accountName) ?? throw new InvalidOperationException($"there is no account '{accountName}'"), handler, AuthCallout.MaxPendingBytes);

    /// <summary>Adds a target of the server itself to an account.</summary>
    internal MessageTarget OpenTarget(Account account, IMessageTargetHandler handler, int maxPendingBytes = 64 * 1024 * 1024)
    {
        EventLoop loop = _loops.Next();
        var target = new MessageTarget(
            StateOf(loop), Targets, account, loop, new MessageTargetOptions { MaxPendingBytes = maxPendingBytes, StallFastPublishers = false }, handler);
        Targets.Add(target);
        return target;
    }

    internal LoopState StateOf(EventLoop loop) => _states[loop.Index];

    /// <summary>
    /// The queue that removes the subscriptions of closed clients of this loop. Called on this loop.
    /// </summary>
    internal SubscriptionRemovalQueue RemovalsOf(EventLoop loop) => _removals[loop.Index] ??= new SubscriptionRemovalQueue(loop);

    internal ulong NextClientId() => (ulong)Interlocked.Increment(ref _lastClient);

    /// <summary>
    /// Adds a client. If the server refuses the client, the method returns false and the error text for the client. A
    /// client that exceeds the connection limit does not count towards it, however long its connection takes to close.
    /// </summary>
    internal bool TryAddSession(ClientSession session, out string refusal)
    {
        refusal = "maximum connections exceeded";
        // A client may still arrive after the listeners have been closed: it was being accepted, or it uses WebSocket.
        bool leaving = IsShuttingDown || (IsLameDuck && !session.IsInProcess);
        bool enters = Interlocked.Increment(ref _connections) <= Options.MaxConnections;
        _sessions.TryAdd(session, enters);
        Interlocked.Increment(ref _sessionCount);
        if (!enters)
        {
            Interlocked.Decrement(ref _connections);
        }
        else if (leaving)
        {
            refusal = "Server Shutdown";
        }

        // Options and rules may have changed after the session had read them and before the session was in the list.
        session.ApplyMissedChanges();
        return enters && !leaving;
    }

    internal void RemoveSession(ClientSession session, Connection connection, CloseReason reason, Exception? error)
    {
        if (!_sessions.TryGetValue(session, out bool entered))
        {
            return;
        }

        if (entered)
        {
            Interlocked.Decrement(ref _connections);
        }

        if (CloseText.IsSlowConsumer(reason))
        {
            Interlocked.Increment(ref _slowConsumers);
        }

        Closed.Add(session, reason, Now);
        Log.Closed(session.Id, session.RemoteEndPoint, reason, connection.PendingBytes, error);
        if (IsDraining && connection.PendingBytes > 0)
        {
            CountUndelivered(session, connection);
        }

        // Remove the session last: a drain that finds no session reports the counters.
        _sessions.TryRemove(session, out _);
        session.Account.Past.Add(session.MessagesIn, session.PayloadIn, session.MessagesOut, session.PayloadOut);
        Interlocked.Decrement(ref _sessionCount);
    }

    /// <summary>A version that increases when the content of INFO changes for connected clients.</summary>
    internal int InfoVersion => Volatile.Read(ref _infoVersion);

    /// <summary>
    /// Marks INFO as changed. Called after the content has changed and before INFO is sent to connected clients.
    /// </summary>
    internal void MarkInfoChanged() => Interlocked.Increment(ref _infoVersion);

    /// <param name="session">The client.</param>
    /// <param name="isLameDuck">Whether to ask this client to move to another server.</param>
    internal byte[] InfoFor(ClientSession session, bool isLameDuck = false)
    {
        session.SetInfoVersion(InfoVersion);
        var address = AdvertisedEndPoint as IPEndPoint;
        return InfoWriter.Write(
            Identity,
            address?.Address.ToString() ?? "127.0.0.1",
            address?.Port ?? 0,
            Options,
            session.MaxPayload,
            IsLameDuck || isLameDuck,
            session.Id,
            (session.RemoteEndPoint as IPEndPoint)?.Address.ToString(),
            session.MustAuthenticate,
            session.Nonce,
            session.Tls,
            Streams);
    }

    /// <summary>Lets each loop begin or end to sample messages, as the options say.</summary>
    internal void ApplySampling()
    {
        for (int i = 0; i < _states.Length; i++)
        {
            LoopState state = _states[i];
            // If reloads follow each other closely, each action applies the latest options.
            _loops[i].Post(() =>
            {
                if ((state.Sampler?.Interval ?? 0) != Options.SampleSubjects)
                {
                    state.SetSampling(Options.SampleSubjects);
                }
            });
        }
    }

    /// <summary>The tables of sampled subjects, one of each loop; none without sampling.</summary>
    internal IEnumerable<SubjectSampler> Samplers => _states.Select(s => s.Sampler).OfType<SubjectSampler>();

    internal ServerSnapshot Snapshot() => new(
        Volatile.Read(ref _connections),
        Interlocked.Read(ref _lastClient),
        Accounts.All.Sum(a => a.Router.SubscriptionCount),
        _states.Sum(s => s.MessagesIn),
        _states.Sum(s => s.BytesIn),
        _states.Sum(s => s.MessagesOut),
        _states.Sum(s => s.BytesOut),
        Interlocked.Read(ref _slowConsumers),
        _states.Sum(s => s.Dropped),
        _states.Sum(s => s.Stalls));

    private void CountUndelivered(ClientSession session, Connection connection)
    {
        (long messages, long bytes) = connection.CountUnsent();
        // Unsent PINGs and error texts do not count as undelivered messages.
        if (messages != 0)
        {
            Interlocked.Add(ref _undeliveredMessages, messages);
            Interlocked.Add(ref _undeliveredBytes, bytes);
            Interlocked.Increment(ref _undeliveredClients);
            Log.NotDelivered(session.Id, session.RemoteEndPoint, messages, bytes);
        }
    }
}
