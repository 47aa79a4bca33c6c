using System.Text;
using Broker.Bridge.Mapping;
using Broker.Client;
using Broker.Transport;
using Broker.ZeroMq.Endpoints;
using Broker.ZeroMq.Publishing;
using Broker.ZeroMq.Sockets;
using Broker.ZeroMq.Subscribing;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.Bridge.PubSub;

/// <summary>
/// Joins ZeroMQ PUB and SUB programs to NATS subjects: what PUBs send is published under a prefix, and SUBs get what is published
/// there, by whomever. The ZeroMQ programs need no change.
/// </summary>
/// <remarks>
/// <para>Delivery is that of PUB/SUB on both sides: at most once. A slow SUB loses whole messages and holds nobody up; without a
/// NATS server what PUBs send is dropped. Both are counted.</para>
/// <para>Messages are handled on the event loops of <see cref="ClientOptions.Loops"/>: a message from ZeroMQ on the loop of the peer
/// it comes from, a message to ZeroMQ on the client's. Thread-safe.</para>
/// </remarks>
public sealed partial class PubSubBridge : IAsyncDisposable
{
    // Tells other bridges, in READY, that this peer is one.
    private const string BridgeProperty = "X-Broker-Bridge";

    private readonly PubSubBridgeOptions _options;
    private readonly BridgeLog _log;
    private readonly SubscriberSocket _ingress;
    private readonly PublisherSocket _egress;
    private readonly LoopScratch[] _scratch;
    private readonly bool _ownsLoops;
    private BrokerConnection _client = null!;
    private volatile bool _stopping;
    private volatile bool _closing;

    private PubSubBridge(PubSubBridgeOptions options)
    {
        _options = options;
        _log = new BridgeLog(options.Logger);
        _ownsLoops = options.Client.Loops is null;
        Mapper = new MessageMapper(options.Mapping);

        // What is asked for, as much again that is not taken back yet, and a batch: the changes see to it that there is no more.
        _changes = new InterestChanges(options.MaxFilters, MostPrefixBytes);
        _interest = new InterestSet(Mapper.Codec, (int)Math.Min((3L * options.MaxFilters) + WorkOfBatch, int.MaxValue), 4L * MostPrefixBytes);
        Loops = options.Client.Loops ?? new EventLoopGroup(new EventLoopOptions { ThreadName = "bridge loop", OnFault = _log.Fault });
        try
        {
            _scratch = [.. Enumerable.Range(0, Loops.Count).Select(_ => new LoopScratch())];
            KeyValuePair<string, string>[] properties = [new(BridgeProperty, options.Mapping.BridgeId)];
            _ingress = new SubscriberSocket(Loops, OnZeroMqMessage, new SubscriberOptions
            {
                MaxPeers = options.MaxPeers,
                Limits = new ZmtpLimits(options.MaxMessageSize, options.MaxMessageSize, options.Mapping.MaxFrames, MostCommandBytes),
                Properties = properties,
                AcceptPeer = RefuseBridges,
                OnEvent = _log.ZeroMq,
            });
            _egress = new PublisherSocket(Loops, new PublisherOptions
            {
                MaxPeers = options.MaxPeers,
                HighWaterMark = options.HighWaterMark,
                MaxSubscriptionsPerPeer = options.MaxPrefixes,
                MaxInterestPrefixes = int.MaxValue,
                MaxInterestBytes = int.MaxValue,
                MaxSubscriptionMemory = options.MaxPrefixMemory,
                OnInterest = OnInterest,
                Properties = properties,
                AcceptPeer = RefuseBridges,
                OnEvent = _log.ZeroMq,
            });
        }
        catch
        {
            if (_ownsLoops)
            {
                Loops.Dispose();
            }

            throw;
        }
    }

    /// <summary>The loops it runs on.</summary>
    public EventLoopGroup Loops { get; }

    /// <summary>The mapping in use, with its counters.</summary>
    public MessageMapper Mapper { get; }

    /// <summary>Where PUBs can connect, with the ports that were really taken.</summary>
    public IReadOnlyList<string> PublisherEndpoints { get; private set; } = [];

    /// <summary>Where SUBs can connect, with the ports that were really taken.</summary>
    public IReadOnlyList<string> SubscriberEndpoints { get; private set; } = [];

