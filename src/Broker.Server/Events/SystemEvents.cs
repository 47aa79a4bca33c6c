using System.Text;
using System.Text.Json;
using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// Publishes the server's events in the system account and answers requests there. An event without a subscriber only
/// costs a lookup in the router. Thread-safe unless a member states otherwise.
/// </summary>
internal sealed class SystemEvents : ISessionEvents, IDisposable
{
    private const int MaxPendingReplies = 256;

    private static readonly TimeSpan StatisticsInterval = TimeSpan.FromSeconds(10);

    private readonly ServerCore _core;
    private readonly EventLoopGroup _loops;
    private readonly Func<ServerDescription> _inspect;
    private readonly SystemJson _json;
    private readonly RoutingPublisher[] _publishers;
    private readonly AccountTraffic _traffic;
    private readonly ITimer _timer;
    private Subscription[] _requests = [];
    private Account? _account;
    private int _pendingReplies;

    internal SystemEvents(ServerCore core, EventLoopGroup loops, Func<ServerDescription> inspect)
    {
        _core = core;
        _loops = loops;
        _inspect = inspect;
        _json = new SystemJson(core);
        _traffic = new AccountTraffic(core);
        _publishers = new RoutingPublisher[loops.Count];
        for (int i = 0; i < _publishers.Length; i++)
        {
            _publishers[i] = new RoutingPublisher(loops[i], core.StateOf(loops[i]), core.Accounts.SystemAccount.Router);
        }

        SubscribeIn(core.Accounts.SystemAccount);
        _timer = core.Time.CreateTimer(
            static self => ((SystemEvents)self!).PublishStatistics(), this, StatisticsInterval, StatisticsInterval);
    }

    /// <inheritdoc cref="AccountTraffic.Visits"/>
    internal long Visits => _traffic.Visits;

    /// <summary>Moves the subscriptions for requests to a new system account.</summary>
    internal void SubscribeIn(Account account)
    {
        if (_account == account)
        {
            return;
        }

        foreach (Subscription request in _requests)
        {
            _account!.Router.Remove(request);
        }

        _account = account;
        _requests =
        [
            new SystemRequest(this, "$SYS.REQ.SERVER.PING", account: false).Subscribe(),
            new SystemRequest(this, "$SYS.REQ.SERVER.PING.*", account: false).Subscribe(),
            new SystemRequest(this, $"$SYS.REQ.SERVER.{_core.Identity.Id}.*", account: false).Subscribe(),
            new SystemRequest(this, "$SYS.REQ.ACCOUNT.*.CONNS", account: true).Subscribe(),
        ];
        Array.ForEach(_requests, account.Router.Add);
    }

    public void Connected(ClientSession session)
        => Publish(
            session.Loop,
            SystemSubjects.Connect(session.Account.Name),
            () => _json.Connected(session.Describe(_core.Now)));

    public void Disconnected(ClientSession session, string reason)
        => Publish(
            session.Loop,
            SystemSubjects.Disconnect(session.Account.Name),
            () => _json.Disconnected(DescribeClosed(session, reason)));

    public void Unauthorized(ClientSession session, ConnectRequest? request, string reason)
        => Publish(
            session.Loop,
            SystemSubjects.AuthenticationError(_core.Identity.Id),
            () => _json.Disconnected(DescribeClosed(session, reason) with
            {
                // These values come from the refused CONNECT and are not verified.
                User = request?.Credentials.User,
                Name = request?.Name,
                Language = request?.Language,
                Version = request?.Version,
            }));

    public void ConnectionsChanged(EventLoop loop, Account account)
    {
        Publish(loop, SystemSubjects.LegacyConnections(account.Name), Body);
        Publish(loop, SystemSubjects.Connections(account.Name), Body);

        byte[] Body() => _json.Connections(account, _traffic.Of(account));
    }

    /// <summary>Publishes the statistics event if it has subscribers. A timer calls this every 10 s.</summary>
    internal void PublishStatistics()
    {
        if (HasSubscribers(SystemSubjects.Statistics(_core.Identity.Id)) && !_core.IsShuttingDown)
        {
            byte[] body = _json.Statistics(_inspect());
            PublishFrom(_loops[0], SystemSubjects.Statistics(_core.Identity.Id), body);
        }
    }

