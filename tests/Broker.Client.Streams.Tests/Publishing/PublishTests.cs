using System.Text;
using Broker.Client.Streams.Tests.Support;

namespace Broker.Client.Streams.Tests.Publishing;

public sealed class PublishTests(SharedServers servers)
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_stored_message_is_acknowledged_with_its_place(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();

        PublishAck first = await site.Streams.PublishAsync(site.Subject(), "one"u8.ToArray(), cancellationToken: Ended);
        PublishAck second = await site.Streams.PublishAsync(site.Subject(), "two"u8.ToArray(), headers: new MessageHeaders { ["k"] = "v" }, cancellationToken: Ended);

        Assert.Equal(new PublishAck(site.Name, 1, false), first);
        Assert.Equal(new PublishAck(site.Name, 2, false), second);
        StoredMessage stored = (await site.Streams.FindMessageAsync(site.Name, 2, cancellationToken: Ended))!;
        Assert.Equal("two", Encoding.UTF8.GetString(stored.Body.Span));
        Assert.Equal("v", new MessageHeaders(stored.Headers.Span)["k"]);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_duplicate_is_reported_and_not_stored_again(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();
        var options = new StreamPublishOptions { MessageId = "id-1" };

        PublishAck first = await site.Streams.PublishAsync(site.Subject(), "one"u8.ToArray(), options, cancellationToken: Ended);
        PublishAck again = await site.Streams.PublishAsync(site.Subject(), "one"u8.ToArray(), options, new MessageHeaders { ["k"] = "v" }, Ended);

        Assert.Equal(new PublishAck(site.Name, 1, false), first);
        Assert.Equal(new PublishAck(site.Name, 1, true), again);
        Assert.Equal(1ul, (await site.Streams.GetStreamAsync(site.Name, cancellationToken: Ended)).State.Messages);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_wrong_expectation_is_refused_with_its_code(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();
        await site.Streams.PublishAsync(site.Subject(), default, new StreamPublishOptions { MessageId = "m" }, cancellationToken: Ended);

        Assert.Equal(StreamErrorCode.UnexpectedStream, await RefusalAsync(site, new StreamPublishOptions { ExpectedStream = "other" }));
        Assert.Equal(StreamErrorCode.UnexpectedLastSequence, await RefusalAsync(site, new StreamPublishOptions { ExpectedLastSequence = 7 }));
        Assert.Equal(StreamErrorCode.UnexpectedLastSequence, await RefusalAsync(site, new StreamPublishOptions { ExpectedLastSubjectSequence = 0 }));
        Assert.Equal(StreamErrorCode.UnexpectedLastMessageId, await RefusalAsync(site, new StreamPublishOptions { ExpectedLastMessageId = "other" }));

        PublishAck ack = await site.Streams.PublishAsync(
            site.Subject(), default,
            new StreamPublishOptions { ExpectedStream = site.Name, ExpectedLastSequence = 1, ExpectedLastSubjectSequence = 1, ExpectedLastMessageId = "m" },
            cancellationToken: Ended);
        Assert.Equal(2ul, ack.Sequence);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_subject_without_a_stream_is_named_as_the_cause(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);

        NoStreamException error = await Assert.ThrowsAsync<NoStreamException>(
            () => site.Streams.PublishAsync("no.stream.here", default, cancellationToken: Ended).AsTask());

        Assert.Equal(("no.stream.here", 503), (error.Subject, error.Status));
        Assert.Contains("No stream has the subject 'no.stream.here'", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_message_is_sent_again_while_its_stream_is_starting(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server, new StreamsOptions { NoStreamRetries = 1000, AcknowledgementTimeout = Wait.Limit });

        ValueTask<PublishAck> early = site.Streams.PublishAsync(site.Subject(), "early"u8.ToArray(), cancellationToken: Ended);
        await site.Connection.PingAsync(Ended);
        await site.CreateAsync();

        Assert.Equal(1ul, (await early).Sequence);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task Many_messages_in_flight_are_stored_in_order_within_the_limits(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server, new StreamsOptions { MaxPublishesInFlight = 10, MaxPublishBytesInFlight = 5000, AcknowledgementTimeout = Wait.Limit });
        await site.CreateAsync();
        byte[] body = new byte[1000];

        var tasks = new Task<PublishAck>[2000];
        for (int i = 0; i < tasks.Length; i++)
        {
            tasks[i] = site.Streams.PublishAsync(site.Subject(), i % 3 == 0 ? body : default, cancellationToken: Ended).AsTask();
        }

        PublishAck[] acks = await Wait.For(Task.WhenAll(tasks));
        Assert.Equal(Enumerable.Range(1, tasks.Length).Select(static i => (ulong)i), acks.Select(static ack => ack.Sequence));
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task Messages_that_the_connection_cannot_take_yet_wait_and_keep_their_order(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(
            server, new StreamsOptions { AcknowledgementTimeout = Wait.Limit }, static options => options with { MaxPendingBytes = 20_000 });
        await site.CreateAsync();
        byte[] body = new byte[5000];

        var tasks = new Task<PublishAck>[500];
        for (int i = 0; i < tasks.Length; i++)
        {
            tasks[i] = site.Streams.PublishAsync(site.Subject(), body, new StreamPublishOptions { MessageId = $"{i}" }, cancellationToken: Ended).AsTask();
        }

        PublishAck[] acks = await Wait.For(Task.WhenAll(tasks));
        Assert.Equal(Enumerable.Range(1, tasks.Length).Select(static i => (ulong)i), acks.Select(static ack => ack.Sequence));
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_cancelled_publish_ends_and_the_others_go_on(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server, new StreamsOptions { NoStreamRetries = 1000, AcknowledgementTimeout = Wait.Limit, MaxPublishesInFlight = 1 });
        using var cancellation = new CancellationTokenSource();

        Task<PublishAck> inFlight = site.Streams.PublishAsync(site.Subject(), default, cancellationToken: cancellation.Token).AsTask();
        Task<PublishAck> waiting = site.Streams.PublishAsync(site.Subject(), default, cancellationToken: cancellation.Token).AsTask();
        Task<PublishAck> last = site.Streams.PublishAsync(site.Subject(), default, cancellationToken: Ended).AsTask();
        await cancellation.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Wait.For(inFlight));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Wait.For(waiting));
        await site.CreateAsync();
        Assert.Equal(1ul, (await Wait.For(last)).Sequence);
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_message_that_is_too_large_gets_the_connections_error(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();

        await Assert.ThrowsAsync<PublishRefusedException>(
            () => site.Streams.PublishAsync(site.Subject(), new byte[site.Connection.MaxPayload + 1], cancellationToken: Ended).AsTask());

        Assert.Equal(1ul, (await site.Streams.PublishAsync(site.Subject(), default, cancellationToken: Ended)).Sequence);
    }

    [Theory]
    [InlineData("a b")]
    [InlineData("a.*")]
    [InlineData("")]
    public async Task A_subject_that_is_not_valid_is_refused_before_it_is_sent(string subject)
    {
        await using StreamSite site = await servers.ConnectAsync(StreamServer.Installed);

        await Assert.ThrowsAsync<ArgumentException>(() => site.Streams.PublishAsync(subject, default, cancellationToken: Ended).AsTask());
        await Assert.ThrowsAsync<ArgumentException>(() => site.Streams.PublishAsync("a", default, headers: "bad"u8.ToArray(), cancellationToken: Ended).AsTask());
        await Assert.ThrowsAsync<ArgumentException>(
            () => site.Streams.PublishAsync("a", default, new StreamPublishOptions { MessageId = "a\r\nb" }, cancellationToken: Ended).AsTask());
    }

    private static async Task<StreamErrorCode> RefusalAsync(StreamSite site, StreamPublishOptions options)
        => (await Assert.ThrowsAsync<StreamException>(() => site.Streams.PublishAsync(site.Subject(), default, options, cancellationToken: Ended).AsTask())).Code;
}
