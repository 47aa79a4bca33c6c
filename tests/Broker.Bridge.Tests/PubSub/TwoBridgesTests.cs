using Broker.Bridge.Tests.PubSub.Support;

namespace Broker.Bridge.Tests.PubSub;

/// <summary>Several bridges in one NATS system.</summary>
public sealed class TwoBridgesTests
{
    [Theory]
    [InlineData(1, true)]
    [InlineData(3, true)]
    [InlineData(0, true)]
    [InlineData(1, false)]
    public async Task On_one_NATS_system_each_message_reaches_the_subscribers_of_both_once(int loops, bool echo)
    {
        await using Site site = await Site.StartAsync(loops, o => o with { Mapping = o.Mapping with { Echo = echo } });
        await using ZeroMqBridge second = await site.BridgeAsync(o => o with { Mapping = o.Mapping with { Echo = echo } });
        await using Subscriber here = await site.SubscriberAsync("");
        await using Subscriber there = new Subscriber("").Connect(Site.RouteOf(second).SubscriberEndpoints[0]);
        await site.ReadyAsync(there, "x");
        await using Publisher publisher = await site.PublisherAsync();
        string[] expected = [.. Enumerable.Range(0, 1000).Select(i => $"t|{i}")];
        await publisher.SendAsync(Enumerable.Range(0, 1000).Select(i => Shapes.Frames("t", Shapes.Number(i))));
        await Wait.UntilAsync(() => there.Count >= 1000 && (!echo || here.Count >= 1000), () => $"{here.Count}, {there.Count}");
        (await site.ClientAsync()).Publish("zmq.end", "1"u8);
        await Wait.UntilAsync(
            () => here.Received.ContainsKey("end|1") && there.Received.ContainsKey("end|1"), () => $"{here.Count}, {there.Count}");
        there.AssertExactly([.. expected, "end|1"]);
        here.AssertExactly(echo ? [.. expected, "end|1"] : ["end|1"]);
    }

    [Fact]
    public async Task Joined_by_ZeroMQ_they_refuse_each_other_with_one_line_each()
    {
        await using Site site = await Site.StartAsync(1);
        var log = new LogLines();
        await using ZeroMqBridge second = await site.BridgeAsync(
            o => o with { Publishers = [new(false, site.Route.SubscriberEndpoints[0])], Subscribers = [] }, log: log);
        await Wait.UntilAsync(() => Refusals(site.Log.All) >= 3, () => string.Join('\n', site.Log.All));
        Assert.Single(site.Log.Warnings, w => w.Contains("is another bridge", StringComparison.Ordinal));
        // The connecting side receives the reason in an ERROR command instead of READY.
        Assert.Single(log.Warnings, w => w.Contains("the peer refused the connection: this-peer-is-another-bridge", StringComparison.Ordinal));
    }

    [Fact]
    public async Task On_different_NATS_systems_they_can_be_joined()
    {
        await using Site first = await Site.StartAsync(1, o => o with { AcceptBridges = true });
        await using Site second = await Site.StartAsync(
            1, o => o with { AcceptBridges = true, Publishers = [new(false, first.Route.SubscriberEndpoints[0])] });
        await using Subscriber subscriber = await second.SubscriberAsync("t");
        await using Publisher publisher = await first.PublisherAsync();
        await Wait.UntilAsync(
            () => subscriber.Probes > 1, () => "the two are not joined", () => _ = publisher.SendAsync("t"u8.ToArray(), Shapes.Probe));
        await publisher.SendAsync(Enumerable.Range(0, 1000).Select(i => Shapes.Frames("t", Shapes.Number(i))));
        await Wait.UntilAsync(() => subscriber.Count >= 1000, () => $"{subscriber.Count}");
        subscriber.AssertExactly([.. Enumerable.Range(0, 1000).Select(i => $"t|{i}")]);
        Assert.Empty(first.Log.Warnings.Concat(second.Log.Warnings));
    }

    private static int Refusals(IEnumerable<(Microsoft.Extensions.Logging.LogLevel Level, string Text)> lines)
        => lines.Count(l => l.Text.Contains("is another bridge", StringComparison.Ordinal));
}
