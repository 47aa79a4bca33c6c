using System.Runtime.CompilerServices;
using System.Text;
using Broker.Client.Errors;
using Broker.Client.Publishing;
using Broker.Client.Servers;
using Broker.Client.Subscriptions;
using Broker.Client.Tls;
using Broker.Transport;
using Broker.Transport.Tls;

namespace Broker.Client;

/// <summary>
/// A connection to a NATS server, kept up over the loss of servers until it is closed.
/// </summary>
/// <remarks>
/// <para><b>Threads.</b> All methods may be called from any thread. Handlers and callbacks run on one event loop,
/// <see cref="Loop"/>, which must not be blocked: never wait there for a task of this connection.</para>
/// <para><b>Order.</b> What one thread publishes arrives in order. A loop of the connection's group writes without a lock
/// and sends at the end of its turn; all other threads take turns under one lock. SUB, UNSUB and PING are on their way
/// when the call returns: what is published after that, by whomever, comes behind them.</para>
/// <para><b>Delivery</b> is at most once. Bytes that were handed to the transport are never sent to another server.</para>
/// <para><b>Memory.</b> What is published is copied once, into the outbound bytes. What is received is borrowed from the
/// receive buffer for the time of the handler.</para>
/// </remarks>
public sealed partial class BrokerConnection : IAsyncDisposable
{
    private readonly Lock _gate = new();
    private readonly EventLoopGroup _group;
    private readonly SharedEventLoops? _shared;
    private readonly ServerPool _servers;
    // Never disposed: it has no timer, and a search for a server may still look at its token.
    private readonly CancellationTokenSource _ending = new();
    private readonly Action _flushExternal;
    private readonly OutboundCounter[] _outbound;

    // The server in use; null while there is none. Changed under the gate, read anywhere.
    private volatile Link? _link;
    private volatile ConnectionState _state = ConnectionState.Connecting;
    private volatile int _maxPayload = 1024 * 1024;
    private volatile bool _headers;

    private BrokerConnection(ClientOptions options)
    {
        Options = options;
        Tls = new ClientTls(options.Tls);
        _servers = new ServerPool(options.Servers, options.RetryRefused);
        _shared = options.Loops is null ? SharedEventLoops.Acquire(fault => ReportFault(null, fault)) : null;
        _group = options.Loops ?? _shared!.Group;
        Loop = _group.Next();
        _outbound = new OutboundCounter[_group.Count + 1];
        _kept = new ReconnectBuffer(options.ReconnectBufferSize);
        _flushExternal = FlushExternal;
        _inboxPrefix = NewInbox(options.InboxPrefix) + ".";
        _inboxPrefixBytes = Encoding.UTF8.GetBytes(_inboxPrefix);
    }

    /// <summary>The loop on which handlers and callbacks run.</summary>
    public EventLoop Loop { get; }

    /// <summary>Where it is in its life. A moment's truth.</summary>
    public ConnectionState State => _state;

    /// <summary>The largest message, headers included, that the server accepts, in bytes. May change with the server.</summary>
    public int MaxPayload => _maxPayload;

    /// <summary>The server in use, as <c>host:port</c>; null while there is none.</summary>
    public string? Server => _link?.Address.ToString();

    /// <summary>The name and version that the server in use gave itself; null while there is none.</summary>
    public (string? Name, string? Version)? ServerIdentity => _link is { } link ? (link.Info.ServerName, link.Info.Version) : null;

    /// <summary>What TLS agreed on with the server in use; null in clear, and while there is none.</summary>
    public TlsFacts? TlsFacts => _link?.Transport.TlsFacts;

    internal ClientOptions Options { get; }

    internal ClientTls Tls { get; }

    internal SubscriptionTable Subscriptions { get; } = new();

    /// <summary>Connects to the first of the servers that answers, with the defaults for all else.</summary>
    /// <param name="servers">As <see cref="ClientOptions.Servers"/>, with commas between several.</param>
    /// <inheritdoc cref="ConnectAsync(ClientOptions, CancellationToken)"/>
    /// <param name="cancellationToken">Ends the attempt; it has no part in the connection's later life.</param>
    public static Task<BrokerConnection> ConnectAsync(string servers, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(servers);
        return ConnectAsync(new ClientOptions { Servers = servers.Split(',') }, cancellationToken);
    }

