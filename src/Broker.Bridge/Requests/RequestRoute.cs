using System.Runtime.CompilerServices;
using Broker.Client;
using Broker.Protocol;
using Broker.ZeroMq;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge;

/// <summary>
/// Connects ZeroMQ clients with services on subjects. The ROUTER and all other work run on the connection's loop.
/// </summary>
internal sealed class RequestRoute : RequestReplyRoute
{
    private const int NoRespondersStatus = 503;
    private const int FirstErrorStatus = 400;

    private readonly RequestRouteOptions _options;
    private readonly LoopRouter _router;
    private readonly RequestPublisher _publisher;
    private readonly RequestRetries _retries;
    private readonly int _resumeAt;
    private Subscription? _replies;

    // Whether clients are paused. They are resumed when there is capacity again or a server is connected.
    private bool _programsWait;

    // The reasons that have been logged, one bit each. Further requests refused for the same reason are only counted.
    private int _logged;
    private bool _badReplyLogged;

    private long _pendingBytes;

    private long _undeliverable;
    private long _unserved;
    private long _failed;

    internal RequestRoute(RequestRouteOptions options, RouteContext context)
        : base(options, options.MaxPending, options.TimeToLive, context)
    {
        _options = options;
        _publisher = new RequestPublisher(options, Pending, context);
        _retries = new RequestRetries(Loop, Pending, _publisher, () => HasServer);
        _resumeAt = options.MaxPending - Math.Max(1, options.MaxPending / 8);
        _router = new LoopRouter(Loop, OnRequest, options.Apply(new LoopRouterOptions { Mandatory = true }, Log, Context));
    }

    /// <summary>Increases by one with each request that was added, whether it could be published or not.</summary>
    internal uint LastGeneration => Pending.LastGeneration;

    private protected override SingleLoopSocket Socket => _router;

    internal override void Start() => _replies = Client.Subscribe(_publisher.ReplyFilter, OnReply);

    internal override async Task StopIngressAsync()
    {
        await StopAsync(_router.PauseReceiving).ConfigureAwait(false);
        await FlushAsync().ConfigureAwait(false);
    }

    internal override RequestRouteSnapshot Snapshot()
    {
        long timedOut = Volatile.Read(ref Counters.TimedOut);
        long unserved = Volatile.Read(ref _unserved);
        long undeliverable = Volatile.Read(ref _undeliverable);
        long abandoned = Volatile.Read(ref Counters.Abandoned);
        long failed = Volatile.Read(ref _failed);
        return AddCommon(new RequestRouteSnapshot
        {
            Name = Name,
            Pattern = Pattern,
            Dropped = timedOut + unserved + undeliverable + abandoned + failed,
            DroppedBecause = RouteSnapshot.Reasons(
                ("timed_out", timedOut), ("unserved", unserved), ("undeliverable", undeliverable), ("abandoned", abandoned), ("failed", failed)),
            Pending = Pending.Count,
            PendingBytes = Volatile.Read(ref _pendingBytes),
            Failed = failed,
            Held = _retries.Count,
            Answered = Volatile.Read(ref Counters.Answered),
            Undeliverable = undeliverable,
            TimedOut = timedOut,
            Unserved = unserved,
            Abandoned = abandoned,
            Late = Volatile.Read(ref Counters.Late),
        });
    }

    private protected override void OnPauseChanged() => ResumePrograms();

    private protected override void StopRequests() => _router.PauseReceiving();

    private protected override void OnEnding()
    {
        _replies?.Unsubscribe();
        _retries.Stop();
    }

    private protected override void ResumePrograms()
    {
        if (_programsWait && HasServer && !IsStopping && !IsPaused)
        {
            _programsWait = false;
            _router.ResumeReceiving();
        }
    }

    private bool OnRequest(ZeroMqPeer peer, in ZmtpMessage message)
    {
        var client = (RequestClient)(peer.UserState ??= new RequestClient(peer));
        int bytes = message.EncodedSize;
        if (client.Pending >= _options.MaxPendingPerClient
            || (client.PendingBytes + bytes > _options.MaxPendingBytesPerClient && client.Pending > 0))
        {
            client.IsWaiting = true;
            return false;
        }

        if (!HasServer || IsStopping || IsPaused || Pending.IsFull || _publisher.KeptBytes >= _options.MaxKeptBytes
            || (_pendingBytes + bytes > _options.MaxPendingBytes && Pending.Count > 0))
        {
            _programsWait = true;
            return false;
        }

        int envelope = RequestEnvelope.Measure(message, out int size);
        int slot = Pending.Add(Clock.Epoch);
        ref PendingRequest request = ref Pending[slot];
        RequestEnvelope.Write(message, envelope, Pending.RentReplyTarget(slot, size));
        request.Owner = client;
        request.Size = bytes;
        client.Pending++;
        client.PendingBytes += bytes;
        _pendingBytes += bytes;
        PublishStatus status = _publisher.Publish(slot, envelope == 0 ? message : message.Skip(envelope));
        if (status != PublishStatus.Accepted)
        {
            return NotPublished(slot, status);
        }

        Counters.FromZeroMq++;
        Counters.ToSubjects++;
        Clock.Run();
        return true;
    }

    // Returns whether the socket must regard the request as taken although it was not published.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool NotPublished(int slot, PublishStatus status)
    {
        // Does not call Release, because the removed request has just been added, so there is no new capacity. Release
        // would resume paused clients, whose requests would fail here again, without end.
        Remove(slot);
        if (status is PublishStatus.PendingLimit or PublishStatus.BufferFull
            or PublishStatus.Dropped or PublishStatus.NotConnected)
        {
            // The client is resumed when the connection accepts messages again or a server is connected.
            _programsWait = true;
            return false;
        }

        Counters.FromZeroMq++;
        if (status == PublishStatus.Closed)
        {
            Counters.Abandoned++;
        }
        else
        {
            Counters.Refused++;
            Report(status);
        }

        return true;
    }