    /// <summary>
    /// Publishes the shutdown event if it has subscribers. When the task completes, the event is queued for them,
    /// unless the loops have stopped.
    /// </summary>
    internal async Task PublishShutdownAsync(TimeSpan timeout)
    {
        if (!HasSubscribers(SystemSubjects.Shutdown(_core.Identity.Id)))
        {
            return;
        }

        var told = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        EventLoop loop = _loops[0];
        loop.Post(() =>
        {
            Publish(loop, SystemSubjects.Shutdown(_core.Identity.Id), _json.Identity);
            told.SetResult();
        });
        await Task.WhenAny(told.Task, Task.Delay(timeout, CancellationToken.None)).ConfigureAwait(false);
    }

    /// <summary>
    /// Answers a request on a thread-pool thread. Returns false if the request is unknown or too many are being
    /// answered.
    /// </summary>
    internal bool TryReply(EventLoop loop, string name, string? account, byte[] reply, byte[] body)
    {
        if (name is not ("PING" or "IDZ" or "STATSZ" or "STATZ" or "HEALTHZ" or "ACCOUNTZ" or "CONNS")
            || (account is null) == (name is "CONNS")
            || (account is not null && _core.Accounts.Find(account) is null))
        {
            return false;
        }

        if (Interlocked.Increment(ref _pendingReplies) > MaxPendingReplies)
        {
            Interlocked.Decrement(ref _pendingReplies);
            return false;
        }

        ThreadPool.UnsafeQueueUserWorkItem(
            _ =>
            {
                byte[]? answer = Answer(name, account, body);
                Interlocked.Decrement(ref _pendingReplies);
                if (answer is not null)
                {
                    PublishFrom(loop, Encoding.UTF8.GetString(reply), answer);
                }
            },
            null);
        return true;
    }

    public void Dispose() => _timer.Dispose();

    private byte[]? Answer(string name, string? account, byte[] body)
    {
        try
        {
            if (body.Length != 0 && !IsAddressed(body))
            {
                return null;
            }
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            return _json.Error(400, e.Message);
        }

        return name switch
        {
            "IDZ" => _json.Identity(),
            "HEALTHZ" => _json.Health(_core.IsShuttingDown),
            "ACCOUNTZ" => _json.Accounts(_inspect()),
            "CONNS" => _core.Accounts.Find(account!) is { } found
                ? _json.Connections(found, _traffic.Sum(found))
                : null,
            _ => _json.Statistics(_inspect()),
        };
    }

    // A request to all servers may contain a name filter, so it may not be addressed to this server.
    private bool IsAddressed(byte[] body)
    {
        using var options = JsonDocument.Parse(body, new JsonDocumentOptions { MaxDepth = 16 });
        return options.RootElement.ValueKind != JsonValueKind.Object
            || !options.RootElement.TryGetProperty("server_name", out JsonElement name)
            || name.GetString() is not { } wanted
            || _core.Identity.Name.Contains(wanted, StringComparison.Ordinal);
    }

    private ConnectionDescription DescribeClosed(ClientSession session, string reason)
    {
        DateTime now = _core.Now;
        return session.Describe(now) with { Stopped = now, Reason = reason };
    }

    private bool HasSubscribers(string subject)
        => !_core.Accounts.SystemAccount.Router.Find(Encoding.UTF8.GetBytes(subject)).IsEmpty;

    private void PublishFrom(EventLoop loop, string subject, byte[] body)
        => loop.Run(() => Publish(loop, subject, () => body));

    // Publishes an event. Runs on the loop.
    private void Publish(EventLoop loop, string subject, Func<byte[]> body)
    {
        Account account = _core.Accounts.SystemAccount;
        byte[] bytes = Encoding.UTF8.GetBytes(subject);
        if (account.Router.Find(bytes).IsEmpty)
        {
            return;
        }

        byte[] payload = body();
        if (_core.Options.TraceSystemAccount && _core.Log.IsTrace)
        {
            ProtocolTrace trace = _core.Log.TraceOfServer();
            trace.PayloadLength = _core.Options.TracedPayload;
            trace.Publish(bytes, payload);
        }

        _publishers[loop.Index].Publish(account.Router, bytes, payload);
    }
}
