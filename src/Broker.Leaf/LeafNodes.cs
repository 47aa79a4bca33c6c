using System.Collections.Concurrent;
using System.Net;
using System.Security.Cryptography;
using System.Text;
using Broker.Protocol;
using Broker.Server;
using Broker.Transport;

namespace Broker.Leaf;

/// <summary>
/// The links of a server to remote servers, which it joins as a leaf node, and to servers that have joined it. A link
/// to a remote connects by itself, again after each loss, until this object is disposed. Thread-safe.
/// </summary>
/// <example><code>
/// await using var leaf = LeafNodes.Start(server, new LeafNodeOptions
/// {
///     Remotes = [new LeafRemoteOptions { Urls = ["nats-leaf://edge:secret@hub.example.org:7422"] }],
/// });
/// </code></example>
public sealed class LeafNodes : IAsyncDisposable
{
    private const int LoopIdLength = 22;
    private const string GlobalAccount = "$G";

    // When a link ends, its connection has this time to send the messages that wait.
    private static readonly TimeSpan MaxEnd = TimeSpan.FromSeconds(2);

    private readonly BrokerServer _server;
    private readonly SemaphoreSlim _change = new(1, 1);

    // A loop of links is found by this subject, which is the same on all links of an account.
    private readonly ConcurrentDictionary<string, byte[]> _loopSubjects = new(StringComparer.Ordinal);
    private volatile LeafLink[] _links = [];
    private volatile LeafListener? _listener;
    private bool _isDisposed;

    // The accounts with streams in this server. They do not change while the server runs.
    private readonly IReadOnlyList<string> _streamAccounts;

    private LeafNodes(BrokerServer server) => (_server, _streamAccounts) = (server, server.Inspect().Streams?.Accounts ?? []);

    /// <summary>The state of each remote that is not disabled, in the order of the options.</summary>
    public IReadOnlyList<LeafRemoteStatus> Remotes => [.. _links.Select(static link => link.Describe())];

    /// <summary>The state of each server that has joined this server.</summary>
    public IReadOnlyList<LeafNodeStatus> Joined => [.. (_listener?.Links ?? []).Select(static link => link.Describe())];

    /// <summary>The address at which servers can join this server; null if they cannot.</summary>
    public IPEndPoint? EndPoint => _listener?.EndPoint;

    /// <summary>Starts the links. The method does not wait for a connection.</summary>
    /// <param name="server">The server. Dispose the links before the server.</param>
    /// <param name="options">The options.</param>
    /// <exception cref="ArgumentException">
    /// An address is not valid, an account does not exist, two remotes have the same account and address, or a value is
    /// out of its range. The message contains no password.
    /// </exception>
    /// <exception cref="ListenException">The address of <see cref="LeafNodeOptions.Listen"/> cannot be
    /// used.</exception>
    public static LeafNodes Start(BrokerServer server, LeafNodeOptions options)
    {
        ArgumentNullException.ThrowIfNull(server);
        ArgumentNullException.ThrowIfNull(options);
        Check(options);
        var nodes = new LeafNodes(server);
        LeafListener? listener = options.Listen is { } listen ? nodes.CreateListener(listen, options) : null;
        LeafLink[] links = nodes.Create(options, []);
        try
        {
            listener?.Start();
        }
        catch
        {
            Array.ForEach(links, static link => link.Stop());
            throw;
        }

        nodes._listener = listener;
        nodes._links = links;
        server.DescribeLeafNodes = nodes.DescribeForPages;
        server.DescribeLeafListener = () => nodes._listener?.DescribeForPages();
        Array.ForEach(links, static link => link.Start());
        return nodes;
    }

    /// <summary>
    /// Checks options without using them, for example before a reload changes anything. The files of TLS options are
    /// read.
    /// </summary>
    /// <param name="options">The options.</param>
    /// <param name="accounts">
    /// The names of the configured accounts that the server will have. The global account and the system account exist
    /// always.
    /// </param>
    /// <exception cref="ArgumentException">As for <see cref="Start"/>.</exception>
    public static void Validate(LeafNodeOptions options, IEnumerable<string> accounts)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(accounts);
        Check(options);
        HashSet<string> known = [.. accounts, GlobalAccount, "$SYS"];
        foreach (PeerUser user in options.Listen?.Users ?? [])
        {
            Require(user.Account is null || known.Contains(user.Account), $"there is no account '{user.Account}'");
        }

