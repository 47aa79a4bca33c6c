using System.Globalization;
using Broker.Server;
using Broker.Transport;

namespace Broker.Leaf;

/// <summary>
/// The link to one remote: it dials, keeps one session at a time, and connects again after each loss. Unless a comment
/// says otherwise, members are used on the loop of the link only.
/// </summary>
internal sealed partial class LeafLink : PeerLink
{
    private static readonly TimeSpan StopLinger = TimeSpan.FromSeconds(1);

    private readonly BrokerServer _server;
    private volatile LeafNodeOptions _options;
    private readonly LeafRemoteOptions _remote;
    private readonly ClientTlsContext _tls;
    private readonly TaskCompletionSource _stopped = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private LeafSession? _session;
    private string? _serverId;
    private int _failures;
    private bool _isStopping;

    // Written after all that a status describes, and read before it, so that no status mixes two states of the link.
    private volatile bool _isConnected;
    private volatile LeafAddress _address;
    private volatile string _remoteName = "";
    private volatile string _lastError = "";

    internal LeafLink(BrokerServer server, LeafNodeOptions options, LeafRemoteOptions remote, byte[] loopSubject, bool mapsJetStream, bool hasStreams)
        : base(server, new RemoteTargetOptions { Account = remote.Account }, new LinkLog(options.Logger), loopSubject, remote.MaxPendingBytes)
    {
        _server = server;
        _options = options;
        _remote = remote;
        MapsJetStream = mapsJetStream;
        HasStreams = hasStreams;
        Addresses = new AddressList([.. remote.Urls.Select(LeafAddress.Parse)], remote.NoRandomize);
        _address = Addresses.First;
        _tls = new ClientTlsContext(remote.Tls);
    }

    internal LeafRemoteOptions Remote => _remote;

    internal AddressList Addresses { get; }

    /// <summary>
    /// Whether the streams of this remote are those of the account, unless the options name a domain.
    /// </summary>
    internal bool MapsJetStream { get; }

    /// <summary>Whether the account has streams in this server.</summary>
    internal bool HasStreams { get; }

    /// <summary>The subjects that must not come from the remote.</summary>
    internal IReadOnlyList<string> DenyImports => HasStreams ? [.. _remote.DenyImports, .. StreamSubjects.All] : _remote.DenyImports;

    /// <summary>The subjects that must not go to the remote.</summary>
    internal IReadOnlyList<string> DenyExports => HasStreams ? [.. _remote.DenyExports, .. StreamSubjects.All] : _remote.DenyExports;

    /// <summary>Completes when the link has ended after <see cref="Stop"/>.</summary>
    internal Task Stopped => _stopped.Task;

    /// <summary>Whether the link ends, so that a new connection is not used.</summary>
    internal bool IsStopping => _isStopping;

    /// <summary>The options of all links. A reload may replace them on any thread.</summary>
    internal LeafNodeOptions Options
    {
        set => _options = value;
    }

    internal TimeSpan PingInterval => _options.PingInterval;

    /// <summary>Whether this server accepts leaf nodes, to which the subjects that detect loops must pass.</summary>
    internal bool AcceptsOthers => _options.Listen is not null;

    protected override string PeerText => _address.ToString();

    /// <summary>Begins to connect. Any thread may call this.</summary>
    internal void Start() => Loop.Post(Connect);

    /// <summary>Begins to end the link. Any thread may call this.</summary>
    internal void Stop()
    {
        if (!Loop.TryPost(StopOnLoop))
        {
            _stopped.TrySetResult();
        }
    }

