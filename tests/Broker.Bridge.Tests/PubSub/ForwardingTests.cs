using System.Collections.Concurrent;
using System.Text;
using Broker.Bridge.Tests.PubSub.Support;
using Broker.Client;

namespace Broker.Bridge.Tests.PubSub;

/// <summary>Each message arrives once: embedded on one loop and on three, and with a real nats-server (0).</summary>
public sealed class ForwardingTests
{
    private const int Each = 3000;

    private static readonly string[] Topics =
    [
        "", "a", "a.", ".", "..", "a.b", "a b", "a\r\nb", "\r\nPUB x 0\r\n\r\n", "\0", "\0\0.", "*", ">", "a.*.>", "=", "a=b", "=41",
        "\xff\xfe.\x80", new string('t', 255), new string('t', 256), string.Join('.', Enumerable.Repeat("long", 200)), new string('x', 4096),
    ];

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(0)]
    public async Task Several_publishers_and_subscribers_of_both_sides_get_everything_once_and_in_order(int loops)
    {
        await using Site site = await Site.StartAsync(loops);
        await using Subscriber all = await site.SubscriberAsync("");
        await using Subscriber some = await site.SubscriberAsync("p1.");
        await using Subscriber other = await site.SubscriberAsync("p0.", "p2", "n.");
        await using Publisher p0 = await site.PublisherAsync();
        await using Publisher p1 = await site.PublisherAsync();
        await using Publisher p2 = await site.PublisherAsync();
        BrokerConnection client = await site.ClientAsync();
        var native = new ConcurrentQueue<string>();
        client.Subscribe("zmq.>", (in MessageView m) => native.Enqueue(Encoding.Latin1.GetString(m.Subject)));
        await client.FlushAsync(Token);
        native.Clear();

        var expected = new List<string>();
        var sending = new List<Task>();
        foreach ((Publisher publisher, int p) in new[] { (p0, 0), (p1, 1), (p2, 2) })
        {
            byte[][][] messages = [.. Enumerable.Range(0, Each).Select(i => Shape($"p{p}.t{i % 7}", i))];
            expected.AddRange(messages.Select(Shapes.Text));
            sending.Add(publisher.SendAsync(messages));
        }

        for (int i = 0; i < Each; i++)
        {
            client.Publish($"zmq.n.t{i % 7}", Shapes.Bytes(Shapes.Number(i)));
            expected.Add($"n.t{i % 7}|{i}");
        }

        await Task.WhenAll(sending);
        await Wait.UntilAsync(() => all.Count >= expected.Count, () => $"{all.Count} of {expected.Count}; {site.Route.Snapshot()}");
        await Wait.UntilAsync(() => some.Count >= Each && other.Count >= 3 * Each, () => $"{some.Count}, {other.Count}");
        await Wait.UntilAsync(() => native.Count >= expected.Count, () => $"{native.Count} native");
        all.AssertExactly(expected);
        some.AssertExactly([.. expected.Where(e => e.StartsWith("p1.", StringComparison.Ordinal))]);
        other.AssertExactly([.. expected.Where(e => !e.StartsWith("p1.", StringComparison.Ordinal))]);
        foreach (string sender in (string[])["p0.", "p1.", "p2.", "n."])
        {
            Assert.Equal(
                expected.Where(e => e.StartsWith(sender, StringComparison.Ordinal)),
                all.Order.Where(e => e.StartsWith(sender, StringComparison.Ordinal)));
        }

        BridgeSnapshotIsClean(site);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(0)]
    public async Task Every_topic_with_one_two_and_five_frames_comes_back_as_it_was(int loops)
    {
        await using Site site = await Site.StartAsync(loops);
        await using Subscriber all = await site.SubscriberAsync("");
        await using Publisher publisher = await site.PublisherAsync();
        var messages = new List<byte[][]>();
        foreach (string topic in Topics)
        {
            messages.Add(Shapes.Frames(topic));
            messages.Add(Shapes.Frames(topic + " with a body"));
            messages.Add(Shapes.Frames(topic, "two"));
            messages.Add(Shapes.Frames(topic, ""));
            messages.Add(Shapes.Frames(topic, "five", "", "\r\n", new string('y', 300)));
        }

        await publisher.SendAsync(messages);
        await Wait.UntilAsync(() => all.Count >= messages.Count, () => $"{all.Count} of {messages.Count}");
        all.AssertExactly([.. messages.Select(Shapes.Text)]);
        BridgeSnapshotIsClean(site);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(0)]
    public async Task Each_topic_is_found_by_its_own_prefix_and_published_from_NATS(int loops)
    {
        await using Site site = await Site.StartAsync(loops);
        BrokerConnection client = await site.ClientAsync();
        // A native publisher must add a header to a message with a hashed topic.
        foreach (string topic in Topics.Where(t => !site.Subject(t).Contains("==", StringComparison.Ordinal)))
        {
            await using Subscriber subscriber = await site.SubscriberAsync(topic);
            client.Publish(site.Subject(topic), "body"u8);
            client.Publish(site.Subject("zz"), "not for it"u8);
            await Wait.UntilAsync(() => subscriber.Count >= 1, () => $"'{topic}' did not come");
            Assert.Equal(topic + "|body", subscriber.Order.First());
        }
    }

    [Theory]
    [InlineData(1, true)]
    [InlineData(3, true)]
    [InlineData(1, false)]
    [InlineData(3, false)]
    [InlineData(0, false)]
    public async Task Echo_decides_whether_the_bridges_own_messages_go_back(int loops, bool echo)
    {
        await using Site site = await Site.StartAsync(loops, o => o with { Mapping = o.Mapping with { Echo = echo } });
        await using Subscriber all = await site.SubscriberAsync("");
        await using Publisher publisher = await site.PublisherAsync();
        BrokerConnection client = await site.ClientAsync();
        long seen = 0;
        client.Subscribe("zmq.own", (in MessageView _) => Interlocked.Increment(ref seen));
        await client.FlushAsync(Token);
        await publisher.SendAsync(Enumerable.Range(0, 100).Select(i => Shapes.Frames("own", Shapes.Number(i))));
        await Wait.UntilAsync(() => Volatile.Read(ref seen) == 100, () => $"{seen} native");
        client.Publish("zmq.last", "1"u8);
        await Wait.UntilAsync(
            () => all.Received.ContainsKey("last|1") && all.Count >= (echo ? 101 : 1), () => $"the last did not come, or one of {all.Count} before it");
        Assert.Equal(echo ? 101 : 1, all.Count);
        Assert.Equal(0, site.Route.Snapshot().Refused);
    }

    [Fact]
    public async Task Programs_that_bind_are_connected_to()
    {
        await using var publisher = new Publisher();
        await using var subscriber = new Subscriber("");
        string publishes = publisher.Bind();
        string subscribes = subscriber.Bind();
        await using Site site = await Site.StartAsync(1, o => o with
        {
            Publishers = [new(false, publishes)],
            Subscribers = [new(false, subscribes)],
        });
        await site.ReadyAsync(publisher);
        await site.ReadyAsync(subscriber, "x");
        await publisher.SendAsync(Enumerable.Range(0, 1000).Select(i => Shapes.Frames("t", Shapes.Number(i))));
        await Wait.UntilAsync(() => subscriber.Count >= 1000, () => $"{subscriber.Count}");
        subscriber.AssertExactly([.. Enumerable.Range(0, 1000).Select(i => $"t|{i}")]);
    }

    private static byte[][] Shape(string topic, int i) => (i % 3) switch
    {
        0 => Shapes.Frames(topic + " " + Shapes.Number(i)),
        1 => Shapes.Frames(topic, Shapes.Number(i)),
        _ => Shapes.Frames(topic, Shapes.Number(i), "", "d", "e"),
    };

    private static void BridgeSnapshotIsClean(Site site)
    {
        Assert.Equal(0, site.Route.Snapshot().Dropped);
        Assert.Equal(0, site.Route.Snapshot().Refused);
        Assert.Empty(site.Log.Warnings);
    }
}