    private void Report(PublishStatus status)
    {
        int bit = 1 << (int)status;
        if ((_logged & bit) == 0)
        {
            _logged |= bit;
            Log.NotMapped(status switch
            {
                PublishStatus.PayloadTooLarge =>
                    "it is larger than the NATS server's max_payload, or it has more frames or a longer topic "
                    + "than the options permit",
                PublishStatus.HeadersNotSupported => "the NATS server does not support headers",
                PublishStatus.SubjectTooLong => "its subject is longer than the NATS server's max_control_line",
                _ => status.ToString(),
            });
        }
    }

    private void OnReply(in MessageView message)
    {
        int slot = _publisher.FindRequest(message.Subject);
        if (!message.Headers.IsEmpty && message.Body.IsEmpty
            && HeaderBlock.Status(message.Headers) == NoRespondersStatus)
        {
            if (slot >= 0)
            {
                OnNoResponders(slot);
            }

            return;
        }

        Counters.FromSubjects++;
        if (slot < 0)
        {
            Counters.Late++;
            return;
        }

        if (!message.Headers.IsEmpty && IsError(message.Headers))
        {
            OnServiceError(slot);
            return;
        }

        ReadOnlySpan<byte> envelope = Pending[slot].ReplyTargetSpan;
        if (FramedPayload.TryRead(
            envelope, message.Headers, message.Body, _options.MaxFrames, out FramedPayload reply))
        {
            Send(slot, ref reply, ref Counters.Answered);
        }
        else
        {
            RefuseReply(slot);
        }

        Release(slot);
        _retries.OnReply();
    }

    private static bool IsError(ReadOnlySpan<byte> headers)
        => HeaderBlock.Status(headers) >= FirstErrorStatus
            || HeaderBlock.TryGet(headers, "Nats-Service-Error-Code"u8, out _)
            || HeaderBlock.TryGet(headers, "Nats-Service-Error"u8, out _);

    // A ZeroMQ client cannot receive an error: it gets no reply, as from a lost peer, unless the options have a text
    // for errors.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void OnServiceError(int slot)
    {
        BridgeTracer.Fail(Pending[slot].Span, "service_error");
        if (_options.ServiceErrorReply is { } text)
        {
            var reply = FramedPayload.Single(Pending[slot].ReplyTargetSpan, text.Span);
            Send(slot, ref reply, ref _failed);
        }
        else
        {
            _failed++;
        }

        Release(slot);
        _retries.OnReply();
    }

    private void RefuseReply(int slot)
    {
        Counters.Refused++;
        BridgeTracer.Fail(Pending[slot].Span, "malformed");
        if (!_badReplyLogged)
        {
            _badReplyLogged = true;
            Log.NotMapped("it is a reply with malformed headers or frames");
        }
    }

    private void Send(int slot, ref FramedPayload reply, ref long counter)
    {
        // The reply goes to the connection that sent the request. By now, another connection may have the same routing
        // id.
        if (_router.SendTo(((RequestClient)Pending[slot].Owner!).Peer, ref reply) == RouteResult.Sent)
        {
            Counters.ToZeroMq++;
            counter++;
        }
        else
        {
            _undeliverable++;
            BridgeTracer.Fail(Pending[slot].Span, "undeliverable");
        }
    }

    private void OnNoResponders(int slot)
    {
        ref PendingRequest request = ref Pending[slot];
        switch (_options.NoResponders)
        {
            case NoResponders.Hold:
                _retries.Add(slot);
                return;

            case NoResponders.Reply:
                BridgeTracer.Fail(request.Span, "no_responders");
                var reply = FramedPayload.Single(request.ReplyTargetSpan, _options.NoRespondersReply.Span);
                Send(slot, ref reply, ref _unserved);
                break;

            default:
                BridgeTracer.Fail(request.Span, "no_responders");
                _unserved++;
                break;
        }

        Release(slot);
    }

    private protected override void Expire(int slot)
    {
        BridgeTracer.Fail(Pending[slot].Span, "timeout");
        if (_options.TimeoutReply is { } text)
        {
            var reply = FramedPayload.Single(Pending[slot].ReplyTargetSpan, text.Span);
            Send(slot, ref reply, ref Counters.TimedOut);
        }
        else
        {
            Counters.TimedOut++;
        }

        Release(slot);
    }

    // Also resumes clients for which there is capacity now.
    private protected override void Release(int slot)
    {
        RequestClient client = Remove(slot);
        if (client.IsWaiting && client.Pending <= _options.MaxPendingPerClient / 2
            && client.PendingBytes <= _options.MaxPendingBytesPerClient / 2)
        {
            client.IsWaiting = false;
            if (!IsStopping && client.Peer.IsConnected)
            {
                client.Peer.ResumeReceiving();
            }
        }

        if (_programsWait && Pending.Count <= _resumeAt && _publisher.KeptBytes <= _options.MaxKeptBytes / 2
            && _pendingBytes <= _options.MaxPendingBytes / 2)
        {
            ResumePrograms();
        }

        NotifyIfSettled();
    }

    private RequestClient Remove(int slot)
    {
        ref PendingRequest request = ref Pending[slot];
        var client = (RequestClient)request.Owner!;
        _publisher.OnRemoving(in request);
        _retries.OnRemoving(in request);
        int bytes = request.Size;
        Pending.Remove(slot);
        client.Pending--;
        client.PendingBytes -= bytes;
        _pendingBytes -= bytes;
        return client;
    }
}