    /// <summary>Creates the CONNECT for a session.</summary>
    /// <param name="address">The address that is connected.</param>
    /// <param name="credentials">The credentials that replace those of the address.</param>
    /// <param name="signature">The signature with these credentials.</param>
    internal ConnectCommand CreateConnect(LeafAddress address, LeafCredentials? credentials, string? signature)
    {
        string name = _server.Name.Replace(' ', '_');
        return new ConnectCommand
        {
            ServerId = _serverId ??= _server.Inspect().Id,
            // A remote of version 2.9 disconnects the older of two leaf nodes with one name, even if their accounts
            // differ.
            Name = _remote.Account is { } account ? $"{name}-{account.Replace(' ', '_')}" : name,
            Cluster = name,
            RemoteAccount = Target.Account,
            User = credentials is null ? address.User : null,
            Password = credentials is null ? address.Password : null,
            Token = credentials is null ? address.Token : null,
            Nkey = credentials?.Nkey,
            Jwt = credentials?.Jwt,
            Signature = signature,
            DenyPublish = DenyImports is { Count: > 0 } denied ? denied : null,
        };
    }

    /// <summary>The handshake is done: messages pass from now on.</summary>
    /// <param name="session">The session.</param>
    /// <param name="info">The remote's first INFO.</param>
    /// <param name="maxPayload">The remote's maximum payload for this link; 0 if it is unknown.</param>
    internal void OnReady(LeafSession session, HubInfo info, long maxPayload)
    {
        _failures = 0;
        _remoteName = info.ServerName ?? info.ServerId ?? "";
        Announce(new LinkOutput(session.Connection!, maxPayload > 0 ? maxPayload : long.MaxValue, info.Headers, session.JetStream, session.Permissions!));
        _isConnected = true;
        Log.Connected(_remoteName, _address.ToString(), Target.Account);
    }

    /// <summary>The session has ended, established or not.</summary>
    internal void OnEnded(LeafSession session, bool wasReady, string reason)
    {
        if (_session != session)
        {
            return;
        }

        _session = null;
        _remoteName = "";
        Forget(reason);
        if (_isStopping)
        {
            _isConnected = false;
            _stopped.TrySetResult();
            return;
        }

        _lastError = reason;
        _isConnected = false;
        TimeSpan delay = LinkDelays.After(_options.ReconnectDelay, reason);
        if (wasReady)
        {
            Log.Disconnected(_address.ToString(), reason, delay);
        }
        else
        {
            Log.ConnectFailed(_address.ToString(), reason, isFirst: _failures++ == 0);
        }

        Loop.RunAfter(delay, Connect);
    }

    private void Connect()
    {
        if (_isStopping || _session is not null)
        {
            return;
        }

        LeafAddress address = Addresses.Next();
        _address = address;
        var session = new LeafSession(this, address);
        _session = session;
        _ = Task.Run(() => DialAsync(session, address));
    }

    private async Task DialAsync(LeafSession session, LeafAddress address)
    {
        string reason;
        try
        {
            ClientTlsContext tls = _tls.ReadFiles();
            session.Prepare(_remote.Credentials?.Read(), tls);
            using var limit = new CancellationTokenSource(_remote.DialTimeout);
            if (address.WebSocketUri is { } uri)
            {
                await WebSocketDialer.ConnectAsync(Loop, uri, tls.CreateAuthentication(address.TlsHost), session, limit.Token).ConfigureAwait(false);
            }
            else
            {
                await Dialer.ConnectAsync(Loop, address.EndPoint, session, limit.Token).ConfigureAwait(false);
            }

            return;
        }
        catch (OperationCanceledException)
        {
            reason = string.Create(CultureInfo.InvariantCulture, $"no connection within {_remote.DialTimeout.TotalSeconds} s");
        }
#pragma warning disable CA1031 // The source of credentials belongs to the application and may throw any exception.
        catch (Exception e)
#pragma warning restore CA1031
        {
            reason = e.GetBaseException().Message;
        }

        Loop.TryPost(() => OnEnded(session, wasReady: false, reason));
    }

    private void StopOnLoop()
    {
        if (_isStopping)
        {
            return;
        }

        _isStopping = true;
        Target.Dispose();
        if (_session is null)
        {
            _stopped.TrySetResult();
        }
        else
        {
            // A session that still dials has no connection yet. The session closes it as soon as it opens.
            _session.Connection?.Close(StopLinger);
        }
    }
}
