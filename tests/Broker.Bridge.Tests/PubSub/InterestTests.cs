using Broker.Bridge.Tests.PubSub.Support;
using Broker.Client;

namespace Broker.Bridge.Tests.PubSub;

/// <summary>The subscriptions of SUBs and when they take effect.</summary>
public sealed class InterestTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(0)]
    public async Task Others_that_come_and_go_with_overlapping_prefixes_cost_a_subscriber_no_message_and_double_none(int loops)
    {
        const int Messages = 20_000;
        var random = new Random(Seed.Next());
        await using Site site = await Site.StartAsync(loops);
        await using Subscriber stable = await site.SubscriberAsync("a.b.");
        await using Publisher publisher = await site.PublisherAsync();
        await using Subscriber restless = new Subscriber().Connect(site.Route.SubscriberEndpoints[0]);
        string[] overlapping = ["", "a", "a.", "a.b", "a.b.", "a.b.c."];
        using var stop = new CancellationTokenSource();
        var churn = Task.Run(
            async () =>
            {
                for (int i = 0; !stop.IsCancellationRequested; i++)
                {
                    byte[] prefix = Shapes.Bytes(overlapping[random.Next(overlapping.Length)]);
                    restless.Socket.Subscribe(prefix);
                    await Task.Delay(random.Next(3), Token);
                    restless.Socket.Unsubscribe(prefix);
                }
            },
            Token);
        foreach (int[] portion in Enumerable.Range(0, Messages).Chunk(100))
        {
            await publisher.SendAsync(portion.Select(i => Shapes.Frames("a.b.c.d", Shapes.Number(i))));
            await Task.Delay(1, Token);
        }

        await Wait.UntilAsync(() => stable.Count >= Messages, () => $"{stable.Count} of {Messages}; {site.Route.Snapshot()}");
        await stop.CancelAsync();
        await churn;
        stable.AssertExactly([.. Enumerable.Range(0, Messages).Select(i => $"a.b.c.d|{i}")]);
        Assert.DoesNotContain(restless.Received, r => r.Value > 1);
    }

    // With nats-server this happens rarely; InterestRateTests measures it.
    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task At_this_broker_no_message_is_lost_or_doubled_while_subscriptions_change(int loops)
    {
        const int Messages = 20_000;
        const int Changes = 50;
        const int Portion = 500;
        await using Site site = await Site.StartAsync(loops);
        await using Subscriber stable = await site.SubscriberAsync("a.b.");
        await using Subscriber restless = new Subscriber().Connect(site.Route.SubscriberEndpoints[0]);
        BrokerConnection client = await site.ClientAsync();
        string subject = site.Subject("a.b.c");
        int changes = 0;
        using var stop = new CancellationTokenSource();
        var churn = Task.Run(
            async () =>
            {
                while (!stop.IsCancellationRequested)
                {
                    restless.Socket.Subscribe(""u8);
                    await Task.Delay(1, Token);
                    restless.Socket.Unsubscribe(""u8);
                    await Task.Delay(1, Token);
                    Interlocked.Add(ref changes, 2);
                }
            },
            Token);
        int sent = 0;
        while (sent < Messages || Volatile.Read(ref changes) < Changes)
        {
            for (int end = sent + Portion; sent < end; sent++)
            {
                client.Publish(subject, Shapes.Bytes(Shapes.Number(sent)));
            }

            // Losses of a slow reader are not counted here.
            await client.FlushAsync(Token);
        }

        await Wait.UntilAsync(() => stable.Count >= sent, () => $"{stable.Count} of {sent} in {changes} changes; {site.Route.Snapshot()}");
        await stop.CancelAsync();
        await churn;
        await site.ReadyAsync(stable, "a.b.");
        stable.AssertExactly([.. Enumerable.Range(0, sent).Select(i => $"a.b.c|{i}")]);
    }

    [Fact]
    public async Task A_prefix_subscribed_to_twice_and_cancelled_once_is_still_wanted()
    {
        await using Site site = await Site.StartAsync(1);
        await using Subscriber twice = await site.SubscriberAsync("t", "t");
        await using Subscriber other = await site.SubscriberAsync("t");
        BrokerConnection client = await site.ClientAsync();
        twice.Socket.Unsubscribe("t"u8);
        await other.DisposeAsync();
        await Wait.UntilAsync(() => site.Route.Snapshot().Subscribers == 1, () => "the other is still there");
        client.Publish("zmq.t", "1"u8);
        await Wait.UntilAsync(() => twice.Count == 1, () => "nothing came");
    }

    [Fact]
    public async Task A_peer_that_repeats_SUBSCRIBE_and_leaves_takes_nothing_from_others()
    {
        await using Site site = await Site.StartAsync(1);
        await using Subscriber stays = await site.SubscriberAsync("t.");
        BrokerConnection client = await site.ClientAsync();
        using (RawPeer raw = await RawPeer.ConnectAsync(site.Route.SubscriberEndpoints[0], "SUB"))
        {
            byte[] on = RawPeer.Subscription("t.", true);
            byte[] off = RawPeer.Subscription("t.", false);
            await raw.SendAsync([.. on, .. on, .. on, .. off, .. off, .. off, .. off, .. on]);
            await Wait.UntilAsync(() => site.Route.Snapshot().Subscribers == 2, () => "the raw peer is not there");
        }

        await Wait.UntilAsync(() => site.Route.Snapshot().Subscribers == 1, () => "the raw peer is still there");
        client.Publish("zmq.t.x", "1"u8);
        await Wait.UntilAsync(() => stays.Count == 1, () => "nothing came");
    }

    [Fact]
    public async Task Changes_within_the_limit_are_all_made_whatever_their_order()
    {
        await using Site site = await Site.StartAsync(1, o => o with { MaxPrefixes = 2 });
        using RawPeer raw = await RawPeer.ConnectAsync(site.Route.SubscriberEndpoints[0], "SUB");
        await raw.SendAsync([.. RawPeer.Subscription("a.", true), .. RawPeer.Subscription("c.", true)]);
        await SubscriptionsAsync(site, 2);

        // In one read: there are never more than two at the same time, and the last change cancels the first.
        await raw.SendAsync(
        [
            .. RawPeer.Subscription("a.", false), .. RawPeer.Subscription("b.", true),
            .. RawPeer.Subscription("c.", false), .. RawPeer.Subscription("a.", true),
        ]);
        BrokerConnection client = await site.ClientAsync();
        await Wait.UntilAsync(
            () => site.Route.Snapshot().ToZeroMq >= 1,
            () => "nothing is subscribed for b.",
            () => client.PublishWithStatus("zmq.b.x", "1"u8));
        long before = site.Route.Snapshot().ToZeroMq;
        client.Publish("zmq.c.x", "1"u8);
        client.Publish("zmq.a.x", "1"u8);
        await Wait.UntilAsync(() => site.Route.Snapshot().ToZeroMq > before, () => "a. is lost");
        Assert.Empty(site.Log.Warnings);
    }

    [Fact]
    public async Task A_SUB_can_subscribe_to_the_maximum_of_prefixes_at_once()
    {
        await using Site site = await Site.StartAsync(0);
        IEnumerable<string> prefixes = Enumerable.Range(0, new Bridge.PubSubRouteOptions().MaxPrefixes).Select(i => $"p{i}.");
        using RawPeer raw = await RawPeer.ConnectAsync(site.Route.SubscriberEndpoints[0], "SUB");
        await raw.SendAsync([.. prefixes.SelectMany(p => RawPeer.Subscription(p, true))]);
        BrokerConnection client = await site.ClientAsync();
        await Wait.UntilAsync(
            () => site.Route.Snapshot().ToZeroMq >= 1,
            () => $"the last is not subscribed; {site.Route.Snapshot()}",
            () => client.PublishWithStatus("zmq.p65535.x", "1"u8));
        long before = site.Route.Snapshot().ToZeroMq;
        for (int i = 0; i < 65_535; i += 1000)
        {
            client.Publish($"zmq.p{i}.x", "1"u8);
        }

        await Wait.UntilAsync(() => site.Route.Snapshot().ToZeroMq >= before + 66, () => $"{site.Route.Snapshot()}");
        Assert.Empty(site.Log.Warnings);
    }

    private static Task SubscriptionsAsync(Site site, int count)
        => Wait.UntilAsync(() => site.Server!.Snapshot().Subscriptions == count, () => $"{site.Server!.Snapshot().Subscriptions} subscriptions");
}
