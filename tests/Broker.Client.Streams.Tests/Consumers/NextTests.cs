using Broker.Client.Streams.Tests.Support;

namespace Broker.Client.Streams.Tests.Consumers;

/// <summary>Requests for one message, with a server whose answers the test decides.</summary>
public sealed class NextTests
{
    private const string Request = "CONSUMER.MSG.NEXT";
    private const string Refused = "400 Bad Request";

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Fact]
    public async Task One_request_after_the_other_uses_the_same_subscription()
    {
        await using var script = Scripted.Start();
        StreamConsumer consumer = await script.ConsumerAsync();
        var inboxes = new HashSet<string>(StringComparer.Ordinal);

        for (ulong i = 1; i <= 3; i++)
        {
            Task<StreamMessage?> next = consumer.NextAsync(cancellationToken: Ended).AsTask();
            Scripted.Published request = await script.NextAsync(Request);
            inboxes.Add(request.ReplyTo);
            script.Deliver(request.ReplyTo, i, i);
            script.Status(request.ReplyTo, "409 Batch Completed");
            Assert.Equal(i, (await Wait.For(next))!.Value.Sequence);
        }

        Assert.Single(inboxes);
    }

    [Theory]
    [InlineData("404 No Messages")]
    [InlineData("408 Request Timeout")]
    public async Task The_result_is_null_if_the_server_has_no_message(string status)
    {
        await using var script = Scripted.Start();
        StreamConsumer consumer = await script.ConsumerAsync();

        Task<StreamMessage?> next = consumer.NextAsync(cancellationToken: Ended).AsTask();
        Scripted.Published request = await script.NextAsync(Request);
        script.Status(request.ReplyTo, "100 Idle Heartbeat");
        script.Status(request.ReplyTo, status);

        Assert.Null(await Wait.For(next));
    }

    [Fact]
    public async Task A_cancelled_wait_returns_a_message_that_is_on_its_way()
    {
        await using var script = Scripted.Start();
        StreamConsumer consumer = await script.ConsumerAsync();
        using var stop = new CancellationTokenSource();
        Task<StreamMessage?> next = consumer.NextAsync(cancellationToken: stop.Token).AsTask();
        Scripted.Published request = await script.NextAsync(Request);

        await stop.CancelAsync();
        Scripted.Published last = await script.NextAsync(Request);
        script.Deliver(request.ReplyTo, 5, 1);

        Assert.Equal(5ul, (await Wait.For(next))!.Value.Sequence);
        Assert.Equal(("{", request.ReplyTo), (last.Body, last.ReplyTo));
        await AssertNewInboxAsync(script, consumer, request);
    }

    [Fact]
    public async Task A_cancelled_wait_ends_when_nothing_is_on_its_way()
    {
        await using var script = Scripted.Start();
        StreamConsumer consumer = await script.ConsumerAsync();
        using var stop = new CancellationTokenSource();
        Task<StreamMessage?> next = consumer.NextAsync(cancellationToken: stop.Token).AsTask();
        Scripted.Published request = await script.NextAsync(Request);

        await stop.CancelAsync();
        script.Status((await script.NextAsync(Request)).ReplyTo, Refused);

        OperationCanceledException cancelled = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Wait.For(next));
        Assert.Equal(stop.Token, cancelled.CancellationToken);
        await AssertNewInboxAsync(script, consumer, request);
    }

    [Fact]
    public async Task A_message_is_requested_again_from_the_next_server()
    {
        await using var script = Scripted.Start();
        StreamConsumer consumer = await script.ConsumerAsync();
        Task<StreamMessage?> next = consumer.NextAsync(cancellationToken: Ended).AsTask();
        Scripted.Published request = await script.NextAsync(Request);

        script.Drop();
        Scripted.Published again = await script.NextAsync(Request);
        script.Deliver(again.ReplyTo, 6, 1);

        Assert.Equal(6ul, (await Wait.For(next))!.Value.Sequence);
        Assert.NotEqual(request.ReplyTo, again.ReplyTo);
    }

    [Fact]
    public async Task A_consumer_that_is_deleted_meanwhile_is_an_error()
    {
        await using var script = Scripted.Start();
        StreamConsumer consumer = await script.ConsumerAsync();
        Task<StreamMessage?> next = consumer.NextAsync(cancellationToken: Ended).AsTask();

        script.Status((await script.NextAsync(Request)).ReplyTo, "409 Consumer Deleted");

        ConsumerGoneException gone = await Assert.ThrowsAsync<ConsumerGoneException>(() => Wait.For(next));
        Assert.Contains(Scripted.Consumer, gone.Message, StringComparison.Ordinal);
    }

    // The server may still have the last request of the other inbox.
    private static async Task AssertNewInboxAsync(Scripted script, StreamConsumer consumer, Scripted.Published before)
    {
        Task<StreamMessage?> next = consumer.NextAsync(cancellationToken: Ended).AsTask();
        Scripted.Published request = await script.NextAsync(Request);
        script.Deliver(request.ReplyTo, 9, 9);
        await Wait.For(next);
        Assert.NotEqual(before.ReplyTo, request.ReplyTo);
    }
}