    /// <summary>
    /// Connects to the NATS side, or goes on trying while the bridge runs, then opens the ZeroMQ side. When the task is done, all
    /// endpoints are bound.
    /// </summary>
    /// <exception cref="Broker.Client.Errors.ClientException">
    /// No NATS server can be had, and <see cref="PubSubBridgeOptions.RequireServer"/> is set.
    /// </exception>
    /// <exception cref="ZeroMqBindException">An endpoint cannot be had.</exception>
    /// <exception cref="FormatException">An endpoint is none.</exception>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    public static async Task<PubSubBridge> StartAsync(PubSubBridgeOptions options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.Validate();
        var bridge = new PubSubBridge(options);
        try
        {
            await bridge.ConnectAsync(cancellationToken).ConfigureAwait(false);
            bridge.Open();
            return bridge;
        }
        catch
        {
            await bridge.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Its counters now.</summary>
    public BridgeSnapshot Snapshot() => new(
        _ingress.ConnectionCount,
        _egress.ConnectionCount,
        _scratch.Sum(s => s.MessagesIn),
        _scratch.Sum(s => s.MessagesOut),
        _egress.MessagesDropped + _scratch.Sum(s => s.Dropped),
        Refusals());

    /// <summary>
    /// Stops taking messages from ZeroMQ and waits until the server has everything that was taken before. SUBs are still served.
    /// </summary>
    public async Task StopIngressAsync(CancellationToken cancellationToken = default)
    {
        _stopping = true;
        await _ingress.CloseAsync(TimeSpan.Zero).ConfigureAwait(false);
        try
        {
            await _client.FlushAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (e is Broker.Client.Errors.ClientException or OperationCanceledException)
        {
            // Without a server there is nobody to wait for; what is lost with it has been counted.
        }
    }

    /// <summary>Ends the bridge: what is queued for SUBs is sent for up to the linger.</summary>
    /// <returns>How many messages SUBs did not take, counted per SUB.</returns>
    public async Task<long> CloseAsync(TimeSpan linger)
    {
        // Peers that leave now change nothing any more.
        _stopping = _closing = true;
        await _ingress.CloseAsync(TimeSpan.Zero).ConfigureAwait(false);
        ZeroMqCloseReport report = await _egress.CloseAsync(linger).ConfigureAwait(false);
        if (_client is not null)
        {
            await _client.DisposeAsync().ConfigureAwait(false);
        }

        if (_ownsLoops)
        {
            Loops.Dispose();
        }

        return report.Undelivered;
    }

    /// <summary>As <see cref="CloseAsync"/> without a linger.</summary>
    public async ValueTask DisposeAsync() => await CloseAsync(TimeSpan.Zero).ConfigureAwait(false);

    private async Task ConnectAsync(CancellationToken cancellationToken)
    {
        ClientOptions given = _options.Client;
        _client = await BrokerConnection.ConnectAsync(
            given with
            {
                Loops = Loops,
                Echo = true,
                ConnectInBackground = !_options.RequireServer,
                RetryRefused = true,
                Name = given.Name ?? "zeromq bridge",
                OnDisconnected = (client, reason) =>
                {
                    OnServerLost(reason);
                    given.OnDisconnected?.Invoke(client, reason);
                },
                OnReconnected = client =>
                {
                    OnServerBack();
                    given.OnReconnected?.Invoke(client);
                },
                OnConnectFailed = (client, reason) =>
                {
                    OnServerAbsent(reason);
                    given.OnConnectFailed?.Invoke(client, reason);
                },
                OnServerError = (client, text) =>
                {
                    OnServerError(text);
                    given.OnServerError?.Invoke(client, text);
                },
                OnClosed = client =>
                {
                    OnServerGone();
                    given.OnClosed?.Invoke(client);
                },
                OnFault = (subscription, error) =>
                {
                    _log.Fault(error);
                    given.OnFault?.Invoke(subscription, error);
                },
            },
            cancellationToken).ConfigureAwait(false);
    }

    private void Open()
    {
        foreach (byte[] topic in _options.Topics)
        {
            _ingress.Subscribe(topic);
        }

        // Subscribers first: what the first publisher sends may be for them.
        SubscriberEndpoints = Open(_egress, _options.Subscribers);
        PublisherEndpoints = Open(_ingress, _options.Publishers);
    }

    private static List<string> Open(ZeroMqSocket socket, IReadOnlyList<BridgeEndpoint> endpoints)
    {
        var bound = new List<string>();
        foreach (BridgeEndpoint endpoint in endpoints)
        {
            if (endpoint.Bind)
            {
                bound.Add(socket.Bind(endpoint.Endpoint, endpoint.AllowedAddresses).ToString());
            }
            else
            {
                socket.Connect(endpoint.Endpoint);
            }
        }

        return bound;
    }

    private string? RefuseBridges(ZeroMqPeer peer)
        => !_options.AcceptBridges && peer.Zmtp.TryGetProperty(Encoding.ASCII.GetBytes(BridgeProperty), out _)
            ? BridgeLog.BridgeRefused
            : null;
}
