using System.Runtime.CompilerServices;
using Broker.Client;
using Broker.ZeroMq;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge;

/// <summary>
/// Connects requesters on subjects with ZeroMQ workers. The DEALER and all other work run on the connection's loop.
/// </summary>
internal sealed partial class WorkerRoute : BridgeRoute
{
    // How long a closing route waits for the replies of its workers.
    private static readonly TimeSpan StopGrace = TimeSpan.FromSeconds(2);

    private readonly WorkerRouteOptions _options;
    private readonly WorkerSocket _socket;
    private readonly PendingRequests _pending;
    private readonly RequestClock _clock;
    private readonly string _filter;
    private readonly MessageMapper? _mapper;
    private IReadOnlyList<string> _endpoints = [];
    private Subscription? _requests;
    private Task _draining = Task.CompletedTask;
    private TaskCompletionSource? _settled;
    private bool _hasServer;
    private bool _stopping;
    private bool _ended;

    // Whether workers are paused. They are resumed when the connection accepts messages again or a server is connected.
    private bool _waiting;

    private long _received;
    private long _given;
    private long _fromWorkers;
    private long _published;
    private long _answered;
    private long _timedOut;
    private long _workerLost;
    private long _notTaken;
    private long _abandoned;
    private long _late;
    private long _refused;

    internal WorkerRoute(WorkerRouteOptions options, RouteContext context)
        : base(options, context)
    {
        _options = options;
        _mapper = options.Topics is null ? null : new MessageMapper(options.Topics);
        _filter = options.Subject ?? options.Topics!.Prefix + ".>";
        _pending = new PendingRequests(options.MaxPending);
        _clock = new RequestClock(Loop, _pending, options.TimeToLive, Expire);
        _socket = new WorkerSocket(Loop, OnAnswer, options.Apply(new LoopRoutedOptions(), Log), options.MaxPendingPerWorker)
        {
            OnWorker = SubscribeIfRoom,
            OnWorkerLost = OnWorkerLost,
        };
    }

    internal override void Open() => _endpoints = Open(_socket, _options.Endpoints);

    internal override void OnServerLost() => _hasServer = false;

    internal override void OnServerConnected()
    {
        _hasServer = true;
        ResumeWorkers();
    }

    internal override void OnWritable() => ResumeWorkers();

    internal override async Task StopIngressAsync()
    {
        await SettleAsync(StopGrace).ConfigureAwait(false);
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
        long begin = Environment.TickCount64;
        await SettleAsync(linger).ConfigureAwait(false);
        await OnLoopAsync(End).ConfigureAwait(false);
        TimeSpan left = linger - TimeSpan.FromMilliseconds(Environment.TickCount64 - begin);
        ZeroMqCloseReport report = await _socket.CloseAsync(left > TimeSpan.Zero ? left : TimeSpan.Zero).ConfigureAwait(false);
        return report.Undelivered;
    }

    internal override WorkerRouteSnapshot Snapshot()
    {
        long timedOut = Volatile.Read(ref _timedOut);
        long lost = Volatile.Read(ref _workerLost);
        long notTaken = Volatile.Read(ref _notTaken);
        long abandoned = Volatile.Read(ref _abandoned);
        return new WorkerRouteSnapshot
        {
            Name = Name,
            Pattern = Pattern,
            Endpoints = _endpoints,
            Peers = _socket.Peers.Count,
            FromZeroMq = Volatile.Read(ref _fromWorkers),
            ToSubjects = Volatile.Read(ref _published),
            FromSubjects = Volatile.Read(ref _received),
            ToZeroMq = Volatile.Read(ref _given),
            Dropped = timedOut + lost + notTaken + abandoned,
            Refused = Volatile.Read(ref _refused),
            IsSubscribed = _requests is not null,
            Pending = _pending.Count,
            Answered = Volatile.Read(ref _answered),
            TimedOut = timedOut,
            WorkerLost = lost,
            NotTaken = notTaken,
            Abandoned = abandoned,
            Late = Volatile.Read(ref _late),
        };
    }