        options.Listen?.Tls?.Validate();
        foreach (LeafRemoteOptions remote in options.Remotes.Where(static r => !r.IsDisabled))
        {
            Require(remote.Account is null || known.Contains(remote.Account), $"there is no account '{remote.Account}'");
            _ = new ClientTlsContext(remote.Tls);
        }
    }

    /// <summary>
    /// Replaces the options. Links of remotes that did not change stay connected. The method waits until the links of
    /// removed and changed remotes have ended, for at most a second or two, and does not wait for new connections.
    /// Servers that have joined stay connected, unless the address of <see cref="LeafNodeOptions.Listen"/> or their
    /// user has changed. After a change of the server's own users, call this method too.
    /// </summary>
    /// <param name="options">The options. The logger is not changed.</param>
    /// <exception cref="ArgumentException">
    /// As for <see cref="Start"/>. Then nothing has changed.
    /// </exception>
    /// <exception cref="ListenException">
    /// The new address of <see cref="LeafNodeOptions.Listen"/> cannot be used. Then nothing has changed.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The object has been disposed.</exception>
    public async Task ChangeAsync(LeafNodeOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        Check(options);
        await _change.WaitAsync().ConfigureAwait(false);
        try
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            LeafLink[] before = _links;
            LeafLink[] after = CreateWithListener(options, before, out Func<Task> changeListener);
            await changeListener().ConfigureAwait(false);
            LeafLink[] removed = [.. before.Except(after)];
            Array.ForEach(removed, static link => link.Stop());
            await Task.WhenAll(removed.Select(static link => link.Stopped)).ConfigureAwait(false);
            _links = after;
            foreach (LeafLink link in after.Except(before))
            {
                link.Start();
            }
        }
        finally
        {
            _change.Release();
        }
    }

    /// <summary>Ends all links. Messages that wait for a link are sent first, for at most a second.</summary>
    public async ValueTask DisposeAsync()
    {
        await _change.WaitAsync().ConfigureAwait(false);
        _isDisposed = true;
        _change.Release();
        _server.DescribeLeafNodes = null;
        _server.DescribeLeafListener = null;
        Array.ForEach(_links, static link => link.Stop());
        await EndAsync(_listener).ConfigureAwait(false);
        await Task.WhenAll(_links.Select(static link => link.Stopped)).ConfigureAwait(false);
    }

    // Returns a link for each remote: the present one if the remote is the same, and otherwise a new one.
    private LeafLink[] Create(LeafNodeOptions options, LeafLink[] present)
    {
        var links = new List<LeafLink>();
        var created = new List<LeafLink>();
        try
        {
            foreach (LeafRemoteOptions remote in options.Remotes.Where(static r => !r.IsDisabled))
            {
                bool mapsJetStream = IsOnlyRemote(options, remote);
                bool hasStreams = _streamAccounts.Contains(remote.Account ?? GlobalAccount, StringComparer.Ordinal);
                LeafLink? same = Array.Find(
                    present, link => link.Remote.Equals(remote) && link.MapsJetStream == mapsJetStream && !links.Contains(link));
                if (same is null)
                {
                    same = new LeafLink(_server, options, remote, LoopSubject(remote.Account ?? GlobalAccount), mapsJetStream, hasStreams);
                    created.Add(same);
                }

                links.Add(same);
            }
        }
        catch
        {
            created.ForEach(static link => link.Stop());
            throw;
        }

        links.ForEach(link => link.Options = options);
        return [.. links];
    }

    // Prepares a change of the listener. If it fails, nothing has changed.
    private LeafLink[] CreateWithListener(LeafNodeOptions options, LeafLink[] present, out Func<Task> change)
    {
        LeafListener? before = _listener;
        if (before is not null && options.Listen is { } same && same.EndPoint.Equals(before.Options.EndPoint))
        {
            LeafListener.Settings settings = before.Read(same, options.PingInterval);
            change = () =>
            {
                before.Change(settings);
                return Task.CompletedTask;
            };
            return Create(options, present);
        }

        LeafListener? after = options.Listen is { } listen ? CreateListener(listen, options) : null;
        after?.Start();
        change = () =>
        {
            _listener = after;
            return EndAsync(before);
        };
        try
        {
            return Create(options, present);
        }
        catch
        {
            after?.Stop();
            throw;
        }
    }

    private LeafListener CreateListener(LeafListenOptions listen, LeafNodeOptions options)
        => new(_server, listen, new LinkLog(options.Logger), options.PingInterval, LoopSubject);

    private static Task EndAsync(LeafListener? listener)
    {
        listener?.Stop();
        return listener?.WaitAsync(MaxEnd) ?? Task.CompletedTask;
    }

    private IReadOnlyList<LeafNodeDescription> DescribeForPages()
        => [.. _links.Select(static link => link.DescribeForPages()), .. (_listener?.Links ?? []).Select(static link => link.DescribeForPages())];

    private byte[] LoopSubject(string account)
        => _loopSubjects.GetOrAdd(account, static _ => Encoding.ASCII.GetBytes("$LDS." + RandomNumberGenerator.GetHexString(LoopIdLength)));

    // If an account joins two clusters, the options must tell which of them has its streams.
    private static bool IsOnlyRemote(LeafNodeOptions options, LeafRemoteOptions remote)
        => options.Remotes.Count(other => !other.IsDisabled && string.Equals(other.Account, remote.Account, StringComparison.Ordinal)) == 1;

    private static void Check(LeafNodeOptions options)
    {
        Require(options.ReconnectDelay > TimeSpan.Zero, "ReconnectDelay must be positive");
        Require(options.PingInterval > TimeSpan.Zero, "PingInterval must be positive");
        if (options.Listen is { } listen)
        {
            LeafListener.Check(listen);
        }

        var seen = new HashSet<string>(StringComparer.Ordinal);
        foreach (LeafRemoteOptions remote in options.Remotes)
        {
            Require(remote.Urls.Count != 0, "a remote has no address in Urls");
            Require(remote.MaxPendingBytes > 0, "MaxPendingBytes must be positive");
            Require(remote.MaxInterest > 0, "MaxInterest must be positive");
            Require(remote.DialTimeout > TimeSpan.Zero, "DialTimeout must be positive");
            Require(remote.FirstInfoTimeout > TimeSpan.Zero, "FirstInfoTimeout must be positive");
            Require(remote.TlsTimeout > TimeSpan.Zero, "TlsTimeout must be positive");
            Require(
                remote.JetStreamDomain is null || LeafRemoteOptions.IsValidDomain(remote.JetStreamDomain),
                "JetStreamDomain must be a word without dots and wildcards");
            foreach (string filter in remote.DenyImports.Concat(remote.DenyExports))
            {
                Require(Subject.IsValidFilter(Encoding.UTF8.GetBytes(filter)), $"'{filter}' is not a valid filter of subjects");
            }

            Require(
                remote.Urls.Select(IsWebSocket).Distinct().Count() == 1,
                "all addresses of a remote must have the scheme ws or wss, or none of them");
            foreach (string address in remote.Urls.Select(Describe).Distinct(StringComparer.Ordinal))
            {
                Require(seen.Add($"{remote.Account} {address}"), $"two remotes have the address {address} and the same account");
            }
        }
    }

    private static bool IsWebSocket(string url) => Parse(url).WebSocketUri is not null;

    private static string Describe(string url) => Parse(url).ToString();

    private static LeafAddress Parse(string url)
    {
        try
        {
            return LeafAddress.Parse(url);
        }
        catch (FormatException e)
        {
            throw new ArgumentException(e.Message, nameof(url), e);
        }
    }

    private static void Require(bool holds, string otherwise)
    {
        if (!holds)
        {
            throw new ArgumentException($"Leaf nodes: {otherwise}.", nameof(otherwise));
        }
    }
}
