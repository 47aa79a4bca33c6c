using System.Net;
using Broker.Bridge.Tests.PubSub.Support;
using Broker.Client;

namespace Broker.Bridge.Tests.PubSub;

/// <summary>The subscriptions of one SUB do not cause losses for other SUBs.</summary>
public sealed class ShareTests
{
    [Fact]
    public async Task Above_the_filter_limit_the_bridge_subscribes_to_everything_and_below_half_of_it_to_each_prefix_again()
    {
        await using Site site = await Site.StartAsync(1, o => o with { MaxFilters = 10 });
        await using Subscriber first = await site.SubscriberAsync("first.");
        using RawPeer greedy = await RawPeer.ConnectAsync(site.Route.SubscriberEndpoints[0], "SUB");
        await greedy.SendAsync([.. Enumerable.Range(0, 200).SelectMany(i => RawPeer.Subscription($"g{i}.", true))]);
        await SubscriptionsAsync(site, 1);
        await using Subscriber second = await site.SubscriberAsync("second.");
        BrokerConnection client = await site.ClientAsync();
        long before = site.Route.Snapshot().ToZeroMq;
        for (int i = 0; i < 200; i++)
        {
            client.Publish($"zmq.g{i}.x", "1"u8);
        }

        client.Publish("zmq.nobody.x", "1"u8);
        client.Publish("zmq.first.x", "1"u8);
        client.Publish("zmq.second.x", "1"u8);
        await Wait.UntilAsync(() => first.Count == 1 && second.Count == 1, () => $"{first.Count} {second.Count}");
        Assert.Equal(before + 202, site.Route.Snapshot().ToZeroMq);

        await greedy.SendAsync([.. Enumerable.Range(0, 197).SelectMany(i => RawPeer.Subscription($"g{i}.", false))]);
        await SubscriptionsAsync(site, 5);
        client.Publish("zmq.g199.x", "1"u8);
        client.Publish("zmq.first.y", "1"u8);
        await Wait.UntilAsync(() => first.Count == 2, () => $"{first.Count}");
        Assert.Equal(before + 204, site.Route.Snapshot().ToZeroMq);
        Assert.Empty(site.Log.Warnings);
    }

    [Fact]
    public async Task A_greedy_SUB_is_closed_at_its_share_with_one_line_and_the_others_have_theirs()
    {
        await using Site site = await Site.StartAsync(1, o => o with { MaxPeers = 8, MaxPrefixMemory = 512 * 1024 });
        byte[] all = [.. Enumerable.Range(0, 5000).SelectMany(i => RawPeer.Subscription($"g{i}.", true))];
        for (int i = 0; i < 5; i++)
        {
            using RawPeer greedy = await RawPeer.ConnectAsync(site.Route.SubscriberEndpoints[0], "SUB");
            await greedy.SendAsync(all);
            await greedy.ReadToEndAsync();
        }

        await using Subscriber subscriber = await site.SubscriberAsync("t.");
        Assert.Contains("share of the memory", Assert.Single(site.Log.Warnings), StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_subscriptions_are_right_after_a_SUB_with_very_many_prefixes_disconnects()
    {
        await using Site site = await Site.StartAsync(1);
        await using Subscriber stays = await site.SubscriberAsync("p7.");
        for (int i = 0; i < 2; i++)
        {
            using (RawPeer raw = await RawPeer.ConnectAsync(site.Route.SubscriberEndpoints[0], "SUB"))
            {
                await raw.SendAsync([.. Enumerable.Range(0, 60_000).SelectMany(i => RawPeer.Subscription($"p{i}.", true))]);
                BrokerConnection prober = await site.ClientAsync();
                long before = site.Route.Snapshot().ToZeroMq;
                await Wait.UntilAsync(
                    () => site.Route.Snapshot().ToZeroMq > before,
                    () => "the last is not served",
                    () => prober.PublishWithStatus("zmq.p59999.x", "1"u8));
            }

            await Wait.UntilAsync(() => site.Route.Snapshot().Subscribers == 1, () => "it is still there");
            await SubscriptionsAsync(site, 1);
            BrokerConnection client = await site.ClientAsync();
            long count = stays.Count;
            client.Publish("zmq.p7.x", "1"u8);
            await Wait.UntilAsync(() => stays.Count == count + 1, () => $"{stays.Count}");
        }

        Assert.Empty(site.Log.Warnings);
    }

    [Fact]
    public async Task A_peer_with_a_forbidden_address_is_refused_and_logged_once()
    {
        await using Site site = await Site.StartAsync(
            1,
            o => o with { Subscribers = [new BridgeEndpoint(true, "tcp://127.0.0.1:0") { AllowedAddresses = [IPNetwork.Parse("192.0.2.0/24")] }] });
        for (int i = 0; i < 20; i++)
        {
            using var peer = new System.Net.Sockets.TcpClient();
            var uri = new Uri(site.Route.SubscriberEndpoints[0]);
            await peer.ConnectAsync(uri.Host, uri.Port, TestContext.Current.CancellationToken);
            Assert.Equal(0, await peer.GetStream().ReadAsync(new byte[100], TestContext.Current.CancellationToken));
        }

        Assert.Contains("not allowed", Assert.Single(site.Log.Warnings), StringComparison.Ordinal);
        await using Publisher publisher = await site.PublisherAsync();
    }

    [Theory]
    [InlineData("tcp://nonsense", true)]
    [InlineData("tcp://*:5556", false)]
    [InlineData("tcp://host:0", false)]
    public void Options_know_an_endpoint_that_cannot_be_had_before_a_start(string endpoint, bool bind)
    {
        var options = new PubSubRouteOptions { Publishers = [new BridgeEndpoint(bind, endpoint)] };
        Assert.Contains(endpoint, Assert.Throws<FormatException>(options.Validate).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Options_refuse_a_prefix_that_is_too_long_for_topics()
    {
        var good = new PubSubRouteOptions();
        (good with { Mapping = good.Mapping with { Prefix = new string('p', 221) } }).Validate();
        Assert.Throws<ArgumentException>((good with { Mapping = good.Mapping with { Prefix = new string('p', 222) } }).Validate);
    }

    private static Task SubscriptionsAsync(Site site, int count)
        => Wait.UntilAsync(
            () => site.Server!.Snapshot().Subscriptions == count,
            () => $"{site.Server!.Snapshot().Subscriptions} subscriptions, {site.Route.PendingInterestChanges} changes");
}
