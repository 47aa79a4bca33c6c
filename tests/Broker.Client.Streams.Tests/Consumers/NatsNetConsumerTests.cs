using System.Text;
using Broker.Client.Streams.Tests.Support;
using NATS.Client.Core;
using NATS.Client.JetStream;

namespace Broker.Client.Streams.Tests.Consumers;

/// <summary>
/// Streams and consumers that NATS.Net 3.3.2 and this client use together, and what they tell of errors.
/// </summary>
public sealed class NatsNetConsumerTests(SharedServers servers)
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task Each_client_reads_what_the_other_has_published(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();
        await using var nats = new NatsConnection(new NatsOpts { Url = servers.UrlOf(server) });
        var theirs = new NatsJSContext(nats);
        await theirs.PublishAsync(site.Subject(), "of NATS.Net", headers: new NatsHeaders { ["k"] = "v" }, cancellationToken: Ended);
        await site.Streams.PublishAsync(site.Subject(), "of ours"u8.ToArray(), headers: new MessageHeaders { ["k"] = "v" }, cancellationToken: Ended);
        StreamConsumer ours = await site.Streams.CreateConsumerAsync(site.Name, new ConsumerConfig("worker"), Ended);
        INatsJSConsumer shared = await theirs.GetConsumerAsync(site.Name, "worker", Ended);

        StreamMessage first = (await ours.NextAsync(cancellationToken: Ended))!.Value;
        await first.AckAndConfirmAsync(Ended);
        INatsJSMsg<string> second = (await shared.NextAsync<string>(cancellationToken: Ended))!;
        await second.AckAsync(cancellationToken: Ended);

        Assert.Equal(("of NATS.Net", "v"), (Encoding.UTF8.GetString(first.Body.Span), new MessageHeaders(first.Headers.Span)["k"]));
        Assert.Equal(("of ours", "v"), (second.Data, second.Headers!["k"].ToString()));
        await Wait.UntilAsync(async () => await ours.InfoAsync(site) is { AckPending: 0, AckFloor.StreamSequence: 2 });
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_subject_without_a_stream_is_named_by_this_client_and_not_by_NATS_Net(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await using var nats = new NatsConnection(new NatsOpts { Url = servers.UrlOf(server) });

        NatsJSException theirs = await Assert.ThrowsAnyAsync<NatsJSException>(
            () => new NatsJSContext(nats).PublishAsync("no.stream", "a", cancellationToken: Ended).AsTask());
        NoStreamException ours = await Assert.ThrowsAsync<NoStreamException>(
            () => site.Streams.PublishAsync("no.stream", default, cancellationToken: Ended).AsTask());

        Assert.DoesNotContain("no.stream", theirs.Message, StringComparison.Ordinal);
        Assert.Contains("no.stream", ours.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_deleted_consumer_ends_the_loops_of_both_clients(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();
        await using var nats = new NatsConnection(new NatsOpts { Url = servers.UrlOf(server) });
        StreamConsumer ours = await site.Streams.CreateConsumerAsync(site.Name, new ConsumerConfig("worker"), Ended);
        INatsJSConsumer theirs = await new NatsJSContext(nats).GetConsumerAsync(site.Name, "worker", Ended);
        Task<List<ulong>> ourLoop = ConsumeTests.SequencesAsync(ours.ConsumeAsync(new ConsumeOptions { MaxMessages = 1 }, Ended));
        Task theirLoop = theirs.ConsumeAsync<string>(cancellationToken: Ended).GetAsyncEnumerator(Ended).MoveNextAsync().AsTask();
        await Wait.UntilAsync(async () => (await ours.InfoAsync(site)).Waiting >= 2);

        await site.Streams.DeleteConsumerAsync(site.Name, "worker", Ended);

        await Assert.ThrowsAsync<ConsumerGoneException>(() => Wait.For(ourLoop));
        await Assert.ThrowsAnyAsync<NatsJSException>(() => Wait.For(theirLoop));
    }
}
