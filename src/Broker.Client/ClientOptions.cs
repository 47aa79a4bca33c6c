using System.Net;
using System.Text;
using Broker.Protocol;
using Broker.Transport;
using Microsoft.Extensions.Logging;

namespace Broker.Client;

/// <summary>
/// The options of a <see cref="BrokerConnection"/>. The connection reads them once, when it is created.
/// </summary>
/// <remarks>
/// The callbacks (<c>On…</c>) are called on the connection's event loop and must not block. Only <see cref="OnClosed"/>
/// may be called on any thread. Several callbacks can be combined with <c>+</c>. Each callback is called on its own,
/// and an exception that a callback throws is reported to <see cref="OnFault"/>.
/// </remarks>
/// <example>
/// <code>
/// var options = new ClientOptions { Servers = ["tls://nats.example"], User = "ada", Password = "secret" };
/// await using BrokerConnection nats = await BrokerConnection.ConnectAsync(options with { Name = "reports" });
/// </code>
/// </example>
public sealed record ClientOptions
{
    // A .NET timer accepts at most about 49 days, and some code adds two periods.
    private static readonly TimeSpan LongestPeriod = TimeSpan.FromDays(20);

    internal const string DefaultInboxPrefix = "_INBOX";

    // This limit lets subjects for replies fit on the stack.
    private const int LongestInboxPrefix = 256;

    /// <summary>
    /// The servers, in the order in which they are tried: <c>nats://[user:password@|token@]host[:port]</c> (the scheme
    /// is optional, and the default port is 4222), <c>unix://[user:password@|token@]/path</c>, or over WebSocket
    /// <c>ws://[…@]host[:port][/path]</c> (default port 80). The schemes <c>tls</c> and <c>wss</c> (default port 443)
    /// require TLS. The first connect tries each server once. After a loss the connection tries all of them in turn,
    /// together with the servers that a server has listed in its INFO.
    /// </summary>
    public IReadOnlyList<string> Servers { get; init; } = ["nats://127.0.0.1:4222"];

    /// <summary>
    /// Whether the servers are tried in a random order, so that the clients of a cluster spread over its servers.
    /// Default false.
    /// </summary>
    public bool ShuffleServers { get; init; }

    /// <summary>
    /// Whether the connection uses only <see cref="Servers"/>, and not the servers that a server lists in its INFO, for
    /// example because these addresses are not reachable from here. <see cref="OnServersDiscovered"/> is then never
    /// called. Default false.
    /// </summary>
    public bool IgnoreDiscoveredServers { get; init; }

    /// <summary>
    /// Called before each dial by TCP, with the <c>host:port</c> that is next, and returns the endpoint to dial in its
    /// place: from a service registry, or a port that has just been forwarded. Null dials the address itself. The
    /// certificate of the server must still be valid for the host of the address. It is called on a thread-pool thread,
    /// and its token is cancelled after <see cref="ConnectTimeout"/>. If it throws, this attempt to connect fails. It
    /// is not called for WebSocket addresses and for a <see cref="Dialer"/>.
    /// </summary>
    public Func<string, CancellationToken, ValueTask<EndPoint?>>? ResolveServer { get; init; }

    /// <summary>The name of this connection in the server's monitoring pages.</summary>
    public string? Name { get; init; }

    /// <summary>The user name. A user name in the address takes precedence.</summary>
    public string? User { get; init; }

    /// <summary>The password for <see cref="User"/>.</summary>
    public string? Password { get; init; }

    /// <summary>The authentication token. A token in the address takes precedence.</summary>
    public string? Token { get; init; }

    /// <summary>
    /// The public user nkey: 56 characters, the first of them <c>U</c>. <see cref="Sign"/> signs with the seed of this
    /// nkey.
    /// <c>UserCredentials</c> in the package Broker.Cryptography reads seeds and credentials files for this option and
    /// for <see cref="Jwt"/>.
    /// </summary>
    public string? Nkey { get; init; }

    /// <summary>Returns the user's JWT. It is called for each connect, on the event loop.</summary>
    public Func<string?>? Jwt { get; init; }

    /// <summary>
    /// Signs the server's nonce with the user's seed (Ed25519, 64 bytes). It is called for each connect, on the event
    /// loop. If it throws, this attempt to connect fails.
    /// </summary>
    public Func<ReadOnlyMemory<byte>, byte[]>? Sign { get; init; }

    /// <summary>
    /// Returns the credentials for the next connect, in place of <see cref="User"/>, <see cref="Password"/>,
    /// <see cref="Token"/>, <see cref="Nkey"/>, <see cref="Jwt"/> and <see cref="Sign"/>. It is called for each connect
    /// and reconnect, on a thread-pool thread, so renewed passwords, tokens and files apply without a restart. The
    /// token that it receives is cancelled after <see cref="ConnectTimeout"/>. If it throws, this attempt to connect
    /// fails. Credentials in the address take precedence.
    /// </summary>
    public Func<CancellationToken, ValueTask<ConnectCredentials>>? GetCredentials { get; init; }

