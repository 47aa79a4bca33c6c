using System.Runtime.CompilerServices;
using System.Text;
using Broker.Client;
using Broker.ZeroMq;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge;

/// <summary>
/// Connects one ZeroMQ socket with two subjects. The socket and all other work run on the connection's loop.
/// </summary>
internal sealed class RawRoute : BridgeRoute
{
    // The longest identity that ZeroMQ permits.
    private const int LongestIdentity = 255;
    private const int FrameHead = 2;

    private readonly RawRouteOptions _options;
    private readonly SingleLoopSocket _socket;
    private readonly LoopRouter? _router;
    private readonly DistributingSocket? _distributor;
    private readonly byte[] _toSubject;
    private IReadOnlyList<string> _endpoints = [];
    private Subscription? _messages;
    private bool _hasServer;
    private bool _stopping;

    // Whether peers are paused. They are resumed when the connection accepts messages again or a server is connected.
    private bool _waiting;
    private bool _badReported;

    private long _taken;
    private long _published;
    private long _received;
    private long _sent;
    private long _unroutable;
    private long _full;
    private long _lost;
    private long _refused;

    internal RawRoute(RawRouteOptions options, RouteContext context)
        : base(options, context)
    {
        _options = options;
        _toSubject = Encoding.UTF8.GetBytes(options.ToSubject);
        switch (options.Socket)
        {
            case RawSocket.Router:
                _socket = _router = new LoopRouter(
                    Loop, OnZeroMqMessage, options.Apply(new LoopRouterOptions { Mandatory = true }, Log, Context));
                break;
            case RawSocket.Dealer:
                _socket =
                    _distributor = new LoopDealer(Loop, OnZeroMqMessage, options.Apply(new LoopRoutedOptions(), Log, Context));
                break;
            default:
                _socket =
                    _distributor = new LoopPair(Loop, OnZeroMqMessage, options.Apply(new LoopMessageOptions(), Log, Context));
                break;
        }
    }

    internal override void Start()
        => _messages = Client.Subscribe(_options.FromSubject, OnSubjectMessage, _options.QueueGroup);

    internal override void Open() => _endpoints = Open(_socket, _options.Endpoints);

    internal override void OnServerLost() => _hasServer = false;

    internal override void OnServerConnected()
    {
        _hasServer = true;
        Resume();
    }

    internal override void OnWritable() => Resume();

    private protected override void OnPauseChanged() => Resume();

    internal override async Task StopIngressAsync()
    {
        await OnLoopAsync(() =>
        {
            _stopping = true;
            _socket.PauseReceiving();
        }).ConfigureAwait(false);
        await FlushAsync().ConfigureAwait(false);
    }

    internal override async Task<long> CloseAsync(TimeSpan linger)
    {
        await OnLoopAsync(() =>
        {
            _stopping = true;
            _messages?.Unsubscribe();
        }).ConfigureAwait(false);
        return (await _socket.CloseAsync(linger).ConfigureAwait(false)).Undelivered;
    }

    internal override RawRouteSnapshot Snapshot()
    {
        long unroutable = Volatile.Read(ref _unroutable);
        long full = Volatile.Read(ref _full);
        long lost = Volatile.Read(ref _lost);
        long refused = _socket.MessagesRefused;
        return new RawRouteSnapshot
        {
            Name = Name,
            Pattern = Pattern,
            Endpoints = _endpoints,
            Peers = _socket.Peers.Count,
            FromZeroMq = Volatile.Read(ref _taken) + refused,
            ToSubjects = Volatile.Read(ref _published),
            FromSubjects = Volatile.Read(ref _received),
            ToZeroMq = Volatile.Read(ref _sent),
            Dropped = unroutable + full + lost,
            DroppedBecause = RouteSnapshot.Reasons(("unroutable", unroutable), ("full", full), ("no_server", lost)),
            Refused = Volatile.Read(ref _refused) + refused,
            Unroutable = unroutable,
            Full = full,
        };
    }

