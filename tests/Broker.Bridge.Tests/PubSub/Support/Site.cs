using Broker.Client;
using Broker.Server;
using Broker.Transport;

namespace Broker.Bridge.Tests.PubSub.Support;

/// <summary>
/// A NATS system with one bridge: an embedded server on the bridge's own loops, or a real nats-server elsewhere.
/// </summary>
internal sealed class Site : BridgeSite
{
    private ClientOptions _identity = new();
    private int _marks;

    private Site(EventLoopGroup? loops, BrokerServer? server, NatsServer? remote)
        : base(loops, server, remote)
    {
    }

    public ZeroMqBridge Bridge { get; private set; } = null!;

    public PubSubRoute Route => RouteOf(Bridge);

    public TopicCodec Codec => Route.Mapper.Codec;

    /// <param name="loops">How many event loops server and bridge share; 0 for a real nats-server as a remote.</param>
    /// <param name="change">Changes the route's options.</param>
    /// <param name="client">Changes those of its connection.</param>
    /// <param name="server">Changes the embedded server's options.</param>
    /// <param name="remote">A nats-server to use, which is the site's from then on.</param>
    public static async Task<Site> StartAsync(
        int loops,
        Func<PubSubRouteOptions, PubSubRouteOptions>? change = null,
        Func<ClientOptions, ClientOptions>? client = null,
        Action<BrokerServerOptions>? server = null,
        NatsServer? remote = null)
    {
        Site site;
        if (loops == 0)
        {
            site = new Site(null, null, remote ?? NatsServer.Start());
        }
        else
        {
            (EventLoopGroup group, BrokerServer embedded) = await EmbedAsync(loops, change: server);
            site = new Site(group, embedded, null);
        }

        site._identity = client?.Invoke(site._identity) ?? site._identity;
        site.Bridge = site.Keep(await site.BridgeAsync(change, client));
        return site;
    }

    public static PubSubRoute RouteOf(ZeroMqBridge bridge) => (PubSubRoute)bridge.Find("pubsub")!;

    /// <summary>Another bridge at the same NATS system.</summary>
    public Task<ZeroMqBridge> BridgeAsync(
        Func<PubSubRouteOptions, PubSubRouteOptions>? change = null, Func<ClientOptions, ClientOptions>? client = null, LogLines? log = null)
    {
        var route = new PubSubRouteOptions
        {
            Publishers = [new BridgeEndpoint(true, "tcp://127.0.0.1:0")],
            Subscribers = [new BridgeEndpoint(true, "tcp://127.0.0.1:0")],
            HighWaterMark = 1L << 30,
        };
        ClientOptions options = BridgeClient();
        return StartBridgeAsync(client?.Invoke(options) ?? options, [change?.Invoke(route) ?? route], log);
    }

    /// <summary>A native client, of the user that the bridge is.</summary>
    public Task<BrokerConnection> ClientAsync()
        => ConnectAsync(new ClientOptions { Servers = [Url], User = _identity.User, Password = _identity.Password });

    public string Subject(string topic)
    {
        byte[] subject = new byte[Codec.MaxSubjectLength];
        return System.Text.Encoding.ASCII.GetString(subject, 0, Codec.Encode(Shapes.Bytes(topic), subject, out _));
    }

    /// <summary>A PUB whose messages reach the bridge from now on.</summary>
    public async Task<Publisher> PublisherAsync()
    {
        Publisher publisher = new Publisher().Connect(Route.PublisherEndpoints[0]);
        await ReadyAsync(publisher);
        return publisher;
    }

    public async Task ReadyAsync(Publisher publisher)
    {
        const string Topic = "\u0001ready";
        byte[] last = Mark();
        TaskCompletionSource heard = Wait.Source();
        BrokerConnection client = await ClientAsync();
        using Subscription subscription = client.Subscribe(Subject(Topic), (in MessageView message) =>
        {
            if (message.Body.SequenceEqual(last))
            {
                heard.TrySetResult();
            }
        });
        await client.FlushAsync(TestContext.Current.CancellationToken);

        long before = Route.Snapshot().ToSubjects;
        await Wait.UntilAsync(
            () => Route.Snapshot().ToSubjects > before,
            () => "nothing of the publisher reaches the bridge",
            () => _ = publisher.SendAsync(Shapes.Bytes(Topic), Shapes.Probe));
        // What was sent meanwhile must not be counted later: it has come when the last has, in order.
        await publisher.SendAsync(Shapes.Bytes(Topic), last);
        await Wait.For(heard);
        subscription.Unsubscribe();
        await client.FlushAsync(TestContext.Current.CancellationToken);
    }

    /// <summary>A SUB that gets, from now on, what is published on NATS for its first prefix.</summary>
    public async Task<Subscriber> SubscriberAsync(params string[] prefixes)
    {
        Subscriber subscriber = new Subscriber(prefixes).Connect(Route.SubscriberEndpoints[0]);
        foreach (string prefix in prefixes)
        {
            await ReadyAsync(subscriber, prefix);
        }

        return subscriber;
    }

    public async Task ReadyAsync(Subscriber subscriber, string topic)
    {
        BrokerConnection client = await ClientAsync();
        string subject = Subject(topic);
        long before = subscriber.Probes;
        await Wait.UntilAsync(
            () => subscriber.Probes > before,
            () => "nothing reaches the subscriber",
            () => client.PublishWithStatus(subject, Shapes.Probe));
        // What was published meanwhile must not be counted later: it has come when the last has, in order.
        byte[] last = Mark();
        client.Publish(subject, last);
        await Wait.UntilAsync(() => subscriber.Marks.ContainsKey(Shapes.Text([last])), () => "what finds out whether messages come is lost");
    }

    // A probe that no other is.
    private byte[] Mark() => [.. Shapes.Probe, .. Shapes.Bytes(Shapes.Number(Interlocked.Increment(ref _marks)))];
}
