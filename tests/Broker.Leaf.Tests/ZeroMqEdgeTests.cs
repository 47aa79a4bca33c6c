using System.Collections.Concurrent;
using System.Globalization;
using Broker.Bridge;
using Broker.Client;
using Broker.Leaf.Tests.Support;
using Broker.Server;
using NATS.Client.Core;

namespace Broker.Leaf.Tests;

/// <summary>
/// ZeroMQ programs at the edge and native programs at a cluster of two hubs, before and after the loss of the hub to
/// which the edge is linked.
/// </summary>
public sealed class ZeroMqEdgeTests : IAsyncLifetime
{
    private const int Messages = 1000;

    private readonly int[] _leafPorts = [FreePort.Next(), FreePort.Next()];
    private readonly int[] _routePorts = [FreePort.Next(), FreePort.Next()];
    private readonly string[] _endpoints = [.. Enumerable.Range(0, 5).Select(static _ => string.Create(CultureInfo.InvariantCulture, $"tcp://127.0.0.1:{FreePort.Next()}"))];
    private readonly List<IAsyncDisposable> _owned = [];
    private NatsServer _lost = null!;
    private NatsServer _hub = null!;
    private LeafNodes _leaf = null!;
    private NatsConnection _native = null!;

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync()
    {
        PySocket.Require();
        _lost = StartHub(0);
        _hub = StartHub(1);
        BrokerServer edge = Keep(await BrokerServer.StartAsync(new BrokerServerOptions { ServerName = "edge" }, Ended));
        _leaf = Keep(LeafNodes.Start(edge, new LeafNodeOptions
        {
            Remotes = [new LeafRemoteOptions { Urls = [LeafSite.Url(_leafPorts[0])], FirstInfoTimeout = Wait.Limit }],
            ReconnectDelay = TimeSpan.FromMilliseconds(50),
        }));
        await Wait.UntilAsync(
            () => _leaf.Remotes[0] is { IsConnected: true, DiscoveredAddresses.Count: 1 }, () => _leaf.Remotes[0].ToString());
        Keep(await ZeroMqBridge.StartAsync(
            new ZeroMqBridgeOptions
            {
                Client = new ClientOptions { Dialer = edge.CreateDialer(), Loops = edge.Loops, WhileDisconnected = PublishWhileDisconnected.Drop },
                Routes =
                [
                    new PubSubRouteOptions { Name = "news", Publishers = [new(Bind: true, _endpoints[0])], Subscribers = [new(Bind: true, _endpoints[1])] },
                    new RequestRouteOptions { Name = "calculator", Subject = "calculator", Endpoints = [new(Bind: true, _endpoints[2])] },
                    new PushPullRouteOptions { Name = "work", Subject = "work", Pushers = [new(Bind: true, _endpoints[3])], Pullers = [], ReserveSubjects = false },
                ],
            },
            Ended));
        Keep(await ZeroMqBridge.StartAsync(
            new ZeroMqBridgeOptions
            {
                Client = new ClientOptions { Servers = [_hub.Url] },
                Routes = [new PushPullRouteOptions { Name = "work", Subject = "work", Pushers = [], Pullers = [new(Bind: true, _endpoints[4])] }],
            },
            Ended));
        _native = Keep(new NatsConnection(new NatsOpts { Url = _hub.Url, RequestTimeout = Wait.Limit, CommandTimeout = Wait.Limit, SubPendingChannelCapacity = 1 << 16 }));
    }

    public async ValueTask DisposeAsync()
    {
        foreach (IAsyncDisposable owned in Enumerable.Reverse(_owned))
        {
            await owned.DisposeAsync();
        }

        _hub?.Dispose();
        _lost?.Dispose();
    }

