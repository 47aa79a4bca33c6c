using Broker.Client;
using Broker.ZeroMq;

namespace Broker.Bridge;

/// <summary>A pipeline between bridges that uses windows (credits) and acknowledgements.</summary>
internal sealed class PushPullRoute : PipelineRoute
{
    // Acknowledgements of less than an eighth of a window are sent after this delay.
    private static readonly TimeSpan FlushDelay = TimeSpan.FromMilliseconds(2);

    private readonly PipelineSubjects _subjects;
    private readonly Ingress<PipelineConnection>? _ingress;
    private readonly Egress<PipelineConnection, PushSink>? _egress;
    private readonly ShadowCopies? _copies;
    private Subscription? _copying;
    private volatile bool _isShadow;

    internal PushPullRoute(PushPullRouteOptions options, RouteContext context)
        : base(options, context)
    {
        _subjects = new PipelineSubjects(options.Subject);
        PipelineLimits limits = new()
        {
            Window = options.Window,
            WindowBytes = options.WindowBytes,
            MostSilentTicks = (int)options.PeerTimeout.TotalSeconds,
            KeepOrder = options.KeepOrder,
            MostBytes = options.MaxQueuedBytes,
        };
        if (Pull is not null)
        {
            _ingress = new Ingress<PipelineConnection>(_subjects, PipelineSubjects.NewId(), PipelineClient, new PipelineMemoryPool(), limits)
            {
                OnRoom = ResumePushers,
                OnUnsendable = ReportUnsendable,
                Spans = IngressSpans.Create(context.Tracer, options.Subject, options.Name),
            };
        }

        if (Push is not null)
        {
            var sink = new PushSink(Push);
            _copies = Pull is null ? new ShadowCopies(sink) : null;
            _isShadow = options.Shadow;
            _egress = new Egress<PipelineConnection, PushSink>(
                _subjects, PipelineSubjects.NewId(), PipelineClient, sink, new PipelineMemoryPool(), limits);
            Action flush = _egress.Flush;
            _egress.OnFlushWanted = () => Loop.StartTimer(FlushDelay, flush);
        }
    }

    internal override bool? IsShadow => _copies is null ? null : _isShadow;

    private protected override IPipelineEgress? Egress => _egress;

    // While the PULL programs only get copies, the egress is like one without PULL programs. It still returns messages
    // that arrive late.
    private protected override bool IsEgressClosed => _isShadow || base.IsEgressClosed;

    private protected override long InFlight => _ingress?.Counters.InFlight ?? 0;

    internal override RouteSnapshot Snapshot()
    {
        IngressCounters into = _ingress?.Counters ?? new IngressCounters();
        EgressCounters outOf = _egress?.Counters ?? new EgressCounters();
        return PushPullRouteSnapshot.Of(this, into, outOf, _copies) with
        {
            Waiting = _egress?.Waiting ?? 0,
            Partners = (_ingress?.Egresses ?? 0) + (_egress?.Links ?? 0),
            Window = Options.Window,
            Credit = _ingress?.Credit ?? 0,
        };
    }

    internal override void OnWritable() => _ingress?.OnWritable();

    private protected override void Subscribe()
    {
        if (_ingress is not null)
        {
            Add(_subjects.Egresses, (in MessageView message) => _ingress.OnAnnouncement(message.Headers));
            Add(_subjects.In(_ingress.Id), OnAcknowledgement);
        }

        if (_egress is not null)
        {
            Add(_subjects.Out(_egress.Id), (in MessageView message) => _egress.OnMessage(message.Headers, message.Body));
            Add(_subjects.Ingresses, (in MessageView _) => _egress.Announce());
            UpdateCopying();
        }
    }

    private protected override void ChangeShadow(bool shadow)
    {
        _isShadow = shadow;
        UpdateCopying();
        UpdateEgress();
    }

    private protected override void OnPauseChanged()
    {
        UpdateCopying();
        base.OnPauseChanged();
    }

    private protected override void EndEgress()
    {
        StopCopying();
        base.EndEgress();
    }

    private void UpdateCopying()
    {
        if (!_isShadow || IsPaused)
        {
            StopCopying();
        }
        else
        {
            _copying ??= Add(_subjects.Out("*"), _copies!.OnMessage);
        }
    }

    private void StopCopying()
    {
        if (_copying is { } copying)
        {
            _copying = null;
            Remove(copying);
        }
    }

    private protected override void OnConnected()
    {
        _egress?.Announce();
        _ingress?.OnConnected();
    }

    private protected override void TickIngress() => _ingress?.Tick();

    private protected override bool TryAccept(ZeroMqPeer peer, ReadOnlySpan<byte> body, int frames)
    {
        if (!Options.KeepOrder)
        {
            return _ingress!.TryAccept(body, frames);
        }

        var link = (IngressLink?)peer.UserState;
        bool taken = _ingress!.TryAcceptInOrder(body, frames, ref link);
        peer.UserState = link;
        return taken;
    }

    private protected override void End() => _ingress?.Close();

    private void OnAcknowledgement(in MessageView message)
    {
        ReadOnlySpan<byte> link = message.Subject[(message.Subject.LastIndexOf((byte)'.') + 1)..];
        if (PipelineHeader.TryReadNumber(link, out long number))
        {
            _ingress!.OnAcknowledgement(number, message.Headers);
        }
    }
}
