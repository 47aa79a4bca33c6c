using System.Text;
using Broker.ZeroMq;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge;

/// <summary>
/// Connects ZeroMQ PUB and SUB programs with NATS subjects: messages of PUBs are published under a prefix, and SUBs
/// receive the messages that any client publishes there.
/// </summary>
/// <remarks>
/// A message from ZeroMQ is handled on the loop of the sending peer, a message to ZeroMQ on the client's loop.
/// </remarks>
internal sealed partial class PubSubRoute : BridgeRoute
{
    // A READY property that tells other bridges that this peer is a bridge.
    private const string BridgeProperty = "X-Broker-Bridge";

    private readonly PubSubRouteOptions _options;
    private readonly LoopSubscriber _ingress;
    private readonly LoopPublisher _egress;
    private readonly InterestSubscriptions _subscriptions;
    private readonly LoopScratch[] _scratch;
    private readonly LastValues? _lastValues;
    private readonly LastValueReplays? _replays;

    internal PubSubRoute(PubSubRouteOptions options, RouteContext context)
        : base(options, context)
    {
        _options = options;
        Mapper = new MessageMapper(options.Mapping);

        _subscriptions = new InterestSubscriptions(
            Client, Log, Mapper.Codec, options.MaxFilters, OnSubjectMessage);
        _scratch = [.. Enumerable.Range(0, context.Loops.Count).Select(_ => new LoopScratch())];
        KeyValuePair<string, string>[] properties = [new(BridgeProperty, options.Mapping.BridgeId)];
        _ingress = new LoopSubscriber(context.Loops, OnZeroMqMessage, new LoopSubscriberOptions
        {
            MaxPeers = options.MaxPeers,
            HeartbeatInterval = options.HeartbeatInterval,
            Limits = new ZmtpLimits(options.MaxMessageSize, options.MaxMessageSize, options.Mapping.MaxFrames, MostCommandBytes),
            Security = options.Security,
            Authenticate = options.Authenticate,
            Properties = properties,
            AcceptPeer = RefuseBridges,
            OnEvent = Log.ZeroMq,
            Inproc = context.Inproc,
        });
        _egress = new LoopPublisher(context.Loops, new LoopPublisherOptions
        {
            MaxPeers = options.MaxPeers,
            HeartbeatInterval = options.HeartbeatInterval,
            HighWaterMark = options.HighWaterMark,
            MaxSubscriptionsPerPeer = options.MaxPrefixes,
            MaxInterestPrefixes = int.MaxValue,
            MaxInterestBytes = int.MaxValue,
            MaxSubscriptionMemory = options.MaxPrefixMemory,
            OnInterest = OnInterest,
            OnSubscribed = options.LastValues is null ? null : OnSubscribed,
            Security = options.Security,
            Authenticate = options.Authenticate,
            Properties = properties,
            AcceptPeer = RefuseBridges,
            OnEvent = Log.ZeroMq,
            Inproc = context.Inproc,
        });
        if (options.LastValues is { } kept)
        {
            _lastValues = new LastValues(kept);
            _replays = new LastValueReplays(_egress, Loop, _lastValues);
        }
    }

    /// <summary>The mapper of the route, with its counters.</summary>
    internal MessageMapper Mapper { get; }

    /// <summary>The endpoints that PUBs can connect to, with the ports that the system has assigned.</summary>
    internal IReadOnlyList<string> PublisherEndpoints { get; private set; } = [];

    /// <summary>The endpoints that SUBs can connect to, with the ports that the system has assigned.</summary>
    internal IReadOnlyList<string> SubscriberEndpoints { get; private set; } = [];

    /// <summary>The number of pending changes of the subscriptions.</summary>
    internal int PendingInterestChanges => _subscriptions.PendingChanges;

    // A route with last values keeps the values of all topics, also without a subscriber, so it subscribes to
    // everything.
    internal override void Start()
    {
        if (_lastValues is not null)
        {
            _subscriptions.Change([], wanted: true, _egress);
        }
    }

