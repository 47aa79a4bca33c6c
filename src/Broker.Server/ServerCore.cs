using System.Collections.Concurrent;
using System.Net;
using Broker.Protocol;
using Broker.Server.Accounts;
using Broker.Server.Delivery;
using Broker.Server.Inspection;
using Broker.Server.Monitoring;
using Broker.Server.Security;
using Broker.Server.Sessions;
using Broker.Server.Tls;
using Broker.Transport;

namespace Broker.Server;

/// <summary>What all sessions of one server share.</summary>
internal sealed class ServerCore
{
    private const long MostUndecidedBytes = 32L * 1024 * 1024;

    private readonly EventLoopGroup _loops;
    private readonly LoopState[] _states;
    private readonly SubscriptionEndings?[] _endings;
    private readonly long _derivedPendingTotal;
    private readonly ConcurrentDictionary<ClientSession, bool> _sessions = new();
    private volatile BrokerServerOptions _options;
    private volatile bool _leaving;
    private volatile bool _lameDuck;
    private volatile bool _draining;
    private volatile SecurityRules _security;
    private volatile ServerTls? _tls;
    private long _lastClient;
    private int _infoVersion;
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
        PendingTotal = new PendingTotal(this);
        long heap = HeapLimit.Read();
        _derivedPendingTotal = HeapLimit.MaxBufferedBytes(heap);
        UndecidedBytes = new ByteBudget(HeapLimit.Reduce(MostUndecidedBytes, heap));
        Grants = new ByteBudget(HeapLimit.Reduce(ReplyGrants.MostInAll, heap));
        Log = new ServerLog(options.Logger);
        var plan = new AccountPlan(options);
        _security = new SecurityRules(options);
        _tls = ServerTls.Create(options.Tls);
        _tls?.Review(Log);
        Identity = new ServerIdentity(options.ServerName);
        Accounts = new AccountDirectory(plan, loops);
        _states = new LoopState[loops.Count];
        _endings = new SubscriptionEndings?[_states.Length];
        for (int i = 0; i < _states.Length; i++)
        {
            _states[i] = new LoopState(i, alone: loops.Count == 1);
        }
    }

    /// <summary>Those in use; a reload puts others in their place and never changes these.</summary>
    internal BrokerServerOptions Options
    {
        get => _options;
        set => _options = value;
    }

    internal ServerLog Log { get; }

    /// <summary>The one clock of the server: that of its loops.</summary>
    internal TimeProvider Time => _loops.TimeProvider;

    /// <summary>UTC by that clock.</summary>
    internal DateTime Now => Time.GetUtcNow().UtcDateTime;

    /// <summary>Milliseconds by that clock, as the loops count them.</summary>
    internal long Tick => _loops.CurrentTick;

    /// <summary>Who may come in. A session that enters after it is set reads it; those that are in are told.</summary>
    internal SecurityRules Security
    {
        get => _security;
        set => _security = value;
    }

    /// <summary>TLS for who connects now; null for none.</summary>
    internal ServerTls? Tls
    {
        get => _tls;
        set => _tls = value;
    }

    /// <summary>Where passwords and signatures are verified; half the processors at most.</summary>
    internal VerificationQueue Verifications { get; } = new(Math.Max(1, Environment.ProcessorCount / 2));

    /// <summary>What connections keep of clients that are not read because it is being decided who they are.</summary>
    internal ByteBudget UndecidedBytes { get; }

    /// <summary>What clients that may answer remember of whom.</summary>
    internal ByteBudget Grants { get; }

    internal ServerIdentity Identity { get; }

    /// <summary>For a client that connects now.</summary>
    internal ParserLimits ParserLimits => new(Options.MaxControlLine, Options.MaxPayload);

    internal PendingTotal PendingTotal { get; }

    /// <summary>How much may wait for all clients: what was said, or what the heap allows; 0 for no limit.</summary>
    internal long MaxPendingTotal => Options.MaxPendingTotal is var said and not 0 ? said : _derivedPendingTotal;

    internal AccountDirectory Accounts { get; }

    /// <summary>Set before the first client comes.</summary>
    internal ISessionEvents Events { get; set; } = null!;

    internal ClosedConnections Closed { get; } = new();

    internal int LoopCount => _states.Length;

    internal long PayloadIn => _states.Sum(s => s.PayloadIn);

    internal long PayloadOut => _states.Sum(s => s.PayloadOut);

    /// <summary>What INFO says of the address; the first that is listened on.</summary>
    internal EndPoint? Advertised { get; set; }

    /// <summary>Whether the server is on its way out: nothing more is read and nobody new is served.</summary>
    internal bool IsLeaving
    {
        get => _leaving;
        set => _leaving = value;
    }

    /// <summary>Whether clients are asked to go elsewhere, before they are sent away.</summary>
    internal bool IsLameDuck
    {
        get => _lameDuck;
        set => _lameDuck = value;
    }

    /// <summary>Whether what a client does not take now is counted as lost.</summary>
    internal bool IsDraining
    {
        get => _draining;
        set => _draining = value;
    }

    internal bool HasSessions => !_sessions.IsEmpty;

    /// <summary>How many clients have come and not gone, those among them that are refused. Costs no look at them.</summary>
    internal int SessionCount => Volatile.Read(ref _sessionCount);

    internal ICollection<ClientSession> Sessions => _sessions.Keys;

    /// <summary>As <see cref="Sessions"/>, without a copy and a lock: some may be missed that come or go meanwhile.</summary>
    internal IEnumerable<ClientSession> EnumerateSessions()
    {
        foreach (KeyValuePair<ClientSession, bool> session in _sessions)
        {
            yield return session.Key;
        }
    }

    internal DrainReport Undelivered => new(
        Interlocked.Read(ref _undeliveredMessages), Interlocked.Read(ref _undeliveredBytes), Volatile.Read(ref _undeliveredClients));

    internal LoopState StateOf(EventLoop loop) => _states[loop.Index];

    /// <summary>On that loop.</summary>
    internal SubscriptionEndings EndingsOf(EventLoop loop) => _endings[loop.Index] ??= new SubscriptionEndings(loop);

    internal ulong NextClientId() => (ulong)Interlocked.Increment(ref _lastClient);

    /// <summary>
    /// Takes a client in. False, with what to tell it, when it cannot be served; it then takes no place, however long its
    /// connection takes to end.
    /// </summary>
    internal bool TryEnter(ClientSession session, out string refusal)
    {
        refusal = "maximum connections exceeded";
        // After the listeners have been closed one may still have been on its way, or come by WebSocket.
        bool leaving = IsLeaving || (IsLameDuck && !session.IsInProcess);
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

        // What was changed after it had read the rules, and before it could be found to be told.
        session.Recheck();
        return enters && !leaving;
    }

    internal void Leave(ClientSession session, Connection connection, CloseReason reason, Exception? error)
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

        // Last: a drain that finds nobody here reports what has been counted.
        _sessions.TryRemove(session, out _);
        Interlocked.Decrement(ref _sessionCount);
    }

    /// <summary>Changes when INFO says something else than before to those who are connected.</summary>
    internal int InfoVersion => Volatile.Read(ref _infoVersion);

    /// <summary>INFO says something else from now on. After that is so, and before anybody is told.</summary>
    internal void ChangeInfo() => Interlocked.Increment(ref _infoVersion);

    internal byte[] InfoFor(ClientSession session)
    {
        session.SetInfoVersion(InfoVersion);
        var address = Advertised as IPEndPoint;
        return ServerInfo.Write(
            Identity,
            address?.Address.ToString() ?? "127.0.0.1",
            address?.Port ?? 0,
            Options,
            IsLameDuck,
            session.Id,
            (session.RemoteEndPoint as IPEndPoint)?.Address.ToString(),
            session.MustAuthenticate,
            session.Nonce,
            session.Tls);
    }

    internal ServerSnapshot Snapshot() => new(
        Volatile.Read(ref _connections),
        Interlocked.Read(ref _lastClient),
        Accounts.All.Sum(a => a.Router.SubscriptionCount),
        _states.Sum(s => s.MessagesIn),
        _states.Sum(s => s.BytesIn),
        _states.Sum(s => s.MessagesOut),
        _states.Sum(s => s.BytesOut),
        Interlocked.Read(ref _slowConsumers),
        _states.Sum(s => s.Dropped));

    private void CountUndelivered(ClientSession session, Connection connection)
    {
        (long messages, long bytes) = connection.CountUnsent();
        // A PING or an error text that did not go out is no loss to anybody.
        if (messages != 0)
        {
            Interlocked.Add(ref _undeliveredMessages, messages);
            Interlocked.Add(ref _undeliveredBytes, bytes);
            Interlocked.Increment(ref _undeliveredClients);
            Log.NotDelivered(session.Id, session.RemoteEndPoint, messages, bytes);
        }
    }
}
