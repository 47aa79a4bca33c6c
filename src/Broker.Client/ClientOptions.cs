using System.Text;
using Broker.Client.Publishing;
using Broker.Client.Servers;
using Broker.Client.Subscriptions;
using Broker.Client.Tls;
using Broker.Protocol.Subjects;
using Broker.Transport;
using Microsoft.Extensions.Logging;

namespace Broker.Client;

/// <summary>How a <see cref="BrokerConnection"/> is made and kept. Read once, when it is made.</summary>
/// <remarks>
/// The callbacks (<c>On…</c>) are called on the connection's event loop and must not block, save for
/// <see cref="OnClosed"/>, which may come on any thread. What they throw is reported to <see cref="OnFault"/>.
/// </remarks>
public sealed record ClientOptions
{
    // A timer of the runtime takes at most some 49 days; two of these are added in places.
    private static readonly TimeSpan LongestPeriod = TimeSpan.FromDays(20);

    internal const string DefaultInboxPrefix = "_INBOX";

    // So that subjects for answers fit on the stack.
    private const int LongestInboxPrefix = 256;

    /// <summary>
    /// The servers to choose from, in order: <c>nats://[user:password@|token@]host[:port]</c>, the scheme and the port
    /// (4222) being optional, <c>unix://[user:password@|token@]/path</c>, or by WebSocket <c>ws://[…@]host[:port][/path]</c> (80). The
    /// schemes <c>tls</c> and <c>wss</c> (443) refuse to speak in clear. Each is
    /// tried once by the first connect, and in turn after a loss, together with those that the server names in its INFO.
    /// </summary>
    public IReadOnlyList<string> Servers { get; init; } = ["nats://127.0.0.1:4222"];

    /// <summary>What the server shows for this connection in its monitoring.</summary>
    public string? Name { get; init; }

    /// <summary>The user, unless the address names one.</summary>
    public string? User { get; init; }

    /// <summary>The password for <see cref="User"/>.</summary>
    public string? Password { get; init; }

    /// <summary>The token, unless the address has one.</summary>
    public string? Token { get; init; }

    /// <summary>
    /// The public user nkey (56 characters, the first of them <c>U</c>) whose seed <see cref="Sign"/> signs with. With this, or with
    /// <see cref="Jwt"/>, <c>UserCredentials</c> of the package Broker.Cryptography reads seeds and credentials files.
    /// </summary>
    public string? Nkey { get; init; }

    /// <summary>Gives the user's JWT, anew for each connect, on the event loop.</summary>
    public Func<string?>? Jwt { get; init; }

    /// <summary>
    /// Signs the server's nonce with the user's seed (Ed25519, 64 bytes), for each connect, on the event loop. Where it throws, the
    /// attempt has failed.
    /// </summary>
    public Func<ReadOnlyMemory<byte>, byte[]>? Sign { get; init; }

    /// <summary>What the subjects for answers begin with: tokens, without wildcards, of 256 characters at most. Default <c>_INBOX</c>.</summary>
    public string InboxPrefix { get; init; } = DefaultInboxPrefix;

    /// <summary>Whether what this connection publishes comes back to its own subscriptions. Default true.</summary>
    public bool Echo { get; init; } = true;

    /// <summary>Whether messages may have headers; without them nobody says that a request has no responders. Default true.</summary>
    public bool Headers { get; init; } = true;

    /// <summary>Whether the server answers every command with <c>+OK</c>. Default false.</summary>
    public bool Verbose { get; init; }

    /// <summary>Whether the server checks subjects more strictly. Default false.</summary>
    public bool Pedantic { get; init; }

    /// <summary>
    /// TLS. Null, the default: it is spoken where the server requires it or the address has the scheme <c>tls</c>, and the server's
    /// certificate must be one that the system trusts.
    /// </summary>
    public ClientTlsOptions? Tls { get; init; }

