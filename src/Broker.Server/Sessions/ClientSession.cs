using System.Net;
using System.Runtime.CompilerServices;
using System.Security.Cryptography.X509Certificates;
using Broker.Protocol;
using Broker.Protocol.Parsing;
using Broker.Server.Accounts;
using Broker.Server.Delivery;
using Broker.Server.Monitoring;
using Broker.Server.Routing;
using Broker.Server.Tls;
using Broker.Server.Tracing;
using Broker.Transport;

namespace Broker.Server.Sessions;

/// <summary>
/// One client, from its connection's opening to its end: what has come is taken to the part of it that is meant. The parts have owners
/// of their own, and share no more than the <see cref="ClientChannel"/>: who the client is, how it shows that, TLS, what it subscribes to,
/// whether it is still there. What it publishes goes by its <see cref="Publisher"/>, what it is sent by its <see cref="ConnectionTarget"/>.
/// </summary>
/// <remarks>
/// All of it runs on the connection's loop. Publishers of other loops only look at its target.
/// </remarks>
internal sealed partial class ClientSession : ConnectionHandler, IConnectionOwner, IAuthenticationOwner, ITlsUpgradeOwner
{
    // Beside messages there are answers, which are never dropped. Who lets so many of them pile up is closed.
    private const long RoomForAnswers = 1024 * 1024;

    private readonly ServerCore _server;
    private readonly LoopState _state;
    private readonly Publisher _publisher;
    private readonly ConnectionTarget _target;
    private readonly ClientChannel _channel;
    private readonly ClientIdentity _identity;
    private readonly Authentication _authentication;
    private readonly ClientSubscriptions _subscriptions;
    private readonly InterestBarrier _barrier;
    private readonly Liveness _liveness;

    // Null where there is no TLS.
    private TlsUpgrade? _tls;
    private ClientOperationParser _parser;

    // The operation that was put off takes so many bytes; of a CONNECT without the end of its line.
    private int _putOff;
    private bool _putsOffConnect;
    private int _infoVersion;
    private long _messagesIn;
    private long _payloadIn;

    /// <param name="server">What it shares with the others.</param>
    /// <param name="loop">Its loop.</param>
    /// <param name="remote">Where the client is; null in this process.</param>
    /// <param name="transport">How it is connected.</param>
    /// <param name="user">As whom this process connects it, without credentials; null for nobody in particular.</param>
    /// <param name="certificate">What it has proved to another transport to be its own; null for none. With TLS of ours it comes later.</param>
    internal ClientSession(
        ServerCore server,
        EventLoop loop,
        EndPoint? remote,
        ClientTransport transport = ClientTransport.Socket,
        string? user = null,
        X509Certificate2? certificate = null)
    {
        _server = server;
        _state = server.StateOf(loop);
        _parser = new ClientOperationParser(server.ParserLimits);
        _target = new ConnectionTarget(this);
        _publisher = new Publisher(loop, _state, server.Accounts.Global.Router, _target);
        _channel = new ClientChannel(server, _publisher, _target, remote);
        _identity = new ClientIdentity(_channel);
        _authentication = new Authentication(_channel, _identity, user, certificate, this);
        _subscriptions = new ClientSubscriptions(_channel, _identity);
        _barrier = new InterestBarrier(_channel);
        _liveness = new Liveness(_channel);
        Transport = transport;
        Started = server.Now;
    }

    internal EventLoop Loop => _channel.Loop;

    internal ulong Id => _channel.Id;

    internal EndPoint? RemoteEndPoint => _channel.RemoteEndPoint;

    internal ClientTransport Transport { get; }

    internal bool IsInProcess => Transport == ClientTransport.InProcess;

    /// <summary>What answers and ends it.</summary>
    internal ClientChannel Channel => _channel;

    /// <summary>Where it is sent messages.</summary>
    internal ConnectionTarget Target => _target;

    /// <summary>The account it is in. Any thread.</summary>
    internal Account Account => _identity.Account;

    /// <summary>What it has subscribed to.</summary>
    internal ClientSubscriptions Subscriptions => _subscriptions;

