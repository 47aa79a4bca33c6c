using System.Globalization;
using System.Text;
using Broker.Bridge.Tests.PubSub.Support;
using Broker.Client;
using Broker.ZeroMq;

namespace Broker.Bridge.Tests.PubSub;

/// <summary>The cache of the last message of each topic.</summary>
public sealed class LastValuesTests
{
    private const int Topics = 64;

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public async Task A_late_pyzmq_SUB_receives_the_last_value_of_its_topics_and_then_new_messages(int loops)
    {
        await using Site site = await Site.StartAsync(loops, o => o with { LastValues = new LastValueOptions() });
        BrokerConnection client = await site.ClientAsync();
        await KeepAsync(site, client, ("a.1", "old"), ("a.1", "new"), ("a.2", "x"), ("b.1", "y"));

        await using var sub = new PySubscriber(site.Route.SubscriberEndpoints[0]);
        await sub.SubscribeAsync("a.");
        Assert.Equal(["a.1 new", "a.2 x"], (await sub.ReceiveAsync(2)).Order(StringComparer.Ordinal));

        // No message is lost between the last values and the next published message.
        client.PublishWithStatus(site.Subject("a.3"), "live"u8);
        Assert.Equal(["a.3 live"], await sub.ReceiveAsync(1));
        await sub.SubscribeAsync("b");
        Assert.Equal(["b.1 y"], await sub.ReceiveAsync(1));
        Assert.Equal((3, 4), (site.Route.Snapshot().LastValuesSent, site.Route.Snapshot().LastValues));
        Assert.Equal((4, 0), (site.Route.Snapshot().ToZeroMq, site.Route.Snapshot().LastValuesForgotten));
    }

    [Fact]
    public async Task Without_the_option_nothing_is_kept()
    {
        await using Site site = await Site.StartAsync(1);
        await using Subscriber early = await site.SubscriberAsync("a.");
        BrokerConnection client = await site.ClientAsync();
        client.PublishWithStatus(site.Subject("a.1"), "before"u8);
        await Wait.UntilAsync(() => early.Count == 1, () => $"{site.Route.Snapshot()}");

        await using Subscriber late = await site.SubscriberAsync("a.");

        Assert.Equal((0, 0, 0L), (late.Count, site.Route.Snapshot().LastValues, site.Route.Snapshot().LastValuesSent));
    }

    // The publisher sends increasing numbers on one topic. A SUB that subscribes meanwhile receives the last number and
    // all after it.
    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task Who_comes_while_values_change_misses_none_from_the_last_one_on(int loops)
    {
        const int Numbers = 20_000;
        const int Late = 30;
        await using Site site = await Site.StartAsync(loops, o => o with { LastValues = new LastValueOptions() });
        BrokerConnection client = await site.ClientAsync();
        string subject = site.Subject("n");
        await KeepAsync(site, client, ("n", "0"));
        var all = new List<Subscriber>();
        try
        {
            for (int number = 1; number <= Numbers; number++)
            {
                await client.PublishAsync(subject, Encoding.ASCII.GetBytes(Shapes.Number(number)), cancellationToken: TestContext.Current.CancellationToken);
                if (number % (Numbers / Late) == 0)
                {
                    all.Add(new Subscriber("n").Connect(site.Route.SubscriberEndpoints[0]));
                }
            }

            await Wait.UntilAsync(
                () => all.TrueForAll(s => s.Received.ContainsKey($"n|{Numbers}")), () => $"{site.Route.Snapshot()} {string.Join(' ', all.Select(s => s.Count))}");
            foreach (Subscriber subscriber in all)
            {
                int[] got = [.. subscriber.Order.Select(text => int.Parse(text[2..], CultureInfo.InvariantCulture))];
                int[] once = [.. got.Distinct()];
                Assert.Equal(Enumerable.Range(got[0], Numbers - got[0] + 1), once);

                // With one loop, the result is exact.
                Assert.InRange(got.Length - once.Length, 0, loops == 1 ? 0 : 1);
            }
        }
        finally
        {
            foreach (Subscriber subscriber in all)
            {
                await subscriber.DisposeAsync();
            }
        }
    }

    [Fact]
    public async Task A_subscriber_with_very_many_prefixes_gets_each_value_once_for_each_prefix()
    {
        await using Site site = await Site.StartAsync(2, o => o with { LastValues = new LastValueOptions() });
        BrokerConnection client = await site.ClientAsync();
        string[] topics = [.. Enumerable.Range(0, 2_000).Select(i => $"t{i:d5}.")];
        await KeepAsync(site, client, [.. topics.Select(t => (t, "v"))]);

        await using Subscriber subscriber = new Subscriber(topics).Connect(site.Route.SubscriberEndpoints[0]);

        await Wait.UntilAsync(() => subscriber.Count >= topics.Length, () => $"{subscriber.Count} {site.Route.Snapshot()}");
        subscriber.AssertExactly([.. topics.Select(t => $"{t}|v")]);
    }

