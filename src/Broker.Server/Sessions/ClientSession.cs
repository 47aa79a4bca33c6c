using System.Net;
using Broker.Protocol;
using Broker.Protocol.Parsing;
using Broker.Protocol.Writing;
using Broker.Server.Delivery;
using Broker.Server.Monitoring;
using Broker.Transport;

namespace Broker.Server.Sessions;

/// <summary>
/// One client: who it is, and what it asks for. What it publishes goes by its <see cref="Publisher"/>, what it is sent by its
/// <see cref="ConnectionTarget"/>.
/// </summary>
/// <remarks>
/// All of it runs on the connection's loop. Publishers of other loops only look at its target.
/// </remarks>
internal sealed partial class ClientSession : ConnectionHandler
{
    internal static readonly TimeSpan LastWords = TimeSpan.FromSeconds(2);

    // What it costs to make and tell of an error, in places looked at.
    private const int StepsOfError = 32;

    private readonly ServerCore _server;
    private readonly EventLoop _loop;
    private readonly LoopState _state;
    private readonly Publisher _publisher;
    private readonly ConnectionTarget _target;
    private ClientOperationParser _parser;
    private ConnectRequest? _connect;
    private bool _ended;

    /// <param name="server">What it shares with the others.</param>
    /// <param name="loop">Its loop.</param>
    /// <param name="remote">Where the client is; null in this process.</param>
    /// <param name="transport">How it is connected.</param>
    /// <param name="user">As whom this process connects it, without credentials; null for nobody in particular.</param>
    internal ClientSession(
        ServerCore server, EventLoop loop, EndPoint? remote, ClientTransport transport = ClientTransport.Socket, string? user = null)
    {
        _user = user;
        _server = server;
        _loop = loop;
        _state = server.StateOf(loop);
        _parser = new ClientOperationParser(server.ParserLimits);
        _account = server.Accounts.Global;
        _target = new ConnectionTarget(this);
        _publisher = new Publisher(loop, _state, _account.Router, _target);
        Id = server.NextClientId();
        RemoteEndPoint = remote;
        Transport = transport;
        _lastActivity = Environment.TickCount64;
    }

    internal EventLoop Loop => _loop;

    internal ulong Id { get; }

    internal EndPoint? RemoteEndPoint { get; }

    /// <summary>Null until it is opened; then for good.</summary>
    internal Connection Connection => _target.Connection;

    /// <summary>Where it is sent messages.</summary>
    internal ConnectionTarget Target => _target;

    public override void OnOpened(Connection connection)
    {
        _target.Connection = connection;
        ApplyLimits();
        BeginTlsUpgrade();
        BeginAdmission();
        if (_tls is not null)
        {
            OpenTls(_tls);
            return;
        }

        // First in any case: a client reads nothing before it, not even why it is refused.
        Write(_server.InfoFor(this));
        if (TryEnter())
        {
            Serve();
        }
    }

    public override int OnReceived(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
    {
        if (_server.IsLeaving)
        {
            // Not taken, and therefore not lost by us: a client knows by its PONG what has been.
            return bytes.Length;
        }

        _receivedSinceTick = true;
        if (_admission is not null)
        {
            return ReceiveBeforeAdmission(connection, bytes, ref needed);
        }

        _state.BytesIn += bytes.Length;
        var handler = new Operations(this);
        _lastActivity = _loop.LastTick;
        _publisher.Begin();
        long messages = _state.MessagesIn;
        long payload = _state.PayloadIn;
        int consumed = _trace is { } trace
            ? ParseTraced(bytes, trace, ref needed, out ProtocolError error)
            : _parser.Parse(bytes, ref handler, ref needed, out error);
        if (_publisher.IsSpent)
        {
            connection.YieldReceiving();
        }

        // Whatever the loop counted meanwhile was this client's.
        _messagesIn += _state.MessagesIn - messages;
        _payloadIn += _state.PayloadIn - payload;
        // What is left is counted when it comes again.
        _state.BytesIn -= bytes.Length - consumed;
        if (error != ProtocolError.None && !_ended)
        {
            _server.Log.ProtocolError(Id, RemoteEndPoint, ProtocolErrorText.For(error));
            Fail(ProtocolErrorText.For(error));
        }

        return _admission is null ? consumed : consumed + Hold(_admission, bytes[consumed..]);
    }

    public override void OnClosed(Connection connection, CloseReason reason, Exception? error)
    {
        StopLiveness();
        EndAdmission();
        EndSubscriptionsInTurns();
        _target.Grants?.Close();
        if (_connect is not null)
        {
            _server.Events.Disconnected(this, CloseText.Of(Failure, reason, connection));
        }

        LeaveAccount();
        error = EndTlsUpgrade(error);
        _server.Leave(this, connection, reason, error);
    }

    /// <summary>Ends the connection once what is queued has been taken, at the latest after <paramref name="linger"/>. Any thread.</summary>
    internal void Leave(TimeSpan linger) => _loop.Run(() =>
    {
        _ended = true;
        Connection?.Close(linger);
    });

    /// <summary>Tells the client why and ends the connection.</summary>
    internal void Fail(string text)
    {
        if (_ended)
        {
            return;
        }

        _ended = true;
        Failure = text;
        WriteError(text);
        Connection.Close(LastWords);
    }

    // Whether what follows may be looked at in this turn.
    private bool GoesOn => !_ended && !_publisher.IsSpent;

    private bool TryEnter()
    {
        if (_server.TryEnter(this, out string refusal))
        {
            return true;
        }

        _server.Log.Refused(Id, RemoteEndPoint, refusal);
        Fail(refusal);
        return false;
    }

    private void Serve()
    {
        // The first round trip there is: CONNECT answers it.
        PingSent();
        StartLiveness();
    }

    private void Write(ReadOnlySpan<byte> bytes) => Connection.GetStage(_loop).Write(bytes);

    private void WriteError(string text)
    {
        _publisher.Spend(StepsOfError);
        _trace?.Out("-ERR " + text);
        OutboundStage stage = Connection.GetStage(_loop);
        int most = System.Text.Encoding.UTF8.GetMaxByteCount(text.Length) + OperationWriter.LineOverhead;
        Span<byte> utf8 = stackalloc byte[most];
        int length = System.Text.Encoding.UTF8.GetBytes(text, utf8);
        stage.Advance(OperationWriter.Error(stage.GetSpan(most), utf8[..length]));
    }

    private void Acknowledge()
    {
        if (_verbose)
        {
            _trace?.Out("OK");
            Write("+OK\r\n"u8);
        }
    }

    /// <summary>The parser's direct way to the session.</summary>
    private readonly struct Operations(ClientSession session) : IClientOperationHandler
    {
        public bool OnPublish(scoped PublishOperation operation) => session.Publish(operation);

        public bool OnSubscribe(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> queue, ReadOnlySpan<byte> sid)
            => session.Subscribe(subject, queue, sid);

        public bool OnUnsubscribe(ReadOnlySpan<byte> sid, int max) => session.Unsubscribe(sid, max);

        public bool OnConnect(ReadOnlySpan<byte> json) => session.Connect(json);

        public bool OnPing() => session.Ping();

        public bool OnPong() => session.Pong();
    }
}
