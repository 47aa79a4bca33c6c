using System.Net;
using System.Runtime.CompilerServices;
using System.Security.Cryptography.X509Certificates;
using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// The session of one client, from the opening of its connection to its end. Its parts own their state and share only
/// the <see cref="ClientChannel"/>: identity, authentication, TLS, subscriptions, liveness, and
/// <see cref="ClientReceiving"/>, which gets the received bytes. Its <see cref="RoutingPublisher"/> delivers the
/// messages that the client publishes; its <see cref="ConnectionTarget"/> receives the messages for the client.
/// </summary>
/// <remarks>
/// The session runs on the connection's loop. Publishers of other loops only access its target.
/// </remarks>
internal sealed partial class ClientSession
    : ConnectionHandler, IConnectionOwner, IAuthenticationOwner, ITlsUpgradeOwner, IAccountMember
{
    private readonly ServerCore _server;
    private readonly ConnectionTarget _target;
    private readonly ClientChannel _channel;
    private readonly ClientIdentity _identity;
    private readonly Authentication _authentication;
    private readonly ClientSubscriptions _subscriptions;
    private readonly Liveness _liveness;
    private readonly ClientReceiving _receiving;
    private readonly ConnectionLimits _limits;

    // Null for a connection without TLS.
    private TlsUpgrade? _tls;
    private SharedClientInfo? _sharedInfo;
    private int _infoVersion;

    /// <param name="server">The state that all sessions of the server share.</param>
    /// <param name="loop">The connection's loop.</param>
    /// <param name="remote">The client's address; null for an in-process client.</param>
    /// <param name="transport">The kind of transport.</param>
    /// <param name="user">The user of an in-process client that sends no credentials; null for none.</param>
    /// <param name="certificate">
    /// The client certificate that another transport has verified; null for none. With TLS of this server the
    /// certificate comes later, from the handshake.
    /// </param>
    /// <param name="reservation">The reservation whose subjects the client may use; null for an ordinary
    /// client.</param>
    internal ClientSession(
        ServerCore server,
        EventLoop loop,
        EndPoint? remote,
        ClientTransport transport = ClientTransport.Socket,
        string? user = null,
        X509Certificate2? certificate = null,
        SubjectReservation? reservation = null)
    {
        _server = server;
        _target = new ConnectionTarget(this);
        var publisher = new RoutingPublisher(loop, server.StateOf(loop), server.Accounts.Global.Router, _target);
        _channel = new ClientChannel(server, publisher, _target, remote);
        _identity = new ClientIdentity(_channel, reservation);
        _authentication = new Authentication(_channel, _identity, transport, user, certificate, this);
        _subscriptions = new ClientSubscriptions(_channel, _identity);
        _liveness = new Liveness(_channel);
        _receiving = new ClientReceiving(_channel, _identity, _authentication, _subscriptions, _liveness);
        _limits = new ConnectionLimits(_channel);
        Transport = transport;
        Started = server.Now;
    }

    internal EventLoop Loop => _channel.Loop;

    internal ulong Id => _channel.Id;

    internal EndPoint? RemoteEndPoint => _channel.RemoteEndPoint;

    internal ClientTransport Transport { get; }

    internal bool IsInProcess => Transport == ClientTransport.InProcess;

    /// <summary>The channel that sends replies to the client and closes its connection.</summary>
    internal ClientChannel Channel => _channel;

    /// <summary>The target of messages for the client.</summary>
    internal ConnectionTarget Target => _target;

    /// <summary>The account of the client. Thread-safe.</summary>
    internal Account Account => _identity.Account;

    /// <summary>The subscriptions of the client.</summary>
    internal ClientSubscriptions Subscriptions => _subscriptions;

    /// <summary>The nonce that a client must sign to authenticate by a key.</summary>
    internal string? Nonce => _authentication.Nonce;

    /// <summary>Whether the client must send credentials.</summary>
    internal bool MustAuthenticate => _authentication.MustAuthenticate;

    /// <summary>The maximum payload of the client in bytes.</summary>
    internal int MaxPayload => _receiving.MaxPayload;

    SharedClientInfo IConnectionOwner.SharedInfo
        => _sharedInfo ??= ClientInfoWriter.Write(Describe(_server.Now), _server.Identity.Name);

    /// <summary>The TLS settings at the time when this client connected; null without TLS.</summary>
    internal ServerTls? Tls => _tls?.Tls;

    /// <summary>
    /// Finds the session that owns a subscription; null if the subscription does not belong to a client.
    /// </summary>
    internal static ClientSession? Of(Subscription subscription)
        => (subscription.Subscriber as ConnectionTarget)?.Owner as ClientSession;

    public override void OnOpened(Connection connection)
    {
        _target.Connection = connection;
        _limits.Apply(clientName: null);
        if (Transport == ClientTransport.Socket && _server.Tls is { } tls)
        {
            _tls = new TlsUpgrade(tls, _channel, this);
        }

        _authentication.Begin(
            Tls,
            Transport == ClientTransport.WebSocket ? _server.Options.MapWebSocketUsers : Tls is { MapsUsers: true });
        if (_tls is not null)
        {
            _tls.Begin();
            return;
        }

        // INFO is always sent first, because a client that has not received INFO does not even read an error.
        SendInfo();
        if (TryAdmit(out string refusal))
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
        if (_server.IsShuttingDown)
        {
            // The operations are ignored, so the server does not count them as lost. A client knows by the PONG to its
            // PING which operations the server has handled.
            return bytes.Length;
        }

        if (_authentication.IsPending || _tls is { AwaitsFirstByte: true })
        {
            return ReceiveBeforeAuthentication(connection, bytes, ref needed);
        }

        return _receiving.IsStalled
            ? _receiving.ReceivePart(connection, bytes, ref needed)
            : _receiving.Receive(connection, bytes, ref needed);
    }

    public override void OnDrained(Connection connection)
    {
        long dropped = _target.ExchangeDropped();
        if (dropped != 0)
        {
            _server.Log.CaughtUp(Id, RemoteEndPoint, dropped);
        }
    }

    public override void OnClosed(Connection connection, CloseReason reason, Exception? error)
    {
        _liveness.End();
        _authentication.End();
        _subscriptions.RemoveInBackground();
        _channel.Publisher.Routes.Abandon();
        if (_authentication.Request is not null)
        {
            _server.Events.Disconnected(this, CloseText.Of(_channel.Failure, reason));
        }

        _identity.Leave();
        error = _tls is null ? error : _tls.End(error, hasConnected: _authentication.Request is not null);
        _server.RemoveSession(this, connection, reason, error);
    }

    /// <inheritdoc/>
    public bool TryAdmit(out string refusal) => _server.TryAddSession(this, out refusal);

    /// <inheritdoc/>
    public void SendInfo() => _channel.Write(_server.InfoFor(this));

    void ITlsUpgradeOwner.OnUpgraded(X509Certificate2? certificate)
    {
        // The timeout for authentication begins here; the TLS handshake had its own timeout.
        _authentication.Continue(certificate);
        _liveness.Begin();
    }

    bool IAuthenticationOwner.TryRemoveSubscriptions() => _subscriptions.TryRemoveAll();

    void IAuthenticationOwner.OnAuthenticated(ConnectRequest request, bool isFirst)
    {
        _liveness.OnAnswer();
        _channel.Trace?.Name(request.Name);
        _channel.IsVerbose = request.Verbose;
        _receiving.Configure(request);
        _sharedInfo = null;
        _target.SupportsHeaders = request.Headers;
        _server.Log.Connected(Id, RemoteEndPoint, request.Name, request.Language, request.Version);
        _channel.Acknowledge();
        bool isLimited = _receiving.LimitPayload(_identity.MaxPayload);
        if ((isLimited || _infoVersion != _server.InfoVersion) && request.ProtocolLevel >= 1)
        {
            // INFO has changed since it was sent to this client, or contains a limit of its account. Only this CONNECT
            // announced that the client accepts another INFO.
            SendInfo();
        }

        if (isFirst)
        {
            _server.Events.Connected(this);
        }
    }

    void IAuthenticationOwner.OnRefused(ConnectRequest? request, string reason)
        => _server.Events.Unauthorized(this, request, reason);

    void IConnectionOwner.OnLimitReached(Subscription subscription) => _subscriptions.RemoveAtLimit(subscription);

    void IConnectionOwner.OnReplySubject(ReadOnlySpan<byte> reply, RoutingPublisher publisher)
        => _identity.Grant(reply, (publisher.Client?.Owner as ClientSession)?._identity, publisher.Loop.LastTick);

    void IConnectionOwner.OnMessagesLost(SlowConsumerPolicy policy)
        => _server.Log.Losing(Id, RemoteEndPoint, policy, _channel.Connection.PendingBytes);

    void IConnectionOwner.OnDelivering(RoutingPublisher publisher)
        => _server.PendingTotal.CheckAfterWrites(publisher.Loop, publisher.State);

    void IConnectionOwner.OnAccepted(Subscription subscription, Route route, in RoutedMessage message)
        => _channel.Trace?.Deliver(subscription, route, in message, _target.SupportsHeaders);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private int ReceiveBeforeAuthentication(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
    {
        int used;
        if (_tls is { AwaitsFirstByte: true } upgrade)
        {
            used = upgrade.Receive(bytes);
            return upgrade.IsInHandshake || used == bytes.Length ? used : OnReceived(connection, bytes, ref needed);
        }

        used = _receiving.Authenticate(bytes, ref needed);
        return _authentication.IsPending || _channel.IsEnded
            ? used
            : used + OnReceived(connection, bytes[used..], ref needed);
    }
}