    [Fact]
    public void Beyond_the_topic_limit_the_oldest_last_values_are_removed()
    {
        var values = new LastValues(new LastValueOptions { MaxTopics = 3 });
        foreach (string topic in (string[])["a", "b", "c", "a", "d", "e"])
        {
            Keep(values, topic, 10);
        }

        Assert.Equal(["a", "d", "e"], All(values, ""));
        Assert.Equal((3, 2L), (values.Count, values.Forgotten));
    }

    [Fact]
    public void What_is_kept_is_within_the_bytes_whatever_the_sizes_and_is_always_the_newest()
    {
        int seed = Seed.Next();
        var random = new Random(seed);
        const int Bound = 64 * 1024;
        var values = new LastValues(new LastValueOptions { MaxBytes = Bound });
        var last = new Dictionary<string, int>(StringComparer.Ordinal);
        for (int i = 0; i < 20_000; i++)
        {
            string topic = $"t{random.Next(Topics)}";
            int size = random.Next(8) == 0 ? random.Next(70_000) : random.Next(500);
            last[topic] = size;
            Keep(values, topic, size);
            Assert.True(values.Bytes <= Bound, $"seed {seed}: {values.Bytes}");
        }

        // The cache contains the last messages. A message that is too large removes the previous value of its topic.
        string[] kept = All(values, "", sizes: true);
        Assert.Equal(values.Count, kept.Length);
        Assert.All(kept, k => Assert.Equal($"{k.Split(' ')[0]} {last[k.Split(' ')[0]]}", k));
    }

    [Fact]
    public void A_replay_skips_values_of_a_later_version()
    {
        var values = new LastValues(new LastValueOptions());
        Keep(values, "a", 1);
        long version = values.Version;
        Keep(values, "b", 1);
        int at = 0;
        int visits = 10;
        Assert.False(values.Next(ref at, ref visits, ""u8, version).IsEmpty);
        Assert.True(values.Next(ref at, ref visits, ""u8, version).IsEmpty);
        Assert.True(values.IsEnd(at));
    }

    private static async Task KeepAsync(Site site, BrokerConnection client, params (string Topic, string Value)[] values)
    {
        // The route has subscribed when the first message arrives.
        long before = site.Route.Snapshot().FromSubjects;
        await Wait.UntilAsync(
            () => site.Route.Snapshot().FromSubjects > before, () => $"{site.Route.Snapshot()}", () => client.PublishWithStatus(site.Subject(values[0].Topic), Shapes.Probe));
        foreach ((string topic, string value) in values)
        {
            await client.PublishAsync(site.Subject(topic), Encoding.ASCII.GetBytes(value), cancellationToken: TestContext.Current.CancellationToken);
        }

        // After them comes one that is refused and counted, because its subject is hashed and no header contains the
        // topic.
        long refused = site.Route.Snapshot().Refused;
        await client.PublishAsync("zmq.==" + new string('0', 32), "x"u8.ToArray(), cancellationToken: TestContext.Current.CancellationToken);
        await Wait.UntilAsync(() => site.Route.Snapshot().Refused > refused, () => $"{site.Route.Snapshot()}");
    }

    private static void Keep(LastValues values, string topic, int size)
    {
        var message = new Encoded(Shapes.Encode([Shapes.Bytes(topic), new byte[size]]));
        values.Keep(Shapes.Bytes(topic), ref message);
    }

    private static string[] All(LastValues values, string prefix, bool sizes = false)
    {
        var found = new List<string>();
        int at = 0;
        int visits = int.MaxValue;
        while (values.Next(ref at, ref visits, Shapes.Bytes(prefix), values.Version) is { IsEmpty: false } message)
        {
            ReadOnlySpan<byte> topic = EncodedMessage.SplitFrame(message, out _, out int first);
            int size = EncodedMessage.SplitFrame(message[first..], out _, out _).Length;
            found.Add(Encoding.Latin1.GetString(topic) + (sizes ? $" {Shapes.Number(size)}" : ""));
        }

        return [.. found.Order(StringComparer.Ordinal)];
    }

    private readonly struct Encoded(byte[] bytes) : IZmtpEncoder
    {
        public int EncodedSize => bytes.Length;

        public void Encode(Span<byte> destination) => bytes.CopyTo(destination);
    }
}
