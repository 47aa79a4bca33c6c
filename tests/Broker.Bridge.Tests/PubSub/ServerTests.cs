using Broker.Bridge.Tests.PubSub.Support;
using Broker.Client;
using Broker.Server;

namespace Broker.Bridge.Tests.PubSub;

/// <summary>A NATS server that is unreachable, refuses the client, or has lower limits than the bridge.</summary>
public sealed class ServerTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_server_that_is_absent_at_start_is_waited_for_with_one_line_and_served_when_it_comes()
    {
        int port = FreePort.Next();
        var log = new LogLines();
        await using ZeroMqBridge bridge = await ZeroMqBridge.StartAsync(Options(port, log), Token);
        await using Subscriber subscriber = new Subscriber("t.").Connect(Site.RouteOf(bridge).SubscriberEndpoints[0]);
        await using Publisher publisher = new Publisher().Connect(Site.RouteOf(bridge).PublisherEndpoints[0]);
        await Wait.UntilAsync(() => log.Warnings.Any(), () => "nothing is logged");
        await Wait.UntilAsync(() => Site.RouteOf(bridge).Snapshot() is { Publishers: 1, Subscribers: 1 }, () => $"{Site.RouteOf(bridge).Snapshot()}");

        await using BrokerServer server = await BrokerServer.StartAsync(o => o.Listen(port), Token);
        await Wait.UntilAsync(
            () => subscriber.Count > 0,
            () => $"nothing comes through; {string.Join('\n', log.All)}",
            () => _ = publisher.SendAsync(Shapes.Frames("t.x", "1")));
        Assert.Contains("cannot connect to a NATS server", Assert.Single(log.Warnings), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_server_that_refuses_the_credentials_is_asked_again_until_it_takes_them()
    {
        int port = FreePort.Next();
        var log = new LogLines();
        await using BrokerServer server = await BrokerServer.StartAsync(
            o =>
            {
                o.Listen(port);
                o.Users = [new User("somebody", "else", new Permissions())];
            },
            Token);
        await using ZeroMqBridge bridge = await ZeroMqBridge.StartAsync(
            Options(port, log) with { Client = Client(port) with { User = "bridge", Password = "secret" } }, Token);
        await using Publisher publisher = new Publisher().Connect(Site.RouteOf(bridge).PublisherEndpoints[0]);
        await Wait.UntilAsync(() => log.Warnings.Any(), () => "nothing is logged");

        // More than the two refusals after which a client gives up by default.
        await Wait.UntilAsync(() => server.Snapshot().TotalConnections >= 6, () => $"{server.Snapshot()}");
        await server.ReloadAsync(o => o.Users = [new User("bridge", "secret", new Permissions())]);
        await Wait.UntilAsync(
            () => Site.RouteOf(bridge).Snapshot().ToSubjects > 0,
            () => string.Join('\n', log.All),
            () => _ = publisher.SendAsync(Shapes.Frames("t.x", "1")));
        Assert.Single(log.Warnings);
        Assert.DoesNotContain(log.All, l => l.Text.Contains("secret", StringComparison.Ordinal));
    }

    [Fact]
    public async Task What_a_server_takes_is_bridged_however_large_and_by_no_limit_of_ours()
    {
        await using Site site = await Site.StartAsync(
            1, o => o with { MaxMessageSize = 8 << 20 }, server: o => o.MaxPayload = 4 << 20);
        await using Subscriber subscriber = await site.SubscriberAsync("t.");
        await using Publisher publisher = await site.PublisherAsync();
        long refused = site.Route.Snapshot().Refused;
        await publisher.SendAsync(Shapes.Bytes("t.x"), new byte[3 << 20]);
        await Wait.UntilAsync(() => subscriber.Count == 1, () => $"{site.Route.Snapshot()}");
        await publisher.SendAsync(Shapes.Bytes("t.x"), new byte[5 << 20]);
        await Wait.UntilAsync(() => site.Route.Snapshot().Refused == refused + 1, () => $"{site.Route.Snapshot()}");
    }

    [Fact]
    public async Task A_filter_that_the_connection_does_not_take_is_logged_and_the_others_are_subscribed()
    {
        await using Site site = await Site.StartAsync(1, client: o => o with { MaxControlLine = 256 });
        using RawPeer raw = await RawPeer.ConnectAsync(site.Route.SubscriberEndpoints[0], "SUB");
        string tooLong = string.Concat(Enumerable.Repeat("token.", 30));
        await raw.SendAsync([.. RawPeer.Subscription("before.", true), .. RawPeer.Subscription(tooLong, true), .. RawPeer.Subscription("after.", true)]);
        await raw.SendAsync(RawPeer.Subscription(tooLong + "2.", true));
        await using Subscriber subscriber = await site.SubscriberAsync("later.");
        Assert.Contains("cannot subscribe", Assert.Single(site.Log.Errors), StringComparison.Ordinal);
        BrokerConnection client = await site.ClientAsync();
        foreach (string subject in (string[])["zmq.before.x", "zmq.after.x"])
        {
            long before = site.Route.Snapshot().ToZeroMq;
            await Wait.UntilAsync(
                () => site.Route.Snapshot().ToZeroMq > before, () => subject, () => client.PublishWithStatus(subject, "1"u8));
        }
    }

    private static ZeroMqBridgeOptions Options(int port, LogLines log) => new()
    {
        Client = Client(port),
        Routes =
        [
            new PubSubRouteOptions
            {
                Publishers = [new BridgeEndpoint(true, "tcp://127.0.0.1:0")],
                Subscribers = [new BridgeEndpoint(true, "tcp://127.0.0.1:0")],
            },
        ],
        Logger = log,
    };

    private static ClientOptions Client(int port) => new()
    {
        Servers = [$"nats://127.0.0.1:{port}"],
        WhileDisconnected = PublishWhileDisconnected.Drop,
        ReconnectWait = TimeSpan.FromMilliseconds(20),
        MaxReconnectWait = TimeSpan.FromMilliseconds(100),
        ReconnectJitter = TimeSpan.FromMilliseconds(1),
    };
}
