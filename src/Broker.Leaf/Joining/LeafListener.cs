using System.Buffers.Text;
using System.Collections.Concurrent;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography;
using Broker.Server;
using Broker.Transport;

namespace Broker.Leaf;

/// <summary>Accepts servers that join this server as leaf nodes. Thread-safe.</summary>
internal sealed class LeafListener
{
    private const int NonceBytes = 11;
    private const string StopReason = "this server accepts no more leaf nodes";

    private readonly BrokerServer _server;
    private readonly Func<string, byte[]> _loopSubject;
    private readonly ConcurrentDictionary<JoinedSession, bool> _sessions = new();
    private readonly ConcurrentDictionary<string, JoinedSession> _byKey = new(StringComparer.Ordinal);
    private readonly string _serverId;
    private readonly IReadOnlyList<string> _streamAccounts;
    private Listener? _listener;
    private volatile Settings _settings;
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private volatile bool _isStopped;
    private long _lastId;
    private int _count;

    /// <param name="server">The server.</param>
    /// <param name="options">The options.</param>
    /// <param name="log">The log.</param>
    /// <param name="pingInterval">The time between two PINGs.</param>
    /// <param name="loopSubject">Returns the subject by which loops of an account are found.</param>
    /// <exception cref="ArgumentException">An option is wrong.</exception>
    internal LeafListener(BrokerServer server, LeafListenOptions options, LinkLog log, TimeSpan pingInterval, Func<string, byte[]> loopSubject)
    {
        _server = server;
        _loopSubject = loopSubject;
        ServerDescription description = server.Inspect();
        _serverId = description.Id;
        _streamAccounts = description.Streams?.Accounts ?? [];
        Log = log;
        _settings = Read(server, options, pingInterval);
    }

    internal LeafListenOptions Options => _settings.Options;

    internal PeerAuthenticator Authenticator => _settings.Authenticator;

    internal TlsSettings? Tls => _settings.Tls;

    internal TimeSpan PingInterval => _settings.PingInterval;

    /// <summary>Whether an account has streams in this server.</summary>
    internal bool HasStreams(string account) => _streamAccounts.Contains(account, StringComparer.Ordinal);

    internal LinkLog Log { get; }

    /// <summary>The address that is listened on; null before <see cref="Start"/>.</summary>
    internal IPEndPoint? EndPoint => _listener?.EndPoint as IPEndPoint;

    /// <summary>The links of all servers that have joined.</summary>
    internal IEnumerable<JoinedLink> Links => _sessions.Keys.Select(static s => s.Link).OfType<JoinedLink>();

    /// <summary>Checks options, as the constructor does, without a listener.</summary>
    /// <exception cref="ArgumentException">An option is wrong.</exception>
    internal static void Check(LeafListenOptions options)
    {
        Require(options.AuthTimeout > TimeSpan.Zero, "AuthTimeout must be positive");
        Require(options.MaxConnections > 0, "MaxConnections must be positive");
        Require(options.MaxPendingBytes > 0, "MaxPendingBytes must be positive");
        Require(options.MaxInterest > 0, "MaxInterest must be positive");
        bool isAddress = options.Advertise is null || string.Equals(LeafAddress.Describe($"nats-leaf://{options.Advertise}"), options.Advertise, StringComparison.Ordinal);
        Require(isAddress, $"Advertise must be a host and a port, and is '{options.Advertise}'");
        Require(options.Tls is null or { AllowNonTls: false }, "AllowNonTls must be false");
        Require(options.Tls is null or { MapUsers: false }, "MapUsers must be false: leaf nodes send the credentials of a user");
    }

    /// <summary>Describes the address for the monitoring pages; null before <see cref="Start"/>.</summary>
    internal LeafListenerDescription? DescribeForPages() => EndPoint is not { } endPoint
        ? null
        : new LeafListenerDescription(endPoint.Address.ToString(), endPoint.Port)
        {
            AuthTimeout = Options.AuthTimeout,
            TlsTimeout = Options.Tls?.Timeout,
            IsTlsVerified = Options.Tls is { ClientCertificates: ClientCertificateMode.Required },
        };

    /// <summary>Begins to accept connections.</summary>
    /// <exception cref="ListenException">The address cannot be used.</exception>
    internal void Start()
    {
        try
        {
            _listener = Listener.Start(_server.Loops, Options.EndPoint, (_, from) => new JoinedSession(this, from, (ulong)Interlocked.Increment(ref _lastId)));
        }
        catch (SocketException e)
        {
            throw new ListenException(Options.EndPoint, e);
        }

        Log.Listening(_listener.EndPoint.ToString()!);
    }