    /// <summary>
    /// The first tokens of the subjects for replies, without wildcards and with at most 256 characters. Default
    /// <c>_INBOX</c>.
    /// </summary>
    public string InboxPrefix { get; init; } = DefaultInboxPrefix;

    /// <summary>
    /// Whether the connection's own subscriptions receive the messages that it publishes. Default true.
    /// </summary>
    public bool Echo { get; init; } = true;

    /// <summary>
    /// Whether messages may have headers. Without headers, the server does not report that a request has no responders.
    /// Default true.
    /// </summary>
    public bool Headers { get; init; } = true;

    /// <summary>Whether the server answers every command with <c>+OK</c>. Default false.</summary>
    public bool Verbose { get; init; }

    /// <summary>Whether the server checks subjects more strictly. Default false.</summary>
    public bool Pedantic { get; init; }

    /// <summary>
    /// The TLS options. With null, the default, the client uses TLS if the server requires TLS or the address has the
    /// scheme <c>tls</c>, and the system must then trust the server's certificate. An address with the scheme
    /// <c>tls</c> always requires TLS. If the connection uses TLS, the client ignores a list of other servers that it
    /// received before TLS started, because an attacker could change an unencrypted INFO.
    /// </summary>
    public ClientTlsOptions? Tls { get; init; }