    /// <summary>What it must sign to come in by a key.</summary>
    internal string? Nonce => _authentication.Nonce;

    /// <summary>Whether it has to show something.</summary>
    internal bool MustAuthenticate => _authentication.MustAuthenticate;

    /// <summary>TLS as it was set up when this client came; null for none.</summary>
    internal ServerTls? Tls => _tls?.Tls;

    // Whether what follows may be looked at in this turn.
    private bool GoesOn => !_channel.IsEnded && !_publisher.IsSpent;

    /// <summary>Whose subscription it is; null when it is no client's.</summary>
    internal static ClientSession? Of(Subscription subscription) => (subscription.Subscriber as ConnectionTarget)?.Owner as ClientSession;

    public override void OnOpened(Connection connection)
    {
        _target.Connection = connection;
        ApplyLimits();
        if (Transport == ClientTransport.Socket && _server.Tls is { } tls)
        {
            _tls = new TlsUpgrade(tls, _channel, this);
        }

        _authentication.Begin(
            Tls, Transport == ClientTransport.WebSocket ? _server.Options.MapWebSocketUsers : Tls is { MapsUsers: true });
        if (_tls is not null)
        {
            _tls.Begin();
            return;
        }

        // First in any case: a client reads nothing before it, not even why it is refused.
        Greet();
        if (TryTakePlace(out string refusal))
        {
            _liveness.Begin();
        }
        else
        {
            _server.Log.Refused(Id, RemoteEndPoint, refusal);
            _channel.Fail(refusal);
        }
    }