    // Stops taking requests and waits for the replies of the workers.
    private async Task SettleAsync(TimeSpan most)
    {
        var settled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task draining = Task.CompletedTask;
        await OnLoopAsync(() =>
        {
            _stopping = true;
            Unsubscribe();
            draining = _draining;
            _settled = settled;
            if (_pending.Count == 0)
            {
                settled.TrySetResult();
            }
        }).ConfigureAwait(false);
        await Task.WhenAny(draining, Task.Delay(StopGrace)).ConfigureAwait(false);
        if (most > TimeSpan.Zero)
        {
            await Task.WhenAny(settled.Task, Task.Delay(most)).ConfigureAwait(false);
        }
    }

    private void End()
    {
        _ended = true;
        _clock.Stop();
        while (_pending.Oldest >= 0)
        {
            _abandoned++;
            BridgeTracer.Fail(_pending[_pending.Oldest].Span, "abandoned");
            Release(_pending.Oldest);
        }
    }

    private void SubscribeIfRoom()
    {
        // Subscribes only when less than half of the capacity is used, so that the route does not subscribe and
        // unsubscribe for each request.
        long room = Math.Min(_options.MaxPending, (long)_socket.Workers * _options.MaxPendingPerWorker);
        if (_requests is not null || _stopping || _socket.Workers == 0 || _pending.Count > room / 2)
        {
            return;
        }

        try
        {
            _requests = Client.Subscribe(_filter, OnRequest, _options.Shadow ? null : _options.QueueGroup);
        }
        catch (ConnectionLostException)
        {
            // The connection is closed, and there is nothing to subscribe to.
        }
    }

    // Drains the subscription: messages that the server has already sent still arrive, and the route answers them with
    // status 503 so that no requester waits in vain.
    private void Unsubscribe()
    {
        if (_requests is { } requests)
        {
            _requests = null;
            _draining = DrainAsync(requests);
        }
    }

    private static async Task DrainAsync(Subscription requests)
    {
        try
        {
            await requests.DrainAsync().ConfigureAwait(false);
        }
        catch (ClientException)
        {
            // The server is lost, and with it the messages on their way.
        }
    }

    // Removes a completed request.
    private void Release(int slot)
    {
        if (_pending[slot].Owner is Worker worker)
        {
            worker.Pending--;
        }

        _pending.Remove(slot);
        if (_requests is null)
        {
            SubscribeIfRoom();
        }

        if (_settled is not null && _pending.Count == 0)
        {
            _settled.TrySetResult();
        }
    }

    private void ResumeWorkers()
    {
        if (_waiting && _hasServer && !_ended)
        {
            _waiting = false;
            _socket.ResumeReceiving();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Expire(int slot)
    {
        _timedOut++;
        BridgeTracer.Fail(_pending[slot].Span, "timeout");
        Release(slot);
    }

    private void OnWorkerLost(Worker gone)
    {
        if (_socket.Workers == 0)
        {
            Unsubscribe();
        }

        if (gone.Pending == 0)
        {
            return;
        }

        for (int slot = _pending.Oldest; slot >= 0;)
        {
            int next = _pending[slot].Younger;
            if (_pending[slot].Owner == gone)
            {
                _workerLost++;
                BridgeTracer.Fail(_pending[slot].Span, "worker_lost");
                if (_options.OnWorkerLoss == WorkerLoss.Reply && _pending[slot].ReplyTargetLength != 0)
                {
                    Client.TryPublish(_pending[slot].ReplyTargetSpan, default, default, LossHeaders);
                }

                Release(slot);
            }

            slot = next;
        }
    }

    private static ReadOnlySpan<byte> LossHeaders =>
        "NATS/1.0\r\nNats-Service-Error: the worker was lost\r\nNats-Service-Error-Code: 502\r\n\r\n"u8;
}
