using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Text.RegularExpressions;
using Broker.Client.Streams.Tests.Support;

namespace Broker.Client.Streams.Tests.Telemetry;

/// <summary>The counters and the meter of a client of streams.</summary>
public sealed partial class MetricsTests(SharedServers servers)
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task Publishes_and_consumers_are_counted(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server, new StreamsOptions { NoStreamRetries = 0 });
        await site.CreateAsync();
        StreamConsumer consumer = await site.Streams.CreateConsumerAsync(site.Name, new ConsumerConfig("worker"), Ended);

        for (int i = 0; i < 4; i++)
        {
            // The last two messages have the same id.
            await site.Streams.PublishAsync(site.Subject(), "m"u8.ToArray(), new StreamPublishOptions { MessageId = $"{Math.Min(i, 2)}" }, cancellationToken: Ended);
        }

        await Assert.ThrowsAsync<NoStreamException>(async () => await site.Streams.PublishAsync("nowhere." + site.Name, default, cancellationToken: Ended));
        var messages = new StreamMessage[3];
        await using (IAsyncEnumerator<StreamMessage> reader = consumer.ConsumeAsync(new ConsumeOptions { MaxMessages = 32 }, Ended).GetAsyncEnumerator(Ended))
        {
            for (int i = 0; i < messages.Length; i++)
            {
                Assert.True(await Wait.For(reader.MoveNextAsync().AsTask()));
                messages[i] = reader.Current;
            }

            Assert.InRange(site.Streams.GetStatistics().Pending, 1, 3);
            await messages[0].NakAsync(cancellationToken: Ended);
            Assert.True(await Wait.For(reader.MoveNextAsync().AsTask()));
            await reader.Current.InProgressAsync(Ended);
            await reader.Current.AckAndConfirmAsync(Ended);
            await messages[1].AckAsync(Ended);
            await messages[2].TerminateAsync(cancellationToken: Ended);
        }

        StreamsStatistics statistics = site.Streams.GetStatistics();
        Assert.InRange(statistics.Pulls, 1, 10);
        Assert.Equal(
            new StreamsStatistics
            {
                Acknowledged = 4,
                Duplicates = 1,
                Refused = 1,
                Received = 4,
                Redelivered = 1,
                Acks = 2,
                Naks = 1,
                Terminations = 1,
                ProgressReports = 1,
            },
            statistics with { Pulls = 0 });
    }

    [Fact]
    public async Task Outages_are_counted()
    {
        await using var script = Scripted.Start();
        StreamConsumer consumer = await script.ConsumerAsync();
        StreamsClient streams = script.Client;
        using var metrics = new StreamsMetrics(streams, "orders");
        using var heard = new Heard(metrics);
        await using IAsyncEnumerator<StreamMessage> reader = consumer.ConsumeAsync(new ConsumeOptions { MaxMessages = 1 }, Ended).GetAsyncEnumerator(Ended);
        Task<bool> first = reader.MoveNextAsync().AsTask();
        script.Deliver((await script.NextAsync("CONSUMER.MSG.NEXT")).ReplyTo, 1, 1);
        Assert.True(await Wait.For(first));
        Task<PublishAck> repeated = streams.PublishAsync("s.a", default, new StreamPublishOptions { MessageId = "1" }, cancellationToken: Ended).AsTask();
        Task<PublishAck> unknown = streams.PublishAsync("s.b", default, cancellationToken: Ended).AsTask();
        await script.TakeAsync(static p => p.Subject == "s.a", "the message with an id");
        await script.TakeAsync(static p => p.Subject == "s.b", "the message without an id");
        Assert.Equal(2, streams.GetStatistics().InFlight);

        script.Drop();

        await Assert.ThrowsAsync<UnknownOutcomeException>(() => Wait.For(unknown));
        Scripted.Published again = await script.TakeAsync(static p => p.Subject == "s.a", "the message with an id, again");
        script.Answer(again.ReplyTo, """{"stream":"S","seq":2}""");
        await Wait.For(repeated);
        Task<bool> second = reader.MoveNextAsync().AsTask();
        script.Deliver((await script.NextAsync("CONSUMER.MSG.NEXT")).ReplyTo, 2, 2);
        Assert.True(await Wait.For(second));
        StreamsStatistics statistics = streams.GetStatistics();
        Assert.Equal((1, 1, 1, 1, 0), (statistics.Acknowledged, statistics.UnknownOutcomes, statistics.Repeats, statistics.Resumptions, statistics.InFlight));
        Assert.Equal(["broker.client.streams.silence", "messaging.client.operation.duration", "messaging.client.operation.duration"], heard.Histograms.Select(static m => m.Name).Order());
        Assert.All(heard.Histograms, static m => Assert.Equal(("nats", "orders"), (m.Tags["messaging.system"], m.Tags["broker.client.name"])));
        Assert.Equal(
            [null, typeof(UnknownOutcomeException).FullName],
            heard.Histograms.Where(static m => m.Name == "messaging.client.operation.duration").Select(static m => m.Tags.GetValueOrDefault("error.type")).Order());
    }

    [Fact]
    public async Task Every_instrument_is_in_the_documentation_and_nothing_else()
    {
        string page = await File.ReadAllTextAsync(Path.Combine(Repository.Root, "docs", "streams-client.md"), Ended);
        await using var script = Scripted.Start();
        using var metrics = new StreamsMetrics(await script.ConnectAsync());
        using var heard = new Heard(metrics);

        Assert.Equal(
            heard.Names.Order(StringComparer.Ordinal),
            Documented().Matches(page).Select(static m => m.Groups[1].Value).Order(StringComparer.Ordinal));
    }

    [GeneratedRegex(@"^\| `((?:broker|messaging)\.[a-z_.]+)` \|", RegexOptions.Multiline)]
    private static partial Regex Documented();

    /// <summary>What a listener hears of one meter.</summary>
    private sealed class Heard : IDisposable
    {
        private readonly MeterListener _listener = new();

        internal Heard(StreamsMetrics metrics)
        {
            _listener.InstrumentPublished = (instrument, listener) =>
            {
                // Other tests have meters of the same name.
                if (metrics.Owns(instrument.Meter))
                {
                    Names.Add(instrument.Name);
                    listener.EnableMeasurementEvents(instrument);
                }
            };
            _listener.SetMeasurementEventCallback<double>((instrument, _, tags, _) => Histograms.Add((instrument.Name, tags.ToArray().ToDictionary())));
            _listener.Start();
        }

        internal List<string> Names { get; } = [];

        internal ConcurrentBag<(string Name, Dictionary<string, object?> Tags)> Histograms { get; } = [];

        public void Dispose() => _listener.Dispose();
    }
}
