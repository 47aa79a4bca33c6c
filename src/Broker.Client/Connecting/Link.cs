using System.Text;
using System.Text.Json;
using Broker.Protocol;
using Broker.Transport;

namespace Broker.Client;

/// <summary>
/// One transport connection to one server, from the dial to its close. It performs the handshake and then parses what
/// the server sends. A client connection uses one link after the other. Unless a comment says otherwise, members are
/// used on the event loop only.
/// </summary>
internal sealed partial class Link : ServerLink
{
    // An INFO with many connect_urls is long. The length of a MSG line is limited by its subjects.
    private const int MaxInboundLine = 64 * 1024;

    private const int DefaultMaxPayload = 1024 * 1024;

    // In bytes: more than the PONGs that one read can require.
    private const int MaxPongBytes = 128 * 1024;

    private readonly ConnectionCore _core;
    private readonly TaskCompletionSource _established = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Lock _gate = new();
    private readonly LinkKeepAlive _keepAlive;
    private ServerOperationParser _parser;
    private Phase _phase;
    private Exception? _fault;
    private string? _lastError;
    private bool _infoWasUnencrypted;

    internal Link(ConnectionCore core, ServerAddress address)
        : base(address, DefaultMaxPayload)
    {
        _core = core;
        _keepAlive = new LinkKeepAlive(this, core);
        _parser = new ServerOperationParser(new ParserLimits(MaxInboundLine, core.Options.MaxPayload));
    }

    private enum Phase
    {
        AwaitingInfo,
        AwaitingPong,
        Ready,
        Abandoned,
    }

    /// <summary>The content of the TLS files at this connect. Set before the dial.</summary>
    internal ClientTlsContext Tls { get; set; } = null!;

    /// <summary>
    /// The credentials for this connect. Null to use the credentials of the options. Set before the dial.
    /// </summary>
    internal ConnectCredentials? Credentials { get; set; }

    /// <summary>The name of the server in errors.</summary>
    internal string ServerName => _core.NameOf(Address);

    /// <summary>
    /// Whether <see cref="ServerLink.Info"/> came unencrypted although the rest of the connection uses TLS. An attacker
    /// may then have written it.
    /// </summary>
    internal bool IsInfoUntrusted => _infoWasUnencrypted && IsSecured;

    /// <summary>Completes when the handshake is done, or fails with the reason why it failed.</summary>
    internal Task Established => _established.Task;

    /// <summary>
    /// Abandons a link that was not established in time. Returns false if it has just been established. May be called
    /// on any thread.
    /// </summary>
    internal bool TryAbandon()
    {
        lock (_gate)
        {
            if (_phase == Phase.Ready)
            {
                return false;
            }

            _phase = Phase.Abandoned;
            Transport?.Close();
            return true;
        }
    }

    public override void OnOpened(Connection connection)
    {
        // The client's own limit is lower and refuses messages. The transport's limit covers output that the client
        // cannot refuse, such as endless PONGs.
        ClientOptions options = _core.Options;
        connection.MaxPendingBytes = (options.MaxPendingBytes * 2) + options.ReconnectBufferSize + (16 * 1024 * 1024);
        connection.LowWaterBytes = _core.Writable.LowWater;
        connection.Framing = WrittenCommand.Framing;
        connection.WriteDeadline = options.WriteDeadline;
        // A reply must travel through a server and back, so spinning does not pay off. Event loops that belong to the
        // application spin as the application has configured them.
        connection.SpinBeforeSleep = options.Loops is not null;
        lock (_gate)
        {
            Transport = connection;
            if (_phase == Phase.Abandoned)
            {
                connection.Close();
                return;
            }
        }

        if (Tls.IsHandshakeFirst && !IsWebSocket)
        {
            StartTls(static () => { });
        }
    }

