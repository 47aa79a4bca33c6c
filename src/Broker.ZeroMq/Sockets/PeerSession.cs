using Broker.Transport;
using Broker.ZeroMq.Endpoints;
using Broker.ZeroMq.Zmtp;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Sockets;

/// <summary>One connection of a socket: handshake, then traffic, then the one event about its end.</summary>
/// <remarks>All of it runs on the connection's loop. Other loops only stage messages for <see cref="Connection"/>.</remarks>
internal abstract partial class PeerSession : ConnectionHandler
{
    // What may wait for a peer that asks for answers and does not read them.
    private const long MostPendingAnswers = 64 * 1024;

    private const int KeepAliveProbes = 3;
    private static readonly TimeSpan KeepAliveInterval = TimeSpan.FromSeconds(10);

    private readonly TaskCompletionSource<bool> _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private protected ZmtpDecoder _decoder;
    private bool _entered;

    private protected PeerSession(LoopSocket socket, EventLoop loop, string endpoint, OutgoingLink? link)
    {
        Socket = socket;
        Loop = loop;
        Endpoint = Address = endpoint;
        Link = link;
        _decoder = new ZmtpDecoder(socket.InboundLimits);
    }

    internal LoopSocket Socket { get; }

    internal EventLoop Loop { get; }

    internal OutgoingLink? Link { get; }

    internal string Endpoint { get; }

    internal string Address { get; private set; }

    /// <summary>Null until it is opened; then for good.</summary>
    internal Connection Connection { get; private set; } = null!;

    /// <summary>Null until the handshake is complete; then for good.</summary>
    internal ZeroMqPeer? Peer { get; private set; }

    /// <summary>Ends with the connection; true if the handshake was completed and the peer taken.</summary>
    internal Task<bool> Ended => _ended.Task;

    /// <summary>Whether nothing more is to be read from the peer or said to it.</summary>
    private protected bool IsOver { get; private set; }

    public sealed override void OnOpened(Connection connection)
    {
        Connection = connection;
        Address = ZeroMqEndpoint.Show(connection.RemoteEndPoint, Endpoint);
        _entered = Socket.TryEnter(this, out string? reason);
        if (!_entered || Link is { IsStopped: true })
        {
            if (reason is not null)
            {
                Report(ZeroMqEventKind.PeerRefused, reason);
            }

            // Not closed from within the opening: the transport goes on with the connection after the return.
            IsOver = true;
            Loop.Post(() => connection.Close());
            return;
        }

        connection.Framing = MessageFraming.Instance;
        Configure(connection);
        if (Socket.CommonOptions.KeepAliveTime != Timeout.InfiniteTimeSpan)
        {
            connection.KeepAlive(Socket.CommonOptions.KeepAliveTime, KeepAliveInterval, KeepAliveProbes);
        }

        StartHandshake();
    }

    public sealed override int OnReceived(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
    {
        _reads++;
        int consumed = 0;
        if (Peer is null && !IsOver)
        {
            consumed = Shake(bytes, ref needed);

            // What comes with the end of a handshake that encrypts is encrypted already, and is given back by the transport in clear.
            if (!IsOver && (Peer is null || _cipher is not null))
            {
                return consumed;
            }
        }

        if (IsOver)
        {
            return bytes.Length;
        }

        if (connection.IsReceivingPaused)
        {
            // Paused with the handshake's end.
            return consumed;
        }

        var result = Decode(bytes[consumed..]);
        needed = result.Needed;
        if (result.Error == ZmtpError.None)
        {
            if (connection.IsReceivingPaused)
            {
                // A PING between the frames of the message that is held has been handed over, and will not be again.
                AnswerAhead(bytes[(consumed + result.Consumed + _decoder.Scanned)..]);
            }
            else if (result.Paused)
            {
                connection.YieldReceiving();
            }

            return consumed + result.Consumed;
        }

        Refuse(ZmtpErrors.Text(result.Error));
        return bytes.Length;
    }

    public sealed override void OnClosed(Connection connection, CloseReason reason, Exception? error)
    {
        StopTimers();
        EndHandshake();
        bool wasOver = IsOver;
        IsOver = true;
        var undelivered = Peer is null ? null : TakeUndelivered(connection, Peer);
        try
        {
            if (_taken)
            {
                OnGone();
            }
        }
        finally
        {
            // Whatever the application's callback throws, a closing socket and a link must not wait for this session for ever.
            if (!wasOver)
            {
                ReportEnd(reason, error, undelivered);
            }

            if (_entered)
            {
                Socket.Leave(this, undelivered);
            }

            _ended.TrySetResult(_taken);
        }
    }

    /// <summary>Turns the peer away at once. On the loop.</summary>
    internal void Refuse(string reason) => Refuse(reason, linger: TimeSpan.Zero);

    /// <summary>Ends the connection for no fault of the peer, once what is queued has been sent. Any thread.</summary>
    internal void Leave(TimeSpan linger) => Connection?.Close(linger);

    private protected abstract void Configure(Connection connection);

    private protected abstract ZmtpDecodeResult Decode(ReadOnlySpan<byte> bytes);

    /// <summary>The peer is taken.</summary>
    private protected abstract void OnTaken();

    /// <summary>A peer that was taken is gone.</summary>
    private protected abstract void OnGone();

    /// <summary>What the peer has not got and nobody will send it any more; null for nothing. Within <see cref="OnClosed"/>.</summary>
    private protected virtual ZeroMqUndelivered? TakeUndelivered(Connection connection, ZeroMqPeer peer) => UnsentMessages.Of(connection, peer);

    /// <summary>Whether there is room in the peer's queue for answers and PINGs, which a hostile peer may provoke without end.</summary>
    private protected virtual bool MayAnswer => Connection.PendingBytes < MostPendingAnswers;

    private protected OutboundStage Stage => Connection.GetStage(Loop);

    private void Refuse(string reason, TimeSpan linger)
    {
        if (IsOver)
        {
            return;
        }

        IsOver = true;
        StopTimers();
        Report(ZeroMqEventKind.PeerRefused, reason);
        Connection.Close(linger);
    }

    private void ReportEnd(CloseReason reason, Exception? error, ZeroMqUndelivered? undelivered)
    {
        if (_cipher is { Error: not ZmtpError.None } cipher)
        {
            Report(ZeroMqEventKind.PeerRefused, ZmtpErrors.Text(cipher.Error));
            return;
        }

        string text = reason switch
        {
            _ when error is not null => $"failed with {error.GetType().Name}",
            CloseReason.Local => "closed by this side",
            CloseReason.Peer => "closed by the peer",
            CloseReason.QueueFull or CloseReason.WriteTimeout => "took nothing for too long",
            CloseReason.Shutdown => "the loops were stopped",
            _ => "the connection was lost",
        };
        if (_taken)
        {
            Report(ZeroMqEventKind.PeerDisconnected, text, undelivered?.Messages ?? 0);
        }
        else if (reason is CloseReason.Peer or CloseReason.Error)
        {
            Report(ZeroMqEventKind.PeerRefused, "handshake not completed: " + text);
        }
    }

    private protected void Report(ZeroMqEventKind kind, string? reason, long undelivered = 0)
    {
        if (kind != ZeroMqEventKind.PeerRefused || Link is null || Link.IsNews(reason!))
        {
            Socket.Report(new ZeroMqEvent(kind, Endpoint, Address, Peer, reason, undelivered));
        }
    }
}
