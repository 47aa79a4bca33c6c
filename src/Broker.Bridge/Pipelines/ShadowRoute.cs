using Broker.Client;
using Broker.ZeroMq;

namespace Broker.Bridge;

/// <summary>Sends copies of a pipeline's messages to PULL programs without taking part in its protocol.</summary>
internal sealed class ShadowRoute : PipelineRoute
{
    private readonly PipelineSubjects _subjects;
    private readonly PushSink _sink;
    private long _received;
    private long _delivered;
    private long _dropped;
    private long _refused;
    private bool _ended;

    internal ShadowRoute(PushPullRouteOptions options, RouteContext context)
        : base(options, context)
    {
        _subjects = new PipelineSubjects(options.Subject);
        _sink = new PushSink(Push!);
    }

    private protected override IPipelineEgress? Egress => null;

    private protected override long InFlight => 0;

    internal override RouteSnapshot Snapshot() => new PushPullRouteSnapshot
    {
        Name = Name,
        Pattern = Pattern,
        Endpoints = PullerEndpoints,
        PullerEndpoints = PullerEndpoints,
        Peers = Pullers,
        Pullers = Pullers,
        FromSubjects = Volatile.Read(ref _received),
        ToZeroMq = Volatile.Read(ref _delivered),
        Dropped = Volatile.Read(ref _dropped),
        Refused = Volatile.Read(ref _refused) + SocketRefused,
        Received = Volatile.Read(ref _received),
        Delivered = Volatile.Read(ref _delivered),
    };

    private protected override void Subscribe() => Add(_subjects.Out("*"), OnCopy);

    private protected override void OnConnected()
    {
    }

    private protected override void TickIngress()
    {
    }

    private protected override bool TryAccept(ZeroMqPeer peer, ReadOnlySpan<byte> body, int frames) => true;

    private protected override void EndEgress() => _ended = true;

    private protected override void End()
    {
    }

    // Protocol messages, such as the end of a link, have no sequence number and are ignored.
    private void OnCopy(in MessageView message)
    {
        if (_ended || !PipelineHeader.TryParse(message.Headers, out PipelineHeader header)
            || header.Sequence == PipelineHeader.None)
        {
            return;
        }

        _received++;
        if (header.Frames != 1 && (header.Frames == 0 || !FrameLengths.AreValid(message.Body, header.Frames)))
        {
            // Also counts messages that their ingress has given up: the ingress then sends only the number.
            _refused++;
        }
        else if (_sink.TryTake(message.Body, header.Frames))
        {
            _delivered++;
        }
        else
        {
            _dropped++;
        }
    }
}
