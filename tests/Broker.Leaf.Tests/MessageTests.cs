using System.Text;
using Broker.Client;
using Broker.Leaf.Tests.Support;

namespace Broker.Leaf.Tests;

/// <summary>Messages, requests and queue groups over a link to a real hub.</summary>
public sealed class MessageTests
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    public static TheoryData<string> Versions => HubVersion.All;

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task Messages_pass_both_ways_with_exact_counts_and_interest_has_edges(string version)
    {
        await using LeafSite site = await LeafSite.StartAsync(version);
        BrokerConnection hub = await site.AtHubAsync();
        BrokerConnection edge = await site.AtEdgeAsync();
        using QueuedSubscription atHub = hub.SubscribeQueued("up.>");
        using QueuedSubscription atEdge = edge.SubscribeQueued("down.*");
        using QueuedSubscription alsoAtEdge = edge.SubscribeQueued("down.*");
        await site.SettleAsync(hub, edge);

        const int Count = 1000;
        for (int i = 0; i < Count; i++)
        {
            edge.Publish($"up.{i % 7}", Encoding.UTF8.GetBytes($"{i}"));
            hub.Publish($"down.{i % 7}", Encoding.UTF8.GetBytes($"{i}"));
        }

        hub.Publish("end.down", default);
        await ReadAsync(atHub, Count, "up.");
        await ReadAsync(atEdge, Count, "down.");
        await ReadAsync(alsoAtEdge, Count, "down.");
        Assert.Equal(0, site.Status.MessagesLost);

        // Of two subscriptions with one filter, only the end of the last one is announced.
        alsoAtEdge.Unsubscribe();
        await site.SettleAsync(hub, edge);
        hub.Publish("down.x", "again"u8);
        await ReadAsync(atEdge, 1, "down.x");
        atEdge.Unsubscribe();
        await site.SettleAsync(hub, edge);
        long before = site.Status.MessagesIn;
        hub.Publish("down.x", "nobody"u8);
        await site.SettleAsync(hub, edge);
        Assert.Equal(before + 2, site.Status.MessagesIn);
    }

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task A_group_member_of_the_same_side_comes_first_and_each_message_reaches_one_member(string version)
    {
        await using LeafSite site = await LeafSite.StartAsync(version);
        BrokerConnection hub = await site.AtHubAsync();
        BrokerConnection edge = await site.AtEdgeAsync();
        using QueuedSubscription hubG = hub.SubscribeQueued("work", queue: "g");
        using QueuedSubscription hubH = hub.SubscribeQueued("work", queue: "h");
        using QueuedSubscription edgeG = edge.SubscribeQueued("work", queue: "g");
        await site.SettleAsync(hub, edge);

        const int Count = 500;
        for (int i = 0; i < Count; i++)
        {
            edge.Publish("work", "e"u8);
        }

        await ReadAsync(edgeG, Count, "work");
        await ReadAsync(hubH, Count, "work");
        await site.SettleAsync(hub, edge);
        Assert.Equal(0, hubG.Subscription.Delivered);

        edgeG.Unsubscribe();
        await site.SettleAsync(hub, edge);
        for (int i = 0; i < Count; i++)
        {
            edge.Publish("work", "e"u8);
        }

        await ReadAsync(hubG, Count, "work");
        await ReadAsync(hubH, Count, "work");
        Assert.Equal(0, site.Status.MessagesLost);
    }

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task A_group_over_two_filters_receives_one_message_and_only_named_groups_receive_it(string version)
    {
        await using LeafSite site = await LeafSite.StartAsync(version);
        BrokerConnection hub = await site.AtHubAsync();
        BrokerConnection edge = await site.AtEdgeAsync();
        int received = 0;
        edge.Subscribe("two.*", (in _) => Interlocked.Increment(ref received), "g");
        edge.Subscribe("two.>", (in _) => Interlocked.Increment(ref received), "g");
        using QueuedSubscription end = edge.SubscribeQueued("end");
        await site.SettleAsync(hub, edge);

        const int Count = 200;
        for (int i = 0; i < Count; i++)
        {
            hub.Publish("two.a", default);
        }

        hub.Publish("end", default);
        await ReadAsync(end, 1, "end");
        Assert.Equal(Count, Volatile.Read(ref received));
    }

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task Requests_with_headers_and_without_responders_pass_both_ways(string version)
    {
        await using LeafSite site = await LeafSite.StartAsync(version);
        BrokerConnection hub = await site.AtHubAsync();
        BrokerConnection edge = await site.AtEdgeAsync();
        hub.Subscribe("ask.hub", static (in message) => message.Respond(message.Body, message.Headers));
        edge.Subscribe("ask.edge", static (in message) => message.Respond(message.Body, message.Headers));
        await site.SettleAsync(hub, edge);

        byte[] headers = "NATS/1.0\r\nName: value\r\n\r\n"u8.ToArray();
        foreach ((BrokerConnection from, string subject) in new[] { (edge, "ask.hub"), (hub, "ask.edge") })
        {
            Message answer = await from.RequestAsync(subject, "body"u8.ToArray(), Wait.Limit, headers, Ended);
            Assert.Equal("body", Encoding.UTF8.GetString(answer.Body.Span));
            Assert.Equal(headers, answer.Headers.ToArray());
        }

        await Assert.ThrowsAsync<NoRespondersException>(() => edge.RequestAsync("ask.nobody", default, Wait.Limit, cancellationToken: Ended).AsTask());
    }

    private static async Task ReadAsync(QueuedSubscription subscription, int count, string prefix)
    {
        for (int i = 0; i < count; i++)
        {
            Message message = await subscription.Reader.ReadAsync(Ended).AsTask().WaitAsync(Wait.Limit, Ended);
            Assert.StartsWith(prefix, message.Subject, StringComparison.Ordinal);
        }
    }
}