    internal override void OnServerLost() => _subscriptions.OnServerLost();

    internal override void OnServerConnected() => _subscriptions.OnServerConnected();

    // A loop adds a peer to its set in the same call in which it refuses the message. The posted action runs after that
    // call, so it finds the peer.
    internal override void OnWritable()
    {
        if (IsPaused)
        {
            return;
        }

        for (int i = 0; i < _scratch.Length; i++)
        {
            LoopScratch scratch = _scratch[i];
            Context.Loops[i].Run(() => Resume(scratch));
        }
    }

    private protected override void OnPauseChanged() => OnWritable();

    internal override void Open()
    {
        foreach (byte[] topic in _options.Topics)
        {
            _ingress.Subscribe(topic);
        }

        // Binds the subscribers' endpoints first, because they may receive the first messages of the publishers.
        SubscriberEndpoints = Open(_egress, _options.Subscribers);
        PublisherEndpoints = Open(_ingress, _options.Publishers);
    }

    internal override PubSubRouteSnapshot Snapshot()
    {
        Dictionary<MapStatus, long> refused = Refusals();
        long refusedBySockets = _ingress.MessagesRefused + _egress.MessagesRefused;
        long refusedIn = _scratch.Sum(s => s.RefusedIn) + refusedBySockets;
        int publishers = _ingress.ConnectionCount;
        int subscribers = _egress.ConnectionCount;
        long published = _scratch.Sum(s => s.MessagesIn);
        long dropped = _scratch.Sum(s => s.Dropped);
        return new PubSubRouteSnapshot
        {
            Name = Name,
            Pattern = Pattern,
            Endpoints = [.. PublisherEndpoints, .. SubscriberEndpoints],
            PublisherEndpoints = PublisherEndpoints,
            SubscriberEndpoints = SubscriberEndpoints,
            Peers = publishers + subscribers,
            Publishers = publishers,
            Subscribers = subscribers,
            FromZeroMq = published + dropped + refusedIn,
            ToSubjects = published,
            FromSubjects = _scratch.Sum(s => s.Received),
            ToZeroMq = _scratch.Sum(s => s.MessagesOut) + (_replays?.Sent ?? 0),
            Dropped = _egress.MessagesDropped + dropped,
            DroppedBecause = RouteSnapshot.Reasons(("slow_subscriber", _egress.MessagesDropped), ("no_server", dropped)),
            Refused = refused.Values.Sum() + refusedBySockets,
            RefusedBecause = refused,
            LastValues = _lastValues?.Count ?? 0,
            LastValueBytes = _lastValues?.Bytes ?? 0,
            LastValuesSent = _replays?.Sent ?? 0,
            LastValuesForgotten = _lastValues?.Forgotten ?? 0,
        };
    }

    internal override async Task StopIngressAsync()
    {
        await _ingress.CloseAsync(TimeSpan.Zero).ConfigureAwait(false);
        await FlushAsync().ConfigureAwait(false);
    }

    internal override async Task<long> CloseAsync(TimeSpan linger)
    {
        // From now on, peers that disconnect cause no changes of the subscriptions.
        _subscriptions.StopChanges();
        await _ingress.CloseAsync(TimeSpan.Zero).ConfigureAwait(false);
        ZeroMqCloseReport report = await _egress.CloseAsync(linger).ConfigureAwait(false);
        Loop.Post(_subscriptions.Close);
        return report.Undelivered;
    }

    // Called under a lock of the socket, on the peer's loop.
    private void OnInterest(ReadOnlySpan<byte> prefix, bool wanted)
    {
        if (!_subscriptions.IsClosed && _lastValues is null)
        {
            _subscriptions.Change(prefix, wanted, _egress);
        }
    }

    private string? RefuseBridges(ZeroMqPeer peer)
        => !_options.AcceptBridges && peer.TryGetProperty(Encoding.ASCII.GetBytes(BridgeProperty), out _)
            ? RouteLog.BridgeRefused
            : null;
}