    [Fact]
    public async Task All_patterns_pass_between_pyzmq_at_the_edge_and_NATS_Net_at_the_cluster_also_after_the_loss_of_a_hub()
    {
        var heard = new ConcurrentQueue<int>();
        Task hearing = HearAsync(heard);
        Task answering = AnswerAsync();
        PySocket publisher = Keep(new PySocket("PUB", _endpoints[0]));
        PySocket subscriber = Keep(new PySocket("SUB", _endpoints[1]));
        PySocket requester = Keep(new PySocket("REQ", _endpoints[2]));
        PySocket pusher = Keep(new PySocket("PUSH", _endpoints[3]));
        PySocket puller = Keep(new PySocket("PULL", _endpoints[4]));
        await subscriber.SubscribeAsync("alerts.");

        for (int round = 0; round < 2; round++)
        {
            int first = round * Messages;
            int end = first + Messages;
            await Wait.UntilAsync(
                async () =>
                {
                    await publisher.PublishAsync("news.edge", -1, 0);
                    return !heard.IsEmpty;
                },
                () => $"nothing heard at the hub: {_leaf.Remotes[0]}");
            await publisher.PublishAsync("news.edge", first, end);
            await Wait.UntilAsync(() => heard.Count(n => n >= first) == Messages, () => $"{heard.Count} at the hub: {_leaf.Remotes[0]}");
            Assert.Equal(Enumerable.Range(first, Messages), heard.Where(n => n >= first));

            await Wait.UntilAsync(
                async () =>
                {
                    await _native.PublishAsync("zmq.alerts.hub", "-1", cancellationToken: Ended);
                    return await subscriber.PollAsync(50);
                },
                () => $"nothing heard at the edge: {_leaf.Remotes[0]}");
            Task<int[]> received = subscriber.ReceiveAsync(Messages, first);
            for (int number = first; number < end; number++)
            {
                await _native.PublishAsync("zmq.alerts.hub", number.ToString(CultureInfo.InvariantCulture), cancellationToken: Ended);
            }

            Assert.Equal(Enumerable.Range(first, Messages), await received);

            Assert.Equal(
                Enumerable.Range(first, 200).Select(static n => string.Create(CultureInfo.InvariantCulture, $"{2 * n}")),
                await requester.RequestAsync(first, first + 200));

            Task<int[]> pulled = puller.ReceiveAsync(Messages, first);
            await pusher.PushAsync(first, end);
            Assert.Equal(Enumerable.Range(first, Messages), (await pulled).Order());

            if (round == 0)
            {
                _lost.Kill();
                heard.Clear();
                await Wait.UntilAsync(() => _leaf.Remotes[0] is { IsConnected: true, RemoteName: "hub1" }, () => _leaf.Remotes[0].ToString());
            }
        }

        Assert.Equal(0, _leaf.Remotes[0].MessagesLost);
        Assert.False(hearing.IsCompleted || answering.IsCompleted);
    }

    private NatsServer StartHub(int at) => NatsServer.StartWithConfiguration(string.Create(
        CultureInfo.InvariantCulture,
        $"server_name: hub{at}\nleafnodes {{ host: 127.0.0.1, port: {_leafPorts[at]} }}\ncluster {{ name: c, host: 127.0.0.1, port: {_routePorts[at]}, routes: [ \"nats://127.0.0.1:{_routePorts[1 - at]}\" ] }}"));

    private async Task HearAsync(ConcurrentQueue<int> heard)
    {
        await foreach (NatsMsg<string> message in _native.SubscribeAsync<string>("zmq.news.>", cancellationToken: Ended))
        {
            heard.Enqueue(int.Parse(message.Data!, CultureInfo.InvariantCulture));
        }
    }

    private async Task AnswerAsync()
    {
        await foreach (NatsMsg<string> request in _native.SubscribeAsync<string>("calculator", queueGroup: "calculators", cancellationToken: Ended))
        {
            await request.ReplyAsync((2 * int.Parse(request.Data!, CultureInfo.InvariantCulture)).ToString(CultureInfo.InvariantCulture), cancellationToken: Ended);
        }
    }

    private T Keep<T>(T owned)
        where T : IAsyncDisposable
    {
        _owned.Add(owned);
        return owned;
    }
}
