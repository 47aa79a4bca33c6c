using System.Globalization;
using System.Text;
using Broker.Client.Streams.Tests.Support;

namespace Broker.Client.Streams.Tests.Consumers;

/// <summary>Reading with a pull consumer, with each server.</summary>
public sealed class ConsumeTests(SharedServers servers)
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task Messages_are_consumed_in_order_and_acknowledged(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();
        await FillAsync(site, 3000);
        StreamConsumer consumer = await site.Streams.CreateConsumerAsync(site.Name, new ConsumerConfig("worker"), Ended);

        ulong expected = 0;
        await foreach (StreamMessage message in consumer.ConsumeAsync(new ConsumeOptions { MaxMessages = 100 }, Ended))
        {
            expected++;
            Assert.Equal((expected, expected, 1L, 3000 - expected), (message.Sequence, message.ConsumerSequence, message.Delivered, message.Pending));
            Assert.Equal((site.Subject(), $"{expected}"), (message.Subject, Encoding.UTF8.GetString(message.Body.Span)));
            Assert.Equal((site.Name, "worker"), (message.Stream, message.Consumer));
            Assert.Equal("v", new MessageHeaders(message.Headers.Span)["k"]);
            Assert.True(message.Time > new DateTimeOffset(2020, 1, 1, 0, 0, 0, TimeSpan.Zero));
            await message.AckAsync(Ended);
            if (expected == 3000)
            {
                break;
            }
        }

        await Wait.UntilAsync(async () => await consumer.InfoAsync(site) is { AckPending: 0, AckFloor.StreamSequence: 3000 });
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_message_is_refused_delayed_terminated_and_confirmed(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();
        // Servers differ in whether a refused message comes before those that have not been delivered yet. nats-server
        // 2.9 does not understand a reason, so it must not get one.
        await FillAsync(site, 2);
        StreamConsumer consumer = await site.Streams.CreateConsumerAsync(site.Name, new ConsumerConfig("worker"), Ended);

        StreamMessage first = (await consumer.NextAsync(cancellationToken: Ended))!.Value;
        await first.AckAndConfirmAsync(Ended);
        Assert.Equal(1ul, (await consumer.InfoAsync(site)).AckFloor.StreamSequence);
        StreamMessage second = (await consumer.NextAsync(cancellationToken: Ended))!.Value;
        await second.NakAsync(cancellationToken: Ended);
        StreamMessage again = (await consumer.NextAsync(cancellationToken: Ended))!.Value;
        Assert.Equal((2ul, 2L), (again.Sequence, again.Delivered));
        await again.InProgressAsync(Ended);
        await again.TerminateAsync("not wanted", Ended);
        await FillAsync(site, 2);
        StreamMessage third = (await consumer.NextAsync(cancellationToken: Ended))!.Value;
        await third.NakAsync(TimeSpan.FromHours(1), Ended);
        StreamMessage fourth = (await consumer.NextAsync(cancellationToken: Ended))!.Value;
        await fourth.TerminateAsync(cancellationToken: Ended);

        Assert.Equal((3ul, 4ul), (third.Sequence, fourth.Sequence));
        Assert.Null(await consumer.NextAsync(TimeSpan.FromMilliseconds(200), Ended));
        ConsumerInfo info = await consumer.InfoAsync(site);
        Assert.Equal((1L, 2ul), (info.AckPending, info.AckFloor.StreamSequence));
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_fetch_ends_when_it_is_full_when_its_time_is_over_and_when_nothing_waits(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();
        await FillAsync(site, 15);
        StreamConsumer consumer = await site.Streams.CreateConsumerAsync(site.Name, new ConsumerConfig("worker"), Ended);

        Assert.Equal(Numbers(1, 10), await SequencesAsync(consumer.FetchAsync(new FetchOptions { MaxMessages = 10 }, Ended)));
        Assert.Equal(Numbers(11, 5), await SequencesAsync(consumer.FetchAsync(new FetchOptions { MaxMessages = 10, NoWait = true }, Ended)));
        Assert.Empty(await SequencesAsync(consumer.FetchAsync(new FetchOptions { NoWait = true }, Ended)));
        await FillAsync(site, 1);
        Assert.Equal([16ul], await SequencesAsync(consumer.FetchAsync(new FetchOptions { Expires = TimeSpan.FromSeconds(1) }, Ended)));
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_prefetch_of_one_means_one(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();
        await FillAsync(site, 5);
        StreamConsumer consumer = await site.Streams.CreateConsumerAsync(site.Name, new ConsumerConfig("worker"), Ended);

        int count = 0;
        await foreach (StreamMessage message in consumer.ConsumeAsync(new ConsumeOptions { MaxMessages = 1 }, Ended))
        {
            // The server has delivered this message only, and has no request for another one.
            ConsumerInfo info = await consumer.InfoAsync(site);
            Assert.Equal((1L, 0L, (ulong)(5 - ++count)), (info.AckPending, info.Waiting, info.Pending));
            await message.AckAsync(Ended);
            await site.Connection.FlushAsync(Ended);
            if (count == 5)
            {
                break;
            }
        }

        Assert.Equal(5, count);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task No_more_is_requested_than_fits_into_the_limit_of_bytes(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();
        await FillAsync(site, 50, new byte[1000]);
        StreamConsumer consumer = await site.Streams.CreateConsumerAsync(site.Name, new ConsumerConfig("worker"), Ended);

        int count = 0;
        await foreach (StreamMessage message in consumer.ConsumeAsync(new ConsumeOptions { MaxBytes = 8000 }, Ended))
        {
            Assert.InRange((await consumer.InfoAsync(site)).AckPending, 1, 8);
            await message.AckAndConfirmAsync(Ended);
            if (++count == 50)
            {
                break;
            }
        }

        Assert.Equal(50, count);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_message_that_is_larger_than_the_limit_ends_with_an_error_that_names_the_option(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();
        await FillAsync(site, 1, new byte[5000]);
        StreamConsumer consumer = await site.Streams.CreateConsumerAsync(site.Name, new ConsumerConfig("worker"), Ended);

        StreamException error = await Assert.ThrowsAsync<StreamException>(
            () => SequencesAsync(consumer.ConsumeAsync(new ConsumeOptions { MaxBytes = 1000 }, Ended)));

        Assert.Contains("ConsumeOptions.MaxBytes", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_deleted_consumer_ends_the_reading_with_an_error(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();
        StreamConsumer consumer = await site.Streams.CreateConsumerAsync(site.Name, new ConsumerConfig("worker"), Ended);
        Task<List<ulong>> reading = SequencesAsync(consumer.ConsumeAsync(new ConsumeOptions { RecreateMissing = true }, Ended));
        await Wait.UntilAsync(async () => (await consumer.InfoAsync(site)).Waiting > 0);

        await site.Streams.DeleteConsumerAsync(site.Name, "worker", Ended);

        ConsumerGoneException gone = await Assert.ThrowsAsync<ConsumerGoneException>(() => Wait.For(reading));
        Assert.Equal((site.Name, "worker"), (gone.Stream, gone.Consumer));
        Assert.Contains("was deleted", gone.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_consumer_that_does_not_exist_is_told_of_at_once(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();
        StreamConsumer consumer = await site.Streams.CreateConsumerAsync(site.Name, new ConsumerConfig("worker"), Ended);
        await site.Streams.DeleteConsumerAsync(site.Name, "worker", Ended);

        ConsumerGoneException gone = await Assert.ThrowsAsync<ConsumerGoneException>(() => SequencesAsync(consumer.ConsumeAsync(cancellationToken: Ended)));

        Assert.Contains("is gone", gone.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_cancelled_reader_gets_what_is_here_and_can_acknowledge_it(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();
        await FillAsync(site, 20);
        StreamConsumer consumer = await site.Streams.CreateConsumerAsync(site.Name, new ConsumerConfig("worker"), Ended);
        using var cancellation = CancellationTokenSource.CreateLinkedTokenSource(Ended);
        int count = 0;

        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            await foreach (StreamMessage message in consumer.ConsumeAsync(new ConsumeOptions { MaxMessages = 20 }, cancellation.Token))
            {
                if (++count == 1)
                {
                    await Wait.UntilAsync(async () => (await consumer.InfoAsync(site)).AckPending >= 20);
                    await cancellation.CancelAsync();
                }

                await message.AckAsync(Ended);
            }
        });

        Assert.Equal(20, count);
        await Wait.UntilAsync(async () => (await consumer.InfoAsync(site)).AckPending == 0);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task Messages_that_a_reader_leaves_unread_are_delivered_again_at_once(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();
        await FillAsync(site, 10);
        // If the only requests that wait are those of a reader that has left, nats-server 2.9 takes the first refused
        // message from its list and gives it to nobody, and delivers the last message of the stream twice.
        bool forgets = server == StreamServer.Installed;
        TimeSpan ackWait = forgets ? TimeSpan.FromSeconds(1) : TimeSpan.FromHours(1);
        StreamConsumer consumer = await site.Streams.CreateConsumerAsync(site.Name, new ConsumerConfig("worker") { AckWait = ackWait }, Ended);
        var handled = new HashSet<ulong>();

        await foreach (StreamMessage message in consumer.ConsumeAsync(new ConsumeOptions { MaxMessages = 20 }, Ended))
        {
            await Wait.UntilAsync(async () => (await consumer.InfoAsync(site)).AckPending == 10);
            handled.Add(message.Sequence);
            await message.AckAndConfirmAsync(Ended);
            break;
        }

        using var cancellation = CancellationTokenSource.CreateLinkedTokenSource(Ended);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            await foreach (StreamMessage message in consumer.ConsumeAsync(new ConsumeOptions { MaxMessages = 20, DrainOnCancel = false }, cancellation.Token))
            {
                handled.Add(message.Sequence);
                await message.AckAndConfirmAsync(Ended);
                await cancellation.CancelAsync();
            }
        });
        Assert.Equal(2, handled.Count);
        await foreach (StreamMessage message in consumer.ConsumeAsync(cancellationToken: Ended))
        {
            Assert.True(handled.Add(message.Sequence) || forgets);
            await message.AckAndConfirmAsync(Ended);
            if (handled.Count == 10)
            {
                break;
            }
        }
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_slow_handler_with_progress_reports_gets_each_message_once(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();
        await FillAsync(site, 3);
        StreamConsumer consumer = await site.Streams.CreateConsumerAsync(site.Name, new ConsumerConfig("worker") { AckWait = TimeSpan.FromSeconds(2) }, Ended);

        int count = 0;
        await foreach (StreamMessage message in consumer.ConsumeAsync(new ConsumeOptions { ReportProgressEvery = TimeSpan.FromMilliseconds(100) }, Ended))
        {
            Assert.Equal(1, message.Delivered);
            if (++count == 1)
            {
                await Task.Delay(TimeSpan.FromSeconds(4), Ended);
            }

            await message.AckAsync(Ended);
            if (count == 3)
            {
                break;
            }
        }

        Assert.Equal(0, (await consumer.InfoAsync(site)).Redelivered);
    }

    internal static async Task FillAsync(StreamSite site, int count, byte[]? body = null)
    {
        ReadOnlyMemory<byte> headers = new MessageHeaders { ["k"] = "v" };
        await Task.WhenAll(Enumerable.Range(1, count).Select(i => site.Streams.PublishAsync(
            site.Subject(), body ?? Encoding.UTF8.GetBytes(i.ToString(CultureInfo.InvariantCulture)), headers: headers, cancellationToken: Ended).AsTask()));
    }

    internal static async Task<List<ulong>> SequencesAsync(IAsyncEnumerable<StreamMessage> source)
    {
        var all = new List<ulong>();
        await foreach (StreamMessage message in source)
        {
            all.Add(message.Sequence);
            await message.AckAsync(Ended);
        }

        return all;
    }

    private static IEnumerable<ulong> Numbers(int first, int count) => Enumerable.Range(first, count).Select(static n => (ulong)n);
}
