using System.Net;
using Broker.Bridge.Tests.Chaos.Support;
using Broker.Bridge.Tests.Contract.Support;
using Broker.Bridge.Tests.Pipelines.Support;
using Broker.Bridge.Tests.PubSub.Support;
using Broker.Client;

namespace Broker.Bridge.Tests.Chaos;

/// <summary>
/// PUB and SUB programs are killed and restarted, and links to the server stall and are cut: lost messages are counted.
/// </summary>
public sealed class PubSubChaosTests
{
    private const int Portion = 500;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Losses_before_the_server_are_counted_and_a_slow_SUB_behind_it_does_not_affect_others(bool foreign)
    {
        int seed = Seed.Next();
        var random = new Random(seed);
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign, apart: true);
        await using var links = new ChaosLinks(random);

        // The bridge publishes through a link that is cut. It subscribes through a link that stays, as the native
        // client does.
        ZeroMqBridge publishing = await pipeline.BridgeAsync(
            $"nats://{links.Open(IPEndPoint.Parse(new Uri(pipeline.Url).Authority)).Address}", Route() with { Subscribers = [] });
        ZeroMqBridge subscribed = await pipeline.BridgeAsync(url: null, Route() with { Publishers = [] });
        BrokerConnection client = await pipeline.ClientAsync();
        long arrived = 0;
        bool isLast = false;
        client.Subscribe(
            "zmq.a.>",
            (in MessageView message) =>
            {
                if (!message.Body.EndsWith(Shapes.Probe))
                {
                    Interlocked.Increment(ref arrived);
                    Volatile.Write(ref isLast, message.Subject.EndsWith("last"u8));
                }
            });
        await client.FlushAsync(TestContext.Current.CancellationToken);
        await using Subscriber steady = new Subscriber("a.").Connect(subscribed.Subscribers());
        await Wait.UntilAsync(() => steady.Probes > 0, () => "nothing reaches the subscriber", () => client.PublishWithStatus("zmq.a.probe", Shapes.Probe));
        await using Publisher publisher = new Publisher().Connect(publishing.Publishers());
        int sent = 0;
        int names = 0;
        PyPublisher mortalPublisher = MortalPublisher();
        PySubscriber mortal = await MortalAsync();
        try
        {
            for (var time = new ChaosTime(); time.GoesOn;)
            {
                await publisher.SendAsync(Enumerable.Range(sent, Portion).Select(i => Shapes.Frames("a.steady", Shapes.Number(i))));
                sent += Portion;
                switch (random.Next(8))
                {
                    case 0 or 1:
                        await mortal.DisposeAsync();
                        mortal = await MortalAsync();
                        break;
                    case 2:
                        await mortalPublisher.DisposeAsync();
                        mortalPublisher = MortalPublisher();
                        break;
                    case 3 or 4:
                        await links.StallAsync();
                        break;
                    case 5:
                        links.Cut();
                        break;
                    default:
                        await ChaosTime.PassAsync(random);
                        break;
                }
            }
        }
        finally
        {
            await mortal.DisposeAsync();
            await mortalPublisher.DisposeAsync();
        }

        await Wait.UntilAsync(() => publishing.PubSub().Publishers == 1, Describe);

        // A connection that receives a message now is not cut again, so the message after it is the last one to arrive.
        int ends = 0;
        await Wait.UntilAsync(() => steady.Order.Any(text => text.StartsWith("a.end", StringComparison.Ordinal)), Describe, () => _ = EndAsync("a.end"));
        await EndAsync("a.last");
        await Wait.UntilAsync(() => Volatile.Read(ref isLast) && steady.Order.Any(text => text.StartsWith("a.last", StringComparison.Ordinal)), Describe);
        await publishing.StopIngressAsync(TestContext.Current.CancellationToken);
        await Wait.UntilAsync(() => publishing.Snapshot().Client.PendingBytes == 0, Describe);
        ClientStatistics counts = publishing.Snapshot().Client;

        PubSubRouteSnapshot route = publishing.PubSub();
        Assert.True(route.FromZeroMq == route.ToSubjects + route.Dropped + route.Refused, Describe());
        Assert.True(route.ToSubjects == counts.MessagesOut, Describe());
        Assert.True(Interlocked.Read(ref arrived) >= counts.MessagesOut - counts.Lost - counts.Unconfirmed, Describe());
        Assert.True(Interlocked.Read(ref arrived) <= counts.MessagesOut - counts.Lost, Describe());
        Assert.True(steady.Count == Interlocked.Read(ref arrived) && steady.Received.Count == steady.Count, Describe());

        Task EndAsync(string topic) => publisher.SendAsync(Shapes.Frames(topic, Shapes.Number(ends++)));
        PyPublisher MortalPublisher() => new(publishing.Publishers(), "a.mortal", $"m{names++}");

        async Task<PySubscriber> MortalAsync()
        {
            var made = new PySubscriber(subscribed.Subscribers());
            await made.SubscribeAsync("a.");
            return made;
        }

        string Describe()
            => $"seed {seed}: {sent} sent by one who lived, {names} who did not; {Interlocked.Read(ref arrived)} arrived, {steady.Count} at the SUB, "
            + $"{steady.Received.Count} of them distinct; {publishing.PubSub()}; {publishing.Snapshot().Client}; {subscribed.PubSub()}";
    }

    // No live peer counts as lost, and no message is dropped at a high-water mark, even on a slow machine.
    private static PubSubRouteOptions Route() => new()
    {
        Publishers = [new BridgeEndpoint(Bind: true, "tcp://127.0.0.1:0")],
        Subscribers = [new BridgeEndpoint(Bind: true, "tcp://127.0.0.1:0")],
        HighWaterMark = 1L << 30,
        HeartbeatInterval = Timeout.InfiniteTimeSpan,
    };
}