    /// <summary>
    /// Reads options that have the same address. <see cref="Change"/> applies them.
    /// </summary>
    /// <exception cref="ArgumentException">An option is wrong.</exception>
    internal Settings Read(LeafListenOptions options, TimeSpan pingInterval) => Read(_server, options, pingInterval);

    /// <summary>Applies options. Servers whose users are not valid any more are disconnected.</summary>
    internal void Change(Settings settings)
    {
        _settings = settings;
        foreach (JoinedSession session in _sessions.Keys)
        {
            if (session.Link is { } link && !settings.Authenticator.IsValid(link.Identity))
            {
                session.End("Authorization Violation", "its user has changed");
            }
        }
    }

    /// <summary>Accepts nothing more and ends all connections. The method does not wait.</summary>
    internal void Stop()
    {
        _listener?.Dispose();
        _isStopped = true;
        foreach (JoinedSession session in _sessions.Keys)
        {
            session.End(null, StopReason);
        }

        CheckEnd();
    }

    /// <summary>Waits after <see cref="Stop"/> until all connections have ended, for at most a time.</summary>
    internal async Task WaitAsync(TimeSpan most)
        => await _ended.Task.WaitAsync(most).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

    /// <summary>Adds a connection. Returns false if there are too many, or the listener has stopped.</summary>
    internal bool TryAdd(JoinedSession session)
    {
        _sessions.TryAdd(session, true);
        return Interlocked.Increment(ref _count) <= Options.MaxConnections && !_isStopped;
    }

    internal void Remove(JoinedSession session)
    {
        if (!_sessions.TryRemove(session, out _))
        {
            return;
        }

        Interlocked.Decrement(ref _count);
        if (session.Link is { } link)
        {
            _byKey.TryRemove(new KeyValuePair<string, JoinedSession>(link.Key, session));
        }

        CheckEnd();
    }

    /// <summary>Ends an older connection of the same server, which has lost it and has connected again.</summary>
    internal void EndOlder(JoinedSession session, JoinedLink link)
    {
        JoinedSession? older = null;
        _byKey.AddOrUpdate(link.Key, session, (_, known) =>
        {
            older = known;
            return session;
        });
        if (older is not null && older != session)
        {
            older.End("Duplicate Remote LeafNode Connection", "the same server has connected again");
        }
    }

    internal JoinedLink CreateLink(LeafConnect connect, PeerIdentity identity, EventLoop loop, EndPoint? address)
        => new(_server, Options, Log, _loopSubject(identity.Account), connect, identity, loop, address);

    internal ListenerInfo CreateInfo(ulong id)
    {
        Settings settings = _settings;
        IPEndPoint? endPoint = EndPoint;
        return new ListenerInfo
        {
            ServerId = _serverId,
            ServerName = _server.Name,
            Version = BrokerServer.ProtocolVersion,
            Host = endPoint?.Address.ToString() ?? "0.0.0.0",
            Port = endPoint?.Port ?? 0,
            MaxPayload = _server.Inspect().MaxPayload,
            ClientId = id,
            IsAuthRequired = settings.Authenticator.RequiresCredentials ? true : null,
            IsTlsRequired = settings.Tls is null ? null : true,
            IsTlsVerified = settings.Tls?.Options.ClientCertificates == ClientCertificateMode.Required ? true : null,
            // A leaf node with credentials refuses an INFO without a nonce.
            Nonce = settings.Authenticator.CreateNonce() ?? Base64Url.EncodeToString(RandomNumberGenerator.GetBytes(NonceBytes)),
            LeafNodeUrls = settings.Options.Advertise is { } advertised ? [advertised] : [],
        };
    }

    private void CheckEnd()
    {
        if (_isStopped && _sessions.IsEmpty)
        {
            _ended.TrySetResult();
        }
    }

    private static Settings Read(BrokerServer server, LeafListenOptions options, TimeSpan pingInterval)
        => new(
            options,
            server.CreatePeerAuthenticator(options.Users),
            options.Tls is { } tls ? new TlsSettings(tls, tls.CreateAuthentication()) : null,
            pingInterval);

    private static void Require(bool holds, string otherwise)
    {
        if (!holds)
        {
            throw new ArgumentException($"Leaf nodes: {otherwise}.", nameof(otherwise));
        }
    }

    /// <summary>The values that a change of the options replaces. Immutable.</summary>
    internal sealed record Settings(LeafListenOptions Options, PeerAuthenticator Authenticator, TlsSettings? Tls, TimeSpan PingInterval);

    /// <summary>The TLS options, and what was read for them.</summary>
    internal sealed record TlsSettings(ServerTlsOptions Options, SslServerAuthenticationOptions Authentication);
}