    private bool OnZeroMqMessage(ZeroMqPeer peer, in ZmtpMessage message)
    {
        if (!_hasServer || _stopping || IsPaused)
        {
            _waiting = true;
            return false;
        }

        ReadOnlySpan<byte> identity = _router is null ? default : peer.RoutingId.Span;
        ZmtpMessage body = message;
        if (_options.CarryIdentities)
        {
            identity = message.FirstFrame.Body;
            if (message.FrameCount < 2 || identity.Length is 0 or > LongestIdentity)
            {
                _taken++;
                Refuse("it must have at least two frames, and the first frame must be an identity of 1 to 255 bytes");
                return true;
            }

            body = message.Skip(1);
        }

        var payload = new RequestBody(body, identity);
        PublishStatus status =
            Client.PublishWithStatus(_toSubject, default, payload.HeaderLength, payload.Length, ref payload);
        if (status == PublishStatus.Accepted)
        {
            _taken++;
            _published++;
            return true;
        }

        return NotPublished(status);
    }

    // Returns whether the socket must regard the message as taken although it was not published.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool NotPublished(PublishStatus status)
    {
        if (status is PublishStatus.PendingLimit or PublishStatus.BufferFull or PublishStatus.Dropped or PublishStatus.NotConnected)
        {
            _waiting = true;
            return false;
        }

        _taken++;
        if (status == PublishStatus.Closed)
        {
            _lost++;
        }
        else
        {
            Refuse(status == PublishStatus.HeadersNotSupported
                ? "the NATS server does not support headers"
                : "it is larger than the NATS server's max_payload");
        }

        return true;
    }

    private void OnSubjectMessage(in MessageView message)
    {
        _received++;
        Span<byte> identity = stackalloc byte[LongestIdentity];
        Span<byte> envelope = stackalloc byte[FrameHead + LongestIdentity];
        int length = 0;
        if (_router is not null || _options.CarryIdentities)
        {
            length = ReadIdentity(message.Headers, identity);
            if (length == 0)
            {
                Refuse("it comes from a subject without a valid Zmq-Identity header, so it has no receiver");
                return;
            }
        }

        identity = identity[..length];
        envelope = _options.CarryIdentities ? envelope[..ZmtpWriter.WriteFrame(envelope, identity, more: true)] : [];
        if (!FramedPayload.TryRead(envelope, message.Headers, message.Body, _options.MaxFrames, out FramedPayload framed))
        {
            Refuse("its headers or frames are malformed");
            return;
        }

        RouteResult result = _router is not null ? _router.SendTo(identity, ref framed)
            : _distributor!.TrySend(ref framed) ? RouteResult.Sent : RouteResult.Full;
        switch (result)
        {
            case RouteResult.Sent:
                _sent++;
                break;
            case RouteResult.Unroutable:
                if (_unroutable++ == 0)
                {
                    Log.NotDelivered("no connected peer has their identity");
                }

                break;
            default:
                if (_full++ == 0)
                {
                    Log.NotDelivered("no peer is connected, or the queue of the peer is full");
                }

                break;
        }
    }

    // Returns the length of the identity, or 0 if there is none or it is malformed.
    private static int ReadIdentity(ReadOnlySpan<byte> headers, Span<byte> identity)
        => MappingHeaders.TryParse(headers, out MappingHeaders fields)
            && Convert.FromHexString(fields.Identity, identity, out _, out int length) == System.Buffers.OperationStatus.Done
            ? length
            : 0;

    private void Resume()
    {
        if (_waiting && _hasServer && !_stopping && !IsPaused)
        {
            _waiting = false;
            _socket.ResumeReceiving();
        }
    }

    private void Refuse(string reason)
    {
        _refused++;
        if (!_badReported)
        {
            _badReported = true;
            Log.NotMapped(reason);
        }
    }
}