    /// <summary>The longest time for connecting to one server: dial, TLS and handshake together. Default 2 s.</summary>
    public TimeSpan ConnectTimeout { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>
    /// The longest wait for the reply to a request without a timeout of its own. <see cref="Timeout.InfiniteTimeSpan"/>
    /// for no limit. Default 5 s.
    /// </summary>
    public TimeSpan RequestTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>The interval of the client's keep-alive PINGs. Default 2 min.</summary>
    public TimeSpan PingInterval { get; init; } = TimeSpan.FromMinutes(2);

    /// <summary>
    /// The number of keep-alive PINGs that may be unanswered before the connection counts as lost. Any received byte
    /// counts as an answer. Default 2.
    /// </summary>
    public int MaxPingsOut { get; init; } = 2;

    /// <summary>
    /// The number of attempts to reach a server after a loss before the connection closes. -1, the default, means no
    /// limit. 0 means that the connection closes without an attempt.
    /// </summary>
    public int MaxReconnectAttempts { get; init; } = -1;

    /// <summary>What the first connect does if it cannot reach any of the servers. Default: it fails.</summary>
    public FirstConnect FirstConnect { get; init; } = FirstConnect.Fail;

    /// <summary>
    /// Whether the connection tries a server again without limit after the server has refused the credentials. If
    /// false, the default, the connection does not try a server again after its second refusal, and closes when all
    /// servers have refused.
    /// </summary>
    public bool RetryRefused { get; init; }

    /// <summary>
    /// The delay after all servers have been tried without success. It doubles each time. Default 250 ms.
    /// </summary>
    public TimeSpan ReconnectWait { get; init; } = TimeSpan.FromMilliseconds(250);

    /// <summary>The upper limit of the reconnect delay. Default 5 s.</summary>
    public TimeSpan MaxReconnectWait { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// The upper limit of a random time that is added to each reconnect delay, so that many clients do not reconnect at
    /// once. Default 100 ms.
    /// </summary>
    public TimeSpan ReconnectJitter { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// Returns the delay before the servers are tried again, in place of <see cref="ReconnectWait"/>,
    /// <see cref="MaxReconnectWait"/> and <see cref="ReconnectJitter"/>. Its argument is the number of times that all
    /// servers have been tried without success, beginning with 0. A result below 0 counts as 0, and a result above one
    /// day as one day. If it throws, the exception is reported to <see cref="OnFault"/> and those three options apply.
    /// Called on a thread-pool thread.
    /// </summary>
    public Func<int, TimeSpan>? ReconnectDelay { get; init; }

    /// <summary>
    /// What happens to messages that are published while no server is connected. Default: they are buffered.
    /// </summary>
    public PublishWhileDisconnected WhileDisconnected { get; init; } = PublishWhileDisconnected.Buffer;

    /// <summary>
    /// The size of the buffer for <see cref="PublishWhileDisconnected.Buffer"/>, in bytes. Default 8 MiB.
    /// </summary>
    public int ReconnectBufferSize { get; init; } = 8 * 1024 * 1024;

    /// <summary>
    /// The number of bytes that may wait for the server before publishing is refused with
    /// <see cref="PublishStatus.PendingLimit"/>. Bytes that an event loop has written in its current iteration count
    /// for that loop only. Default 64 MiB.
    /// </summary>
    public long MaxPendingBytes { get; init; } = 64L * 1024 * 1024;

    /// <summary>
    /// How long the server may accept no bytes while bytes wait for it before the connection counts as lost. Default 10
    /// s.
    /// </summary>
    public TimeSpan WriteDeadline { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// The server's <c>max_control_line</c>: the server closes the connection after a longer command line. Subject and
    /// reply subject share the line with the other arguments, so the client limits their total length. Default 4096.
    /// </summary>
    public int MaxControlLine { get; init; } = 4096;

    /// <summary>
    /// The largest message that the client receives, headers included. A larger message ends the connection. Default 64
    /// MiB.
    /// </summary>
    public int MaxPayload { get; init; } = 64 * 1024 * 1024;

    /// <summary>
    /// The longest time for a drain, and for sending the queued bytes when the connection closes. Default 30 s.
    /// </summary>
    public TimeSpan DrainTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// The event loops of the connection. They may be shared with other connections, and their owner disposes them
    /// after the connections. Default: the loops that all connections without this option share in this process
    /// (<see cref="SharedEventLoops"/>).
    /// </summary>
    public EventLoopGroup? Loops { get; init; }

    /// <summary>
    /// Opens the transport to the server in place of an address. The method <c>CreateDialer()</c> of an embedded server
    /// returns a dialer, and <see cref="Dialers"/> creates dialers from streams and pipes. The dialer is called for
    /// every connect and reconnect, on a thread-pool thread. <see cref="Servers"/> then only provides credentials.
    /// </summary>
    public IDialer? Dialer { get; init; }

    /// <summary>
    /// Whether the connection creates spans (<see cref="ClientActivities.SourceName"/>) for handlers, for
    /// requests and replies, and for publishes with string subjects, and propagates the trace context in the headers
    /// <c>traceparent</c> and <c>tracestate</c>. Without a listener, no header is added and the cost is one check.
    /// Default false.
    /// </summary>
    public bool Tracing { get; init; }

    /// <summary>
    /// The factory of the logger <c>Broker.Client</c>, which logs the same events as the callbacks. docs/client.md
    /// lists them. Default: no logging.
    /// </summary>
    public ILoggerFactory? LoggerFactory { get; init; }

    /// <summary>The server was lost, for the given reason. Pending requests and barriers have failed.</summary>
    public Action<BrokerConnection, Exception>? OnDisconnected { get; init; }

    /// <summary>
    /// The connection is about to try this server after a loss. The argument is <c>host:port</c>, or "by the dialer" if
    /// there is a <see cref="Dialer"/>.
    /// </summary>
    public Action<BrokerConnection, string>? OnReconnecting { get; init; }

    /// <summary>
    /// A server is connected again. The subscriptions and the buffered messages have been sent to it.
    /// </summary>
    public Action<BrokerConnection>? OnReconnected { get; init; }

    /// <summary>
    /// An attempt to connect failed while <see cref="BrokerConnection.State"/> is
    /// <see cref="ConnectionState.Reconnecting"/>. The next attempt follows.
    /// </summary>
    public Action<BrokerConnection, Exception>? OnConnectFailed { get; init; }

    /// <summary>
    /// The connection has closed, because its owner closed it or because it gave up reconnecting. This is the last
    /// callback and comes once.
    /// </summary>
    public Action<BrokerConnection>? OnClosed { get; init; }

    /// <summary>
    /// The server sent <c>-ERR</c> with this text. After most errors the server closes the connection.
    /// </summary>
    public Action<BrokerConnection, string>? OnServerError { get; init; }

    /// <summary>The server announced that it will shut down and that its clients should reconnect elsewhere.</summary>
    public Action<BrokerConnection>? OnLameDuck { get; init; }

    /// <summary>The server listed servers that were not known before, as <c>host:port</c>.</summary>
    public Action<BrokerConnection, IReadOnlyList<string>>? OnServersDiscovered { get; init; }

    /// <summary>
    /// The reader of a queued subscription is too slow, so messages are dropped or the subscription ends. After this
    /// call, the next call comes only after the reader has caught up.
    /// </summary>
    public Action<BrokerConnection, QueuedSubscription>? OnSlowConsumer { get; init; }

    /// <summary>
    /// Space is available again, so a caller that was refused for lack of space may publish. It is always called after
    /// a refusal with <see cref="PublishStatus.PendingLimit"/> or <see cref="PublishStatus.BufferFull"/>, unless the
    /// connection closes. It is also called each time the memory for waiting bytes falls from above half of
    /// <see cref="MaxPendingBytes"/> to half or less. With messages of slightly more than 32 KiB, only half of that
    /// memory may be in use. In the worst case, the waiting bytes are then only a quarter of
    /// <see cref="MaxPendingBytes"/>.
    /// </summary>
    public Action<BrokerConnection>? OnWritable { get; init; }

    /// <summary>
    /// A <see cref="MessageHandler"/> or a callback has thrown. If a handler has thrown, the first argument is its
    /// subscription. The callback also receives the <see cref="ConnectionLostException"/> of a connection that has used
    /// up its attempts to reconnect, and a <see cref="PublishRefusedException"/> for each buffered message that the
    /// next server does not accept.
    /// </summary>
    public Action<Subscription?, Exception>? OnFault { get; init; }

    /// <summary>Logs the events that callbacks do not distinguish. Null without a logger factory.</summary>
    internal ClientLog? Log { get; init; }

    /// <summary>Returns the name and the servers, without any part of the credentials.</summary>
    public override string ToString()
        => $"{nameof(ClientOptions)} {{ {nameof(Name)} = {Name}, {nameof(Servers)} = {string.Join(", ", (Servers ?? []).Select(ServerAddress.Describe))} }}";

    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    internal static void Validate(ClientOptions options)
    {
        if (options.Servers is null || options.Servers.Count == 0)
        {
            throw new ArgumentException($"{nameof(Servers)} must contain at least one server.", nameof(options));
        }

        OptionRange.Require(IsInboxPrefix(options.InboxPrefix), nameof(InboxPrefix), options.InboxPrefix, "a subject without wildcards and with at most 256 characters");
        OptionRange.Require(options.Nkey is null || options.Sign is not null, nameof(Sign), null, "set, because Nkey is set");
        OptionRange.Require(
            options.FirstConnect is >= FirstConnect.Fail and <= FirstConnect.Background, nameof(FirstConnect), options.FirstConnect, "a member of the enumeration");
        RequirePeriod(options.ConnectTimeout, nameof(ConnectTimeout));
        RequirePeriod(options.PingInterval, nameof(PingInterval));
        RequirePeriod(options.DrainTimeout, nameof(DrainTimeout));
        RequirePeriodOrNone(options.WriteDeadline, nameof(WriteDeadline));
        RequirePeriodOrNone(options.RequestTimeout, nameof(RequestTimeout));
        OptionRange.Require(options.MaxPingsOut >= 1, nameof(MaxPingsOut), options.MaxPingsOut, "1 or more");
        OptionRange.Require(options.MaxReconnectAttempts >= -1, nameof(MaxReconnectAttempts), options.MaxReconnectAttempts, "0 or more, or -1 for no limit");
        OptionRange.Require(options.ReconnectWait >= TimeSpan.Zero, nameof(ReconnectWait), options.ReconnectWait, "0 or more");
        OptionRange.Require(
            options.MaxReconnectWait >= options.ReconnectWait && options.MaxReconnectWait < LongestPeriod,
            nameof(MaxReconnectWait), options.MaxReconnectWait, "at least ReconnectWait and below 20 days");
        OptionRange.Require(
            options.ReconnectJitter >= TimeSpan.Zero && options.ReconnectJitter < LongestPeriod,
            nameof(ReconnectJitter), options.ReconnectJitter, "0 or more and below 20 days");
        OptionRange.Require(options.ReconnectBufferSize >= 0, nameof(ReconnectBufferSize), options.ReconnectBufferSize, "0 or more");
        OptionRange.Require(
            options.MaxPendingBytes is >= 1 and <= long.MaxValue / 4, nameof(MaxPendingBytes), options.MaxPendingBytes, "from 1 to 2305843009213693951");
        OptionRange.Require(options.MaxControlLine is >= 128 and <= 1024 * 1024, nameof(MaxControlLine), options.MaxControlLine, "from 128 to 1048576");
        OptionRange.Require(options.MaxPayload is >= 1 and <= int.MaxValue / 2, nameof(MaxPayload), options.MaxPayload, "from 1 to 1073741823");
    }

    internal static bool IsInboxPrefix(string? prefix)
        => prefix is { Length: <= LongestInboxPrefix } && Subject.IsValidLiteral(Encoding.UTF8.GetBytes(prefix));

    private static bool IsPeriod(TimeSpan value) => value > TimeSpan.Zero && value < LongestPeriod;

    private static void RequirePeriodOrNone(TimeSpan value, string option)
        => OptionRange.Require(IsPeriod(value) || value == Timeout.InfiniteTimeSpan, option, value, "above 0 and below 20 days, or Timeout.InfiniteTimeSpan");

    private static void RequirePeriod(TimeSpan value, string option) => OptionRange.Require(IsPeriod(value), option, value, "above 0 and below 20 days");
}