    /// <summary>Connects to the server that a dialer leads to, with the defaults for all else.</summary>
    /// <param name="dialer">As <see cref="ClientOptions.Dialer"/>: <c>server.Connect()</c> for an embedded server.</param>
    /// <inheritdoc cref="ConnectAsync(ClientOptions, CancellationToken)"/>
    /// <param name="cancellationToken">Ends the attempt; it has no part in the connection's later life.</param>
    public static Task<BrokerConnection> ConnectAsync(IDialer dialer, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(dialer);
        return ConnectAsync(new ClientOptions { Dialer = dialer }, cancellationToken);
    }

    /// <summary>Connects to the first of the servers that answers.</summary>
    /// <param name="options">Null for the defaults.</param>
    /// <param name="cancellationToken">Ends the attempt; it has no part in the connection's later life.</param>
    /// <exception cref="AuthorizationException">The last server tried does not accept the credentials.</exception>
    /// <exception cref="ServerErrorException">It refused for another reason.</exception>
    /// <exception cref="ProtocolViolationException">It does not speak the protocol.</exception>
    /// <exception cref="TlsException">It does not offer the TLS that is required, or one side does not accept the other's certificate.</exception>
    /// <exception cref="ConnectionLostException">It cannot be reached, or ended the connection.</exception>
    /// <exception cref="TimeoutException">It did not answer within <see cref="ClientOptions.ConnectTimeout"/>.</exception>
    /// <exception cref="FormatException">An address is malformed.</exception>
    /// <exception cref="ArgumentException">Another option is out of its range.</exception>
    [OverloadResolutionPriority(1)]
    public static async Task<BrokerConnection> ConnectAsync(ClientOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= new ClientOptions();
        ClientOptions.Validate(options);
        var connection = new BrokerConnection(options);
        try
        {
            await connection.ConnectFirstAsync(cancellationToken).ConfigureAwait(false);
            return connection;
        }
        catch (Exception e) when (options.ConnectInBackground && IsFailedAttempt(e, cancellationToken))
        {
            connection.SearchOn(e);
            return connection;
        }
        catch
        {
            await connection.EndAsync(quietly: true).ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>What it has done so far.</summary>
    public ClientStatistics GetStatistics()
    {
        long messages = 0;
        long bytes = 0;
        foreach (ref OutboundCounter counter in _outbound.AsSpan())
        {
            messages += Volatile.Read(ref counter.Messages);
            bytes += Volatile.Read(ref counter.Bytes);
        }

        lock (_gate)
        {
            long pending = _link is { } link ? link.Transport.PendingBytes + link.Transport.ExternalStage.Length : _kept.Length;
            return new ClientStatistics
            {
                MessagesIn = Volatile.Read(ref _messagesIn),
                BytesIn = Volatile.Read(ref _bytesIn),
                MessagesOut = messages,
                BytesOut = bytes,
                Reconnects = _reconnects,
                Dropped = Volatile.Read(ref _dropped),
                Lost = _lost + _neverSent,
                Unconfirmed = _unconfirmed,
                LostBytes = _lostBytes,
                PendingBytes = pending,
                Faults = Volatile.Read(ref _faults),
            };
        }
    }

    internal void CountInbound(long messages, long bytes)
    {
        Volatile.Write(ref _messagesIn, _messagesIn + messages);
        Volatile.Write(ref _bytesIn, _bytesIn + bytes);
    }

    // The group's loop that the caller is on; null on every other thread.
    private EventLoop? CurrentLoop()
        => Loop.IsCurrent ? Loop : _group.Count == 1 ? null : OtherCurrentLoop();

    private EventLoop? OtherCurrentLoop()
    {
        for (int i = 0; i < _group.Count; i++)
        {
            if (_group[i].IsCurrent)
            {
                return _group[i];
            }
        }

        return null;
    }

    private long _messagesIn;
    private long _bytesIn;
    private long _dropped;
    private long _lostBytes;
    private long _reconnects;
    private long _faults;
}
