using System.Text;
using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// Publishes the server's events in the system account. An event without a subscriber only costs a lookup in the
/// router. Thread-safe unless a member states otherwise.
/// </summary>
internal sealed class SystemEvents : ISessionEvents, IPeerEvents, IDisposable
{
    private static readonly TimeSpan StatisticsInterval = TimeSpan.FromSeconds(10);

    private readonly ServerCore _core;
    private readonly EventLoopGroup _loops;
    private readonly Func<ServerDescription> _inspect;
    private readonly SystemJson _json;
    private readonly RoutingPublisher[] _publishers;
    private readonly AccountTraffic _traffic;
    private readonly ITimer _timer;

    internal SystemEvents(
        ServerCore core, EventLoopGroup loops, SystemJson json, AccountTraffic traffic, Func<ServerDescription> inspect)
    {
        _core = core;
        _loops = loops;
        _inspect = inspect;
        _json = json;
        _traffic = traffic;
        _publishers = new RoutingPublisher[loops.Count];
        for (int i = 0; i < _publishers.Length; i++)
        {
            _publishers[i] = new RoutingPublisher(loops[i], core.StateOf(loops[i]), core.Accounts.SystemAccount.Router);
        }

        _timer = core.Time.CreateTimer(
            static self => ((SystemEvents)self!).PublishStatistics(), this, StatisticsInterval, StatisticsInterval);
    }

    /// <inheritdoc cref="AccountTraffic.Visits"/>
    internal long Visits => _traffic.Visits;

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

    public (ulong Id, DateTime Started) PeerConnected(EventLoop loop, Account account, RemoteConnection connection)
    {
        (ulong Id, DateTime Started) known = (_core.NextClientId(), _core.Now);
        Publish(loop, SystemSubjects.Connect(account.Name), () => _json.Connected(Describe(account, known, connection), isLeafNode: true));
        Publish(loop, SystemSubjects.LeafNodeConnect(account.Name), () => _json.LeafNodeConnected(account));
        ConnectionsChanged(loop, account);
        return known;
    }

    public void PeerDisconnected(EventLoop loop, Account account, (ulong Id, DateTime Started) known, RemoteConnection connection, string reason)
    {
        Publish(
            loop,
            SystemSubjects.Disconnect(account.Name),
            () => _json.Disconnected(Describe(account, known, connection) with { Stopped = _core.Now, Reason = reason }, isLeafNode: true));
        ConnectionsChanged(loop, account);
    }

    /// <summary>Publishes the statistics event if it has subscribers. A timer calls this every 10 s.</summary>
    internal void PublishStatistics()
    {
        if (HasSubscribers(SystemSubjects.Statistics(_core.Identity.Id)) && !_core.IsShuttingDown)
        {
            byte[] body = _json.Statistics(_inspect());
            EventLoop loop = _loops[0];
            loop.Run(() => Publish(loop, SystemSubjects.Statistics(_core.Identity.Id), () => body));
        }
    }

    /// <summary>
    /// Publishes the shutdown event if it has subscribers. When the task completes, the event is queued for the
    /// subscribers, unless the loops have stopped or the timeout has passed.
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

    /// <summary>Publishes the reply to a request, on the loop that received the request. Thread-safe.</summary>
    internal void Reply(EventLoop loop, Account account, byte[] subject, byte[] body)
        => loop.Run(() => Publish(loop, account, subject, () => body));

    public void Dispose() => _timer.Dispose();

    private static ConnectionDescription Describe(Account account, (ulong Id, DateTime Started) known, RemoteConnection connection) => new()
    {
        Id = known.Id,
        Transport = ClientTransport.Socket,
        Address = connection.Address,
        Port = 0,
        Started = known.Started,
        LastActivity = known.Started,
        Account = account.Name,
        User = connection.UserName,
        Name = connection.Name,
        Version = connection.Version,
        MessagesIn = connection.MessagesIn,
        MessagesOut = connection.MessagesOut,
        BytesIn = connection.BytesIn,
        BytesOut = connection.BytesOut,
    };

    private ConnectionDescription DescribeClosed(ClientSession session, string reason)
    {
        DateTime now = _core.Now;
        return session.Describe(now) with { Stopped = now, Reason = reason };
    }

    private bool HasSubscribers(string subject)
        => !_core.Accounts.SystemAccount.Router.Find(Encoding.UTF8.GetBytes(subject)).IsEmpty;

    // Publishes an event. Runs on the loop.
    private void Publish(EventLoop loop, string subject, Func<byte[]> body)
        => Publish(loop, _core.Accounts.SystemAccount, Encoding.UTF8.GetBytes(subject), body);

    private void Publish(EventLoop loop, Account account, byte[] subject, Func<byte[]> body)
    {
        if (account.Router.Find(subject).IsEmpty)
        {
            return;
        }

        byte[] payload = body();
        if (account.IsSystem && _core.Options.TraceSystemAccount && _core.Log.IsTrace)
        {
            ProtocolTrace trace = _core.Log.TraceOfServer();
            trace.PayloadLength = _core.Options.TracedPayload;
            trace.Publish(subject, payload);
        }

        _publishers[loop.Index].Publish(account.Router, subject, payload);
    }
}
