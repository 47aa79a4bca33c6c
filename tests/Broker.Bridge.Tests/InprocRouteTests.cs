using Broker.Client;
using Broker.ZeroMq;

namespace Broker.Bridge.Tests;

/// <summary>Sockets of the program itself reach a route by inproc://, through the bridge's context.</summary>
public sealed class InprocRouteTests
{
    [Fact]
    public async Task A_pipeline_carries_messages_between_sockets_of_the_program()
    {
        await using Site site = await Site.StartAsync();
        ZeroMqBridge bridge = await site.AddBridgeAsync(new PushPullRouteOptions
        {
            Subject = "work",
            Pushers = [new BridgeEndpoint(Bind: true, "inproc://in")],
            Pullers = [new BridgeEndpoint(Bind: true, "inproc://out")],
        });
        using var push = new PushSocket(context: bridge.Context);
        using var pull = new PullSocket(context: bridge.Context);
        push.Connect("inproc://in");
        pull.Connect("inproc://out");
        for (int i = 0; i < 10_000; i++)
        {
            push.Send($"{i}");
        }

        for (int i = 0; i < 10_000; i++)
        {
            Assert.Equal($"{i}", pull.ReceiveString());
        }

        Assert.Equal(["inproc://in", "inproc://out"], bridge.Snapshot().Routes[0].Endpoints.Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task Each_other_pattern_serves_a_socket_of_the_program()
    {
        await using Site site = await Site.StartAsync();
        ZeroMqBridge bridge = await site.AddBridgeAsync(
            new PubSubRouteOptions { Publishers = [], Subscribers = [new BridgeEndpoint(Bind: true, "inproc://sub")] },
            new RequestRouteOptions { Subject = "service", Endpoints = [new BridgeEndpoint(Bind: true, "inproc://ask")] },
            new RawRouteOptions { Socket = RawSocket.Pair, ToSubject = "to", FromSubject = "from", Endpoints = [new BridgeEndpoint(Bind: true, "inproc://pair")] });
        BrokerConnection client = await site.ClientAsync();

        using var sub = new SubscriberSocket(context: bridge.Context);
        sub.Subscribe("a");
        sub.Connect("inproc://sub");
        await Wait.UntilAsync(() => site.Server!.Snapshot().Subscriptions > 2);
        await Wait.UntilAsync(() =>
        {
            client.Publish("zmq.a", "body"u8);
            return sub.HasMessages;
        });

        using Subscription service = client.Subscribe("service", static (in MessageView m) => m.Respond("reply"u8));
        await client.FlushAsync(TestContext.Current.CancellationToken);
        using var request = new RequestSocket(context: bridge.Context);
        request.Connect("inproc://ask");
        request.Send("question");
        Assert.Equal("reply", request.ReceiveString());

        using var pair = new PairSocket(context: bridge.Context);
        pair.Connect("inproc://pair");
        await Wait.UntilAsync(() =>
        {
            client.Publish("from", "raw"u8);
            return pair.HasMessages;
        });
        Assert.Equal("raw", pair.ReceiveString());
    }

    [Fact]
    public async Task Closing_the_bridge_closes_sockets_of_its_context()
    {
        await using Site site = await Site.StartAsync();
        ZeroMqBridge bridge = await site.AddBridgeAsync();
        var push = new PushSocket(new ZeroMqSocketOptions { Linger = TimeSpan.Zero }, bridge.Context);
        push.Connect("inproc://nobody");
        Assert.True(bridge.IsConnected);
        await bridge.DisposeAsync();
        Assert.True(push.IsClosed);
        Assert.False(bridge.IsConnected);
        Assert.Throws<ObjectDisposedException>(() => new PushSocket(context: bridge.Context));
    }

    private sealed class Site(Broker.Transport.EventLoopGroup loops, Broker.Server.BrokerServer server) : BridgeSite(loops, server, remote: null)
    {
        internal static async Task<Site> StartAsync()
        {
            (Broker.Transport.EventLoopGroup loops, Broker.Server.BrokerServer server) = await EmbedAsync(2);
            return new Site(loops, server);
        }

        internal async Task<ZeroMqBridge> AddBridgeAsync(params RouteOptions[] routes) => Keep(await StartBridgeAsync(BridgeClient(), routes));

        internal Task<BrokerConnection> ClientAsync() => ConnectAsync(RemoteClient(Url));
    }
}
