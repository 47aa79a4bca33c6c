using Broker.Client.Streams.Tests.Support;

namespace Broker.Client.Streams.Tests.Consumers;

/// <summary>Reading in order, with each server.</summary>
public sealed class OrderedTests(SharedServers servers)
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_stream_is_read_in_order_and_new_messages_follow(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();
        await ConsumeTests.FillAsync(site, 5000, new byte[2000]);
        ulong expected = 0;

        await foreach (StreamMessage message in site.Streams.ReadOrderedAsync(site.Name, cancellationToken: Ended))
        {
            Assert.Equal(++expected, message.Sequence);
            if (expected == 5000)
            {
                await ConsumeTests.FillAsync(site, 100);
            }

            if (expected == 5100)
            {
                break;
            }
        }

        await Wait.UntilAsync(async () => (await site.Streams.GetStreamAsync(site.Name, cancellationToken: Ended)).State.Consumers == 0);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_reader_begins_where_it_wants_and_filters(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();
        for (int i = 1; i <= 6; i++)
        {
            await site.Streams.PublishAsync(site.Subject(i % 2 == 0 ? "even" : "odd"), new byte[7], cancellationToken: Ended);
        }

        await using IAsyncEnumerator<StreamMessage> reader = site.Streams.ReadOrderedAsync(
            site.Name,
            new OrderedOptions { Subjects = [site.Subject("even")], DeliverPolicy = DeliverPolicy.FromSequence, StartSequence = 3, HeadersOnly = true },
            Ended).GetAsyncEnumerator(Ended);
        Assert.True(await reader.MoveNextAsync());
        Assert.Equal((4ul, 1ul, site.Subject("even")), (reader.Current.Sequence, reader.Current.Pending, reader.Current.Subject));
        Assert.Equal("7", new MessageHeaders(reader.Current.Headers.Span)["Nats-Msg-Size"]);
        Assert.True(reader.Current.Body.IsEmpty);
        Assert.True(await reader.MoveNextAsync());
        Assert.Equal((6ul, 0ul), (reader.Current.Sequence, reader.Current.Pending));
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_missing_stream_is_an_error_and_a_cancelled_reader_ends_at_once(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        StreamException missing = await Assert.ThrowsAsync<StreamException>(
            () => ConsumeTests.SequencesAsync(site.Streams.ReadOrderedAsync("missing", cancellationToken: Ended)));
        await site.CreateAsync();
        using var cancellation = CancellationTokenSource.CreateLinkedTokenSource(Ended);
        Task<List<ulong>> reading = ConsumeTests.SequencesAsync(site.Streams.ReadOrderedAsync(site.Name, cancellationToken: cancellation.Token));

        await cancellation.CancelAsync();

        Assert.Equal(StreamErrorCode.StreamNotFound, missing.Code);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Wait.For(reading));
    }
}