    /// <summary>How long one server may take from the dial to the end of the handshake. Default 2 s.</summary>
    public TimeSpan ConnectTimeout { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>How often the client asks the server for a sign of life. Default 2 min.</summary>
    public TimeSpan PingInterval { get; init; } = TimeSpan.FromMinutes(2);

    /// <summary>How many of these questions may be unanswered before the connection counts as lost. Default 2.</summary>
    public int MaxPingsOut { get; init; } = 2;

    /// <summary>How often a server is dialled after a loss before the connection closes for good. Default -1: without end. 0: never.</summary>
    public int MaxReconnectAttempts { get; init; } = -1;

    /// <summary>What becomes of a first connect that finds no server among those named. Default: it fails.</summary>
    public FirstConnect FirstConnect { get; init; } = FirstConnect.Fail;

    /// <summary>
    /// Whether a server that refused the credentials is asked again, as often as others. Default false: after its second refusal it is
    /// left alone, and when all have refused the connection closes for good.
    /// </summary>
    public bool RetryRefused { get; init; }

    /// <summary>The wait after all servers have been tried in vain; it doubles each time. Default 250 ms.</summary>
    public TimeSpan ReconnectWait { get; init; } = TimeSpan.FromMilliseconds(250);

    /// <summary>The longest such wait. Default 5 s.</summary>
    public TimeSpan MaxReconnectWait { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>Up to how much is added to a wait, by chance, so that many clients do not come back at once. Default 100 ms.</summary>
    public TimeSpan ReconnectJitter { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// Says how long to wait before the servers are tried again, instead of the three options above. It is given how often all of them have
    /// been tried in vain, 0 at first; what is below 0 or above a day counts as that. Called on a thread of the pool.
    /// </summary>
    public Func<int, TimeSpan>? ReconnectDelay { get; init; }

    /// <summary>What becomes of messages that are published while no server is connected. Default: they are kept.</summary>
    public PublishWhileDisconnected WhileDisconnected { get; init; } = PublishWhileDisconnected.Buffer;

    /// <summary>How many bytes are kept for <see cref="PublishWhileDisconnected.Buffer"/>. Default 8 MiB.</summary>
    public int ReconnectBufferSize { get; init; } = 8 * 1024 * 1024;

    /// <summary>
    /// How many bytes may wait for the server before publishing is refused with <see cref="PublishStatus.PendingLimit"/>.
    /// What each loop has written in its present turn counts for that loop only. Default 64 MiB.
    /// </summary>
    public long MaxPendingBytes { get; init; } = 64L * 1024 * 1024;

    /// <summary>
    /// How long the server may take nothing while bytes wait for it before the connection counts as lost. Default 10 s.
    /// </summary>
    public TimeSpan WriteDeadline { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How many bytes subject and reply subject together may have, less what the line takes besides: the server's
    /// <c>max_control_line</c>, beyond which it ends the connection. Default 4096.
    /// </summary>
    public int MaxControlLine { get; init; } = 4096;

    /// <summary>The largest message that is received, headers included; a larger one ends the connection. Default 64 MiB.</summary>
    public int MaxPayload { get; init; } = 64 * 1024 * 1024;

    /// <summary>How long a drain may take, and how long a close waits for queued bytes to leave. Default 30 s.</summary>
    public TimeSpan DrainTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// The loops to live on, shared with other connections and disposed by their owner after them. Default: those that all
    /// connections of this process share which name none (<see cref="SharedEventLoops"/>).
    /// </summary>
    public EventLoopGroup? Loops { get; init; }

    /// <summary>
    /// How to reach the server instead of by its address: the <c>Connect()</c> of an embedded server returns one, and <see cref="Connecting.Dialers"/> makes them of
    /// streams and pipes. Asked anew for every connect and reconnect, on a thread of the pool. <see cref="Servers"/> then serves for credentials only.
    /// </summary>
    public IDialer? Dialer { get; init; }

    /// <summary>
    /// Whether spans are made for publishes by text subjects, requests, answers and handlers (<see cref="Telemetry.ClientActivities.SourceName"/>), and
    /// the context of traces travels in the headers <c>traceparent</c> and <c>tracestate</c>. While nobody listens no header is added, and all it
    /// costs is a look. Default false: messages are sent as they are given.
    /// </summary>
    public bool Tracing { get; init; }

    /// <summary>
    /// Where the connection logs what its callbacks are told, as <c>Broker.Client</c>; docs/client.md has the events. Default: nowhere.
    /// </summary>
    public ILoggerFactory? LoggerFactory { get; init; }

    /// <summary>The server is lost, for the reason given. Requests and barriers that were under way have failed.</summary>
    public Action<BrokerConnection, Exception>? OnDisconnected { get; init; }

    /// <summary>This server, <c>host:port</c>, or "by the dialer" where there is a <see cref="Dialer"/>, is about to be tried after a loss.</summary>
    public Action<BrokerConnection, string>? OnReconnecting { get; init; }

    /// <summary>A server is there again; the subscriptions, and what was kept meanwhile, have been sent to it.</summary>
    public Action<BrokerConnection>? OnReconnected { get; init; }

    /// <summary>
    /// An attempt to find a server failed while <see cref="BrokerConnection.State"/> is <see cref="ConnectionState.Reconnecting"/>; the next
    /// follows.
    /// </summary>
    public Action<BrokerConnection, Exception>? OnConnectFailed { get; init; }

    /// <summary>It is over: closed by its owner, or given up. Once, last.</summary>
    public Action<BrokerConnection>? OnClosed { get; init; }

    /// <summary>The server sent <c>-ERR</c>, with this text. Most of these it follows with the end of the connection.</summary>
    public Action<BrokerConnection, string>? OnServerError { get; init; }

    /// <summary>The server is going to shut down and wants its clients to go elsewhere.</summary>
    public Action<BrokerConnection>? OnLameDuck { get; init; }

    /// <summary>The server named other servers, as <c>host:port</c>.</summary>
    public Action<BrokerConnection, IReadOnlyList<string>>? OnServersLearnt { get; init; }

    /// <summary>
    /// The reader of a queued subscription is too slow, and messages of it are dropped or it ends: told once, until the reader has
    /// caught up.
    /// </summary>
    public Action<BrokerConnection, QueuedSubscription>? OnSlowConsumer { get; init; }

    /// <summary>
    /// There is room again: who was refused for want of it may publish. It always follows such a refusal, by
    /// <see cref="PublishStatus.PendingLimit"/> or <see cref="PublishStatus.BufferFull"/>, unless the connection closes; it comes too
    /// whenever the memory of what waits for the server has been above half of <see cref="MaxPendingBytes"/> and falls to that: at
    /// worst, with messages of little more than 32 KiB, as much of it is empty, and a quarter still waits.
    /// </summary>
    public Action<BrokerConnection>? OnWritable { get; init; }

    /// <summary>A <see cref="MessageHandler"/> (then with its subscription) or a callback has thrown.</summary>
    public Action<Subscription?, Exception>? OnFault { get; init; }

    /// <summary>Names what tells connections apart, and no credentials: neither in full nor in part.</summary>
    public override string ToString()
        => $"{nameof(ClientOptions)} {{ {nameof(Name)} = {Name}, {nameof(Servers)} = {string.Join(", ", (Servers ?? []).Select(ServerAddress.Describe))} }}";

    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    internal static void Validate(ClientOptions options)
    {
        if (options.Servers is null || options.Servers.Count == 0)
        {
            throw new ArgumentException($"{nameof(Servers)} must name one server at least.", nameof(options));
        }

        OptionRange.Require(IsInboxPrefix(options.InboxPrefix), nameof(InboxPrefix), options.InboxPrefix, "a subject without wildcards, of 256 characters at most");
        OptionRange.Require(options.Nkey is null || options.Sign is not null, nameof(Sign), null, "given where there is an Nkey");
        OptionRange.Require(
            options.FirstConnect is >= FirstConnect.Fail and <= FirstConnect.Background, nameof(FirstConnect), options.FirstConnect, "one of those named");
        RequirePeriod(options.ConnectTimeout, nameof(ConnectTimeout));
        RequirePeriod(options.PingInterval, nameof(PingInterval));
        RequirePeriod(options.DrainTimeout, nameof(DrainTimeout));
        OptionRange.Require(
            IsPeriod(options.WriteDeadline) || options.WriteDeadline == Timeout.InfiniteTimeSpan,
            nameof(WriteDeadline), options.WriteDeadline, "above 0 and below 20 days, or Timeout.InfiniteTimeSpan");
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

    private static void RequirePeriod(TimeSpan value, string option) => OptionRange.Require(IsPeriod(value), option, value, "above 0 and below 20 days");
}
