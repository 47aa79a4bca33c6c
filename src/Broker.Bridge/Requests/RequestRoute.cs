using System.Text;
using Broker.Client;
using Broker.ZeroMq;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge;

/// <summary>
/// Connects ZeroMQ clients with services on subjects. The ROUTER and all other work run on the connection's loop.
/// </summary>
internal sealed partial class RequestRoute : BridgeRoute
{
    private readonly RequestRouteOptions _options;
    private readonly LoopRouter _router;
    private readonly PendingRequests _pending;
    private readonly RequestClock _clock;
    private readonly byte[]? _subject;
    private readonly MessageMapper? _mapper;
    private readonly byte[] _inbox;
    private readonly bool _keeps;
    private readonly int _resumeAt;
    private IReadOnlyList<string> _endpoints = [];
    private Subscription? _answers;
    private TaskCompletionSource? _settled;
    private bool _hasServer;
    private bool _stopping;

    // Whether clients are paused. They are resumed when there is capacity again or a server is connected.
    private bool _waiting;

    private long _taken;
    private long _published;
    private long _received;
    private long _sent;
    private long _answered;
    private long _undeliverable;
    private long _timedOut;
    private long _unserved;
    private long _abandoned;
    private long _late;
    private long _refused;
    private int _awaitingRetry;

    internal RequestRoute(RequestRouteOptions options, RouteContext context)
        : base(options, context)
    {
        _options = options;
        _subject = options.Subject is null ? null : Encoding.UTF8.GetBytes(options.Subject);
        _mapper = options.Topics is null ? null : new MessageMapper(options.Topics);
        _inbox = Encoding.ASCII.GetBytes(context.NewInbox() + ".");
        _keeps = options.NoResponders == NoResponders.Hold;
        _pending = new PendingRequests(options.MaxPending);
        _toRetry = new RetryQueue(_pending);
        _resumeAt = options.MaxPending - Math.Max(1, options.MaxPending / 8);
        _clock = new RequestClock(Loop, _pending, options.TimeToLive, Expire);
        _retry = Retry;
        _router = new LoopRouter(Loop, OnRequest, options.Apply(new LoopRouterOptions { Mandatory = true }, Log));
    }

    internal override void Start() => _answers = Client.Subscribe(Encoding.ASCII.GetString(_inbox) + "*", OnAnswer);

    internal override void Open() => _endpoints = Open(_router, _options.Endpoints);

    // Replies may still come through another server of the cluster. Until a server is connected again, clients wait.
    internal override void OnServerLost() => _hasServer = false;

    internal override void OnServerConnected()
    {
        _hasServer = true;
        ResumeClients();
    }

    internal override void OnWritable() => ResumeClients();

    internal override async Task StopIngressAsync()
    {
        await OnLoopAsync(() =>
        {
            _stopping = true;
            _router.PauseReceiving();
        }).ConfigureAwait(false);
        try
        {
            await Client.FlushAsync().ConfigureAwait(false);
        }
        catch (ClientException)
        {
            // Without a server, there is nothing to flush.
        }
    }

    internal override async Task<long> CloseAsync(TimeSpan linger)
    {
        // Waits within the linger time for replies that are on their way.
        long begin = Environment.TickCount64;
        var settled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await OnLoopAsync(() =>
        {
            _stopping = true;
            _router.PauseReceiving();
            _settled = settled;
            if (_pending.Count == 0 || linger == TimeSpan.Zero)
            {
                settled.TrySetResult();
            }
        }).ConfigureAwait(false);
        await Task.WhenAny(settled.Task, Task.Delay(linger)).ConfigureAwait(false);
        await OnLoopAsync(End).ConfigureAwait(false);
        TimeSpan left = linger - TimeSpan.FromMilliseconds(Environment.TickCount64 - begin);
        ZeroMqCloseReport report = await _router.CloseAsync(left > TimeSpan.Zero ? left : TimeSpan.Zero).ConfigureAwait(false);
        return report.Undelivered;
    }

    /// <summary>Increases by one with each request that was added, whether it could be published or not.</summary>
    internal uint LastGeneration => _pending.LastGeneration;

    internal override RequestRouteSnapshot Snapshot()
    {
        long timedOut = Volatile.Read(ref _timedOut);
        long unserved = Volatile.Read(ref _unserved);
        long undeliverable = Volatile.Read(ref _undeliverable);
        long abandoned = Volatile.Read(ref _abandoned);
        return new RequestRouteSnapshot
        {
            Name = Name,
            Pattern = Pattern,
            Endpoints = _endpoints,
            Peers = _router.Peers.Count,
            FromZeroMq = Volatile.Read(ref _taken),
            ToSubjects = Volatile.Read(ref _published),
            FromSubjects = Volatile.Read(ref _received),
            ToZeroMq = Volatile.Read(ref _sent),
            Dropped = timedOut + unserved + undeliverable + abandoned,
            Refused = Volatile.Read(ref _refused),
            Pending = _pending.Count,
            Held = Volatile.Read(ref _awaitingRetry),
            Answered = Volatile.Read(ref _answered),
            Undeliverable = undeliverable,
            TimedOut = timedOut,
            Unserved = unserved,
            Abandoned = abandoned,
            Late = Volatile.Read(ref _late),
        };
    }

    private void End()
    {
        _answers?.Unsubscribe();
        _clock.Stop();
        _retryTimer?.Cancel();
        while (_pending.Oldest >= 0)
        {
            _abandoned++;
            BridgeTracer.Fail(_pending[_pending.Oldest].Span, "abandoned");
            Release(_pending.Oldest);
        }
    }

    // Removes a completed request and resumes clients for which there is capacity now.
    private void Release(int slot)
    {
        RequestClient client = Remove(slot);
        if (client.IsWaiting && client.Pending <= _options.MaxPendingPerClient / 2)
        {
            client.IsWaiting = false;
            if (!_stopping && client.Peer.IsConnected)
            {
                client.Peer.ResumeReceiving();
            }
        }

        if (_waiting && _pending.Count <= _resumeAt && _keptBytes <= _options.MaxKeptBytes / 2)
        {
            ResumeClients();
        }

        if (_settled is not null && _pending.Count == 0)
        {
            _settled.TrySetResult();
        }
    }

    private RequestClient Remove(int slot)
    {
        ref PendingRequest request = ref _pending[slot];
        var client = (RequestClient)request.Owner!;
        if (request.Kept is not null)
        {
            _keptBytes -= request.KeptLength;
        }

        if (request.IsAwaitingRetry)
        {
            _awaitingRetry--;
        }

        _pending.Remove(slot);
        client.Pending--;
        return client;
    }

    private void ResumeClients()
    {
        if (_waiting && _hasServer && !_stopping)
        {
            _waiting = false;
            _router.ResumeReceiving();
        }
    }
}