    public override int OnReceived(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
    {
        if (_server.IsLeaving)
        {
            // Not taken, and therefore not lost by us: a client knows by its PONG what has been.
            return bytes.Length;
        }

        _liveness.OnReceived();
        if (_authentication.IsPending || _tls is { AwaitsHello: true })
        {
            return ReceiveEarly(connection, bytes, ref needed);
        }

        _state.BytesIn += bytes.Length;
        var handler = new Operations(this);
        _liveness.OnActivity();
        _publisher.Begin();
        long messages = _state.MessagesIn;
        long payload = _state.PayloadIn;
        int consumed = _channel.Trace is { } trace
            ? ParseTraced(bytes, trace, ref needed, out ProtocolError error)
            : _parser.Parse(bytes, ref handler, ref needed, out error);
        _publisher.EndRun();
        if (_publisher.IsSpent)
        {
            consumed -= TakePutOff(bytes[..consumed]);
            connection.YieldReceiving();
        }

        // Whatever the loop counted meanwhile was this client's.
        messages = _state.MessagesIn - messages;
        _messagesIn += messages;
        connection.CountMessages((int)messages);
        _payloadIn += _state.PayloadIn - payload;
        // What is left is counted when it comes again.
        _state.BytesIn -= bytes.Length - consumed;
        if (error != ProtocolError.None && !_channel.IsEnded)
        {
            _channel.FailProtocol(error);
        }

        if (_authentication.IsDeciding)
        {
            _authentication.CountKept(bytes.Length - consumed);
        }

        return consumed;
    }

    public override void OnDrained(Connection connection)
    {
        long dropped = _target.TakeDropped();
        if (dropped != 0)
        {
            _server.Log.CaughtUp(Id, RemoteEndPoint, dropped);
        }
    }

    public override void OnClosed(Connection connection, CloseReason reason, Exception? error)
    {
        _liveness.End();
        _authentication.End();
        _subscriptions.Leave();
        _publisher.Abandon();
        if (_authentication.Request is not null)
        {
            _server.Events.Disconnected(this, CloseText.Of(_channel.Failure, reason));
        }

        _identity.Leave();
        error = _tls is null ? error : _tls.End(error);
        _server.Leave(this, connection, reason, error);
    }

    /// <inheritdoc/>
    public bool TryTakePlace(out string refusal) => _server.TryEnter(this, out refusal);

    /// <inheritdoc/>
    public void Greet() => _channel.Write(_server.InfoFor(this));

    void ITlsUpgradeOwner.OnUpgraded(X509Certificate2? certificate)
    {
        // The client's own time begins here: that for TLS was another.
        _authentication.Continue(certificate);
        _liveness.Begin();
    }

    bool IAuthenticationOwner.TryBecome() => _subscriptions.TryEndAll();

    void IAuthenticationOwner.OnAuthenticated(ConnectRequest request, bool isFirst)
    {
        _liveness.OnAnswer();
        _channel.Trace?.Name(request.Name);
        _channel.IsVerbose = request.Verbose;
        _isPedantic = request.Pedantic;
        _mustCheck = request.Verbose || request.Pedantic;
        _publisher.NotTo = request.Echo ? null : _target;
        _target.TakesHeaders = request.Headers;
        _server.Log.Connected(Id, RemoteEndPoint, request.Name, request.Language, request.Version);
        _channel.Acknowledge();
        if (_infoVersion != _server.InfoVersion && request.ProtocolLevel >= 1)
        {
            // It was greeted before the change, and said only now that it understands another INFO.
            Greet();
        }

        if (isFirst)
        {
            _server.Events.Connected(this);
        }
    }

    void IAuthenticationOwner.OnRefused(ConnectRequest? request, string reason) => _server.Events.Unauthorized(this, request, reason);

    void IConnectionOwner.OnLimitReached(Subscription subscription) => _subscriptions.EndByLimit(subscription);

    void IConnectionOwner.OnReplySubject(ReadOnlySpan<byte> reply, Publisher publisher)
        => _identity.Grant(reply, (publisher.Client?.Owner as ClientSession)?._identity, publisher.Loop.LastTick);

    void IConnectionOwner.OnLosing(SlowConsumerPolicy policy)
        => _server.Log.Losing(Id, RemoteEndPoint, policy, _channel.Connection.PendingBytes);

    void IConnectionOwner.OnDelivering(Publisher publisher) => _server.PendingTotal.Watch(publisher.Loop, publisher.State);

    void IConnectionOwner.OnTaken(Subscription subscription, Route route, in Message message)
        => _channel.Trace?.Deliver(subscription, route, in message, _target.TakesHeaders);

    // Of a repeated one. What was subscribed to before it must have ended before anything else is done.
    private bool Connect(ReadOnlySpan<byte> json)
    {
        if (_authentication.Request is null || _subscriptions.TryEndAll())
        {
            return _authentication.Connect(json);
        }

        _putsOffConnect = true;
        return PutOff("CONNECT ".Length + json.Length);
    }

    // The operation is not done yet and comes again in the next turn, before anything else: the batch is spent.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool PutOff(int length)
    {
        _putOff = length;
        return false;
    }

    private int TakePutOff(ReadOnlySpan<byte> consumed)
    {
        int length = _putOff;
        if (_putsOffConnect)
        {
            // Behind the JSON its line has carriage returns, as many as the client likes.
            length += consumed.Length - consumed[..^1].TrimEnd((byte)'\r').Length;
            _putsOffConnect = false;
        }

        _putOff = 0;
        return length;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private int ReceiveEarly(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
    {
        int used;
        if (_tls is { AwaitsHello: true } upgrade)
        {
            used = upgrade.Receive(bytes);
            return upgrade.IsInHandshake || used == bytes.Length ? used : OnReceived(connection, bytes, ref needed);
        }

        used = _authentication.Receive(ref _parser, bytes, ref needed);
        return _authentication.IsPending || _channel.IsEnded ? used : used + OnReceived(connection, bytes[used..], ref needed);
    }

    // A client that is not traced pays one branch for each read, and nothing for each message: a traced one has a handler of its own, and
    // its target is one that is watched.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private int ParseTraced(ReadOnlySpan<byte> bytes, ProtocolTrace trace, ref int needed, out ProtocolError error)
    {
        var handler = new TracedOperations<Operations>(new Operations(this), _publisher, trace);
        return _parser.Parse(bytes, ref handler, ref needed, out error);
    }
}