    public override int OnReceived(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
    {
        var operations = new Operations(this);
        int consumed = _parser.Parse(bytes, ref operations, ref needed, out ProtocolError error);
        _core.Subscriber.Batch.Flush();
        operations.Count();
        if (error != ProtocolError.None)
        {
            Fail(new ProtocolViolationException(
                $"The server violated the protocol: {ProtocolErrorText.For(error)}, near {Excerpt.Of(bytes[consumed..])}. ({ServerName})"));
        }

        return consumed;
    }

    public override void OnLowWater(Connection connection) => _core.Writable.Notify();

    public override void OnDiscarded(Connection connection, ReadOnlySpan<byte> written) => _core.Accounting.CountDiscarded(this, written);

    public override void OnClosed(Connection connection, CloseReason reason, Exception? error)
    {
        _keepAlive.Cancel();
        Exception cause = _fault ?? CauseFor(reason, error);
        bool wasReady;
        lock (_gate)
        {
            wasReady = _phase == Phase.Ready;
            _phase = Phase.Abandoned;
        }

        _established.TrySetException(cause);
        // This marks the exception as observed if nobody awaits the task.
        _ = _established.Task.Exception;
        if (wasReady)
        {
            _core.Connector.Detach(this, reason, cause);
        }
        else
        {
            CompleteEnded();
        }
    }

    private Exception CauseFor(CloseReason reason, Exception? error)
    {
        if (_lastError is not null)
        {
            return ServerErrorException.For(_lastError);
        }

        if (TlsCause(reason, error) is { } cause)
        {
            return cause;
        }

        string text = reason switch
        {
            CloseReason.Local => "The connection was closed.",
            CloseReason.Peer => "The server closed the connection.",
            CloseReason.QueueFull or CloseReason.WriteTimeout => "The server did not accept bytes in time.",
            CloseReason.Shutdown => "The event loops were stopped.",
            _ => "The transport failed.",
        };
        return new ConnectionLostException($"{text} ({ServerName})", error);
    }

    /// <summary>Closes the link. The first fault is its cause.</summary>
    internal void Fail(Exception fault)
    {
        _fault ??= fault;
        Transport.Close();
    }

    private bool ReceiveInfo(ReadOnlySpan<byte> json)
    {
        InfoMessage? info = null;
        try
        {
            info = JsonSerializer.Deserialize(json, HandshakeJson.Default.InfoMessage);
        }
        catch (JsonException)
        {
            // The code below reports this error, and also a JSON "null".
        }

        if (info is null)
        {
            Fail(new ProtocolViolationException($"The server's INFO cannot be read: {Excerpt.Of(json)}. ({ServerName})"));
            return false;
        }

        Info = info;
        _infoWasUnencrypted = !IsSecured && !IsWebSocket;
        MaxPayload = info.MaxPayload > 0 ? (int)Math.Min(info.MaxPayload, int.MaxValue / 2) : DefaultMaxPayload;
        if (_phase == Phase.AwaitingInfo)
        {
            return SendConnect(info);
        }

        _core.Connector.ApplyInfo(this, info);
        return Transport.IsOpen;
    }

    private bool SendConnect(InfoMessage info)
    {
        if (!IsSecured && !TryContinueWithoutTls(info))
        {
            return false;
        }

        Headers = info.Headers && _core.Options.Headers;
        lock (_gate)
        {
            if (_phase != Phase.AwaitingInfo)
            {
                return false;
            }

            _phase = Phase.AwaitingPong;
        }

        ConnectCommand command;
        try
        {
            command = new ConnectCommand(_core.Options, Credentials, Address, Headers, IsSecured || (IsWebSocket && Address.IsTls), info.Nonce);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            Fail(new ConnectionLostException($"The callbacks for credentials failed: {e.GetType().Name}. ({ServerName})", e));
            return false;
        }

        LoopWriteBuffer buffer = Transport.GetWriteBuffer(Transport.Loop);
        buffer.Write("CONNECT "u8);
        buffer.Write(JsonSerializer.SerializeToUtf8Bytes(command, HandshakeJson.Default.ConnectCommand));
        buffer.Write("\r\nPING\r\n"u8);
        return true;
    }

    private bool ReceivePong()
    {
        if (_phase == Phase.Ready)
        {
            _core.Barriers.ReceivePong();
            return Transport.IsOpen;
        }

        if (_phase != Phase.AwaitingPong)
        {
            Fail(new ProtocolViolationException("The server sent PONG before it received PING."));
            return false;
        }

        lock (_gate)
        {
            if (_phase == Phase.Abandoned)
            {
                return false;
            }

            _phase = Phase.Ready;
        }

        _core.Connector.ApplyInfo(this, Info);
        _core.Connector.Attach(this);
        _established.TrySetResult();
        _keepAlive.Start();
        return Transport.IsOpen;
    }

    private bool ReceivePing()
    {
        LoopWriteBuffer buffer = Transport.GetWriteBuffer(Transport.Loop);
        if (buffer.Length + Transport.PendingBytes > _core.Options.MaxPendingBytes + MaxPongBytes)
        {
            // Messages are refused at the limit, so the bytes above it are PONGs.
            Fail(new ConnectionLostException($"The server keeps sending PING without reading the answers. ({ServerName})"));
            return false;
        }

        buffer.Write("PONG\r\n"u8);
        return true;
    }

    private bool ReceiveError(ReadOnlySpan<byte> text)
    {
        string message = Encoding.UTF8.GetString(text);
        if (_phase != Phase.Ready)
        {
            // During the handshake no error allows the connection to continue.
            Fail(ServerErrorException.For(message));
            return false;
        }

        // An error after which the server keeps the connection open does not explain a later close.
        _lastError = ServerErrorException.KeepsConnectionOpen(message) ? null : message;
        if (PermissionViolation.Parse(message) is { } violation)
        {
            _core.Subscriber.Refuse(violation, message);
            _core.Requester.Refusals.Refuse(violation, message);
        }

        _core.Events.RaiseServerError(message);
        return Transport.IsOpen;
    }
}
