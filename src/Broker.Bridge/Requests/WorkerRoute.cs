using System.Runtime.CompilerServices;
using Broker.Client;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge;

/// <summary>
/// Connects requesters on subjects with ZeroMQ workers. The DEALER and all other work run on the connection's loop.
/// </summary>
internal sealed partial class WorkerRoute : RequestReplyRoute
{
    private readonly WorkerRouteOptions _options;
    private readonly LoopBalancer _socket;
    private readonly string _filter;
    private readonly MessageMapper? _mapper;
    private Subscription? _requests;
    private bool _isShadow;
    private bool _ended;

    // Whether workers are paused. They are resumed when the connection accepts messages again or a server is connected.
    private bool _workersWait;

    private long _workerLost;
    private long _notTaken;

    internal WorkerRoute(WorkerRouteOptions options, RouteContext context)
        : base(options, options.MaxPending, options.TimeToLive, context)
    {
        _options = options;
        _isShadow = options.Shadow;
        _mapper = options.Topics is null ? null : new MessageMapper(options.Topics);
        _filter = options.Subject ?? options.Topics!.Prefix + ".>";
        bool takesTurns = options.Envelope != WorkerEnvelope.Number;
        _waiting = takesTurns ? new WaitingRequests(Pending, options.MaxQueuedBytes) : null;
        LoopBalancerOptions socket = options.Apply(
            new LoopBalancerOptions { OnDemand = options.Envelope == WorkerEnvelope.Ready }, Log, Context);
        _socket = new LoopBalancer(
            Loop, takesTurns ? OnMessageOfFreeWorker : OnReply, takesTurns ? 1 : options.MaxPendingPerWorker, socket)
        {
            OnWritable = OnWorkerWritable,
            OnPeerLost = OnWorkerLost,
        };
    }

    private static ReadOnlySpan<byte> LossHeaders
        => "NATS/1.0\r\nNats-Service-Error: the worker was lost\r\nNats-Service-Error-Code: 502\r\n\r\n"u8;

    internal override bool? IsShadow => _isShadow;

    private protected override SingleLoopSocket Socket => _socket;

    internal override async Task StopIngressAsync()
    {
        await SettleAsync(StopGrace).ConfigureAwait(false);
        await FlushAsync().ConfigureAwait(false);
    }

    internal override WorkerRouteSnapshot Snapshot()
    {
        long timedOut = Volatile.Read(ref Counters.TimedOut);
        long lost = Volatile.Read(ref _workerLost);
        long notTaken = Volatile.Read(ref _notTaken);
        long abandoned = Volatile.Read(ref Counters.Abandoned);
        return AddCommon(new WorkerRouteSnapshot
        {
            Name = Name,
            Pattern = Pattern,
            Dropped = timedOut + lost + notTaken + abandoned,
            DroppedBecause = RouteSnapshot.Reasons(
                ("timed_out", timedOut), ("worker_lost", lost), ("not_taken", notTaken), ("abandoned", abandoned)),
            IsSubscribed = _requests is not null,
            Pending = Pending.Count,
            Answered = Volatile.Read(ref Counters.Answered),
            TimedOut = timedOut,
            WorkerLost = lost,
            NotTaken = notTaken,
            Abandoned = abandoned,
            Late = Volatile.Read(ref Counters.Late),
        });
    }

    private protected override void StopRequests() => Unsubscribe();

    private protected override void OnPauseChanged()
    {
        if (IsPaused)
        {
            Unsubscribe();
        }
        else
        {
            SubscribeIfRoom();
        }
    }

    // The messages that the server has already sent to the former subscription are handled as before the change.
    private protected override void ChangeShadow(bool shadow)
    {
        _isShadow = shadow;
        Unsubscribe();
        SubscribeIfRoom();
    }

    private protected override void OnEnding() => _ended = true;

    private void SubscribeIfRoom()
    {
        // Subscribes only when less than half of the capacity is used, so that the route does not subscribe and
        // unsubscribe for each request.
        long room = Math.Min(_options.MaxPending, (long)_socket.PeerCount * _options.MaxPendingPerWorker);
        if (_requests is not null || IsStopping || IsPaused || _socket.PeerCount == 0 || Pending.Count > room / 2
            || _waiting is { IsHalfFull: true })
        {
            return;
        }

        try
        {
            _requests = _isShadow ? Client.Subscribe(_filter, OnCopy) : Client.Subscribe(_filter, OnRequest, _options.QueueGroup);
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
            Draining = DrainAsync(requests);
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
            // The server is lost, and the messages on their way are lost with it.
        }
    }

    // Removes a completed request.
    private protected override void Release(int slot)
    {
        if (Pending[slot].Owner is BalancedPeer worker)
        {
            worker.Complete();
        }

        _waiting?.OnRemoving(Pending[slot]);
        Pending.Remove(slot);
        if (_requests is null)
        {
            SubscribeIfRoom();
        }

        NotifyIfSettled();
    }

    private protected override void ResumePrograms()
    {
        if (_workersWait && HasServer && !_ended)
        {
            _workersWait = false;
            _socket.ResumeReceiving();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private protected override void Expire(int slot)
    {
        Counters.TimedOut++;
        BridgeTracer.Fail(Pending[slot].Span, "timeout");
        var worker = Pending[slot].Owner as BalancedPeer;
        Release(slot);
        if (_options.Envelope == WorkerEnvelope.Empty)
        {
            worker?.Peer?.Close("it did not answer in time, and a late answer could be taken for the next one");
        }
    }

    private void OnWorkerLost(BalancedPeer lost)
    {
        if (_socket.PeerCount == 0)
        {
            Unsubscribe();
            ReturnWaiting();
        }

        if (lost.Pending == 0)
        {
            return;
        }

        for (int slot = Pending.Oldest; slot >= 0;)
        {
            int next = Pending[slot].Younger;
            if (Pending[slot].Owner == lost)
            {
                _workerLost++;
                BridgeTracer.Fail(Pending[slot].Span, "worker_lost");
                if (_options.OnWorkerLoss == WorkerLoss.Reply && Pending[slot].ReplyTargetLength != 0)
                {
                    Client.PublishWithStatus(Pending[slot].ReplyTargetSpan, default, default, LossHeaders);
                }

                Release(slot);
            }

            slot = next;
        }
    }
}
