using Broker.Client.Streams.Tests.Support;

namespace Broker.Client.Streams.Tests.Consumers;

/// <summary>
/// Statuses and losses that real servers send at times that a test cannot choose: reading with requests.
/// </summary>
public sealed class ScriptedTests
{
    private const string Next = "CONSUMER.MSG.NEXT";

    private static readonly ConsumeOptions Patient = new() { Expires = TimeSpan.FromHours(2), IdleHeartbeat = TimeSpan.FromHours(1), MaxMessages = 2 };

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("409 Leadership Change", "")]
    [InlineData("409 Server Shutdown", "")]
    [InlineData("409 Exceeded MaxWaiting", "")]
    [InlineData("408 Request Timeout", "Nats-Pending-Messages: 1\r\nNats-Pending-Bytes: 0\r\n")]
    [InlineData("404 No Messages", "")]
    public async Task A_status_that_passes_is_followed_by_another_request(string status, string more)
    {
        await using var script = Scripted.Start();
        await using var reader = new Reader((await script.ConsumerAsync()).ConsumeAsync(Patient, Ended));
        Scripted.Published first = await script.NextAsync(Next);
        Scripted.Published second = await script.NextAsync(Next);
        Assert.Contains("\"batch\":1,", first.Body, StringComparison.Ordinal);

        script.Status(first.ReplyTo, status, more);
        script.Status(second.ReplyTo, status, more);
        script.Deliver((await script.NextAsync(Next)).ReplyTo, 7, 1);

        Assert.Equal(7ul, (await reader.NextAsync()).Sequence);
    }

    [Theory]
    [InlineData("409 Consumer Deleted", "was deleted")]
    [InlineData("409 Consumer is push based", "DeliverSubject")]
    [InlineData("409 Exceeded MaxRequestBatch of 1", "MaxBatch")]
    [InlineData("400 Bad Request", "Bad Request")]
    public async Task A_status_that_stays_ends_the_reading_after_what_is_here(string status, string text)
    {
        await using var script = Scripted.Start();
        await using var reader = new Reader((await script.ConsumerAsync()).ConsumeAsync(Patient, Ended));
        Scripted.Published first = await script.NextAsync(Next);
        Scripted.Published second = await script.NextAsync(Next);

        script.Deliver(first.ReplyTo, 7, 1);
        script.Status(second.ReplyTo, status);

        Assert.Equal(7ul, (await reader.NextAsync()).Sequence);
        StreamException error = await Assert.ThrowsAnyAsync<StreamException>(reader.NextAsync);
        Assert.Contains(text, error.Message, StringComparison.Ordinal);
        Assert.Contains(Scripted.Stream, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task After_a_silence_of_two_heartbeats_messages_are_requested_again()
    {
        await using var script = Scripted.Start();
        var options = new ConsumeOptions { MaxMessages = 1, Expires = TimeSpan.FromHours(1), IdleHeartbeat = TimeSpan.FromMilliseconds(100) };
        await using var reader = new Reader((await script.ConsumerAsync()).ConsumeAsync(options, Ended));

        Scripted.Published first = await script.NextAsync(Next);
        Assert.Contains("\"idle_heartbeat\":100000000", first.Body, StringComparison.Ordinal);
        script.Status(first.ReplyTo, "100 Idle Heartbeat");

        StreamMessage read = await script.ServeAsync(Next, request => script.Deliver(request.ReplyTo, 7, 1), reader.NextAsync());
        Assert.Equal(7ul, read.Sequence);
    }

    [Fact]
    public async Task While_the_consumer_exists_a_request_that_nobody_takes_is_repeated()
    {
        await using var script = Scripted.Start();
        await using var reader = new Reader((await script.ConsumerAsync()).ConsumeAsync(Patient with { MaxMessages = 1 }, Ended));

        script.Status((await script.NextAsync(Next)).ReplyTo, "503");
        script.AnswerConsumer((await script.NextAsync("CONSUMER.INFO")).ReplyTo);
        script.Deliver((await script.NextAsync(Next)).ReplyTo, 7, 1);

        Assert.Equal(7ul, (await reader.NextAsync()).Sequence);
    }

    [Fact]
    public async Task After_a_reconnect_the_requests_of_the_last_connection_are_not_served()
    {
        await using var script = Scripted.Start();
        await using var reader = new Reader((await script.ConsumerAsync()).ConsumeAsync(Patient with { MaxMessages = 1 }, Ended));
        Scripted.Published before = await script.NextAsync(Next);

        script.Drop();
        Scripted.Published after = await script.NextAsync(Next);

        Assert.DoesNotContain(before.ReplyTo, script.Filters);
        script.Deliver(after.ReplyTo, 7, 1);
        Assert.Equal(7ul, (await reader.NextAsync()).Sequence);
    }

    [Fact]
    public async Task After_a_sleep_of_the_machine_the_reading_resumes_with_one_reconnect()
    {
        await using var script = Scripted.Start();
        StreamConsumer consumer = await script.ConsumerAsync(pingInterval: TimeSpan.FromMilliseconds(200));
        await using var reader = new Reader(consumer.ConsumeAsync(Patient with { MaxMessages = 1 }, Ended));
        await script.NextAsync(Next);

        // The connection is dead, and no end of it arrives.
        script.Sleep();
        script.Deliver((await script.NextAsync(Next)).ReplyTo, 7, 1);

        Assert.Equal(7ul, (await reader.NextAsync()).Sequence);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_reader_that_leaves_awaits_what_is_on_its_way_and_refuses_it_last(bool readsFirst)
    {
        await using var script = Scripted.Start();
        var reader = new Reader((await script.ConsumerAsync()).ConsumeAsync(Patient with { MaxMessages = 4 }, Ended));
        Scripted.Published open = await script.NextAsync(Next);
        await script.NextAsync(Next);
        script.Deliver(open.ReplyTo, 7, 1);
        if (readsFirst)
        {
            script.Deliver(open.ReplyTo, 8, 2);
        }

        await reader.NextAsync();
        Task left = reader.DisposeAsync().AsTask();
        Scripted.Published last = await script.NextAsync(Next);
        // The subscription is open until the last answer has come.
        if (!readsFirst)
        {
            script.Deliver(open.ReplyTo, 8, 2);
        }

        Assert.False(script.Has(static p => p.Body == "-NAK"));
        script.Status(last.ReplyTo, "400 Bad Request");

        await Wait.For(left);
        Assert.Equal(8ul, await script.AcknowledgedAsync("-NAK"));
        Assert.DoesNotContain(open.ReplyTo, script.Filters);
        Assert.DoesNotContain(last.ReplyTo, script.Filters);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_reader_can_leave_a_server_that_is_silent_or_lost(bool lost)
    {
        await using var script = Scripted.Start();
        var reader = new Reader((await script.ConsumerAsync()).ConsumeAsync(Patient, Ended));
        Scripted.Published open = await script.NextAsync(Next);
        script.Deliver(open.ReplyTo, 7, 1);
        await reader.NextAsync();

        Task left = reader.DisposeAsync().AsTask();
        await script.TakeAsync(static p => p.Body == "{", "the last request");
        if (lost)
        {
            script.Drop();
        }

        await Wait.For(left);
    }

    [Fact]
    public async Task Each_request_is_counted_by_itself_although_the_server_serves_them_in_turn()
    {
        await using var script = Scripted.Start();
        await using var reader = new Reader((await script.ConsumerAsync()).ConsumeAsync(Patient with { MaxMessages = 4 }, Ended));
        Scripted.Published first = await script.NextAsync(Next);
        Scripted.Published second = await script.NextAsync(Next);

        script.Deliver(first.ReplyTo, 1, 1);
        script.Deliver(second.ReplyTo, 2, 2);
        // One message of the first request is missing, and no message of the second.
        script.Status(first.ReplyTo, "408 Request Timeout");
        script.Deliver(second.ReplyTo, 3, 3);
        for (ulong i = 1; i <= 3; i++)
        {
            Assert.Equal(i, (await reader.NextAsync()).Sequence);
        }

        reader.MoveOn();
        Assert.NotEqual((await script.NextAsync(Next)).ReplyTo, (await script.NextAsync(Next)).ReplyTo);
    }

    [Fact]
    public async Task The_completion_of_a_request_does_not_end_the_next_one_with_the_same_reply_subject()
    {
        await using var script = Scripted.Start();
        await using var reader = new Reader((await script.ConsumerAsync()).ConsumeAsync(Patient with { MaxMessages = 4 }, Ended));
        Scripted.Published first = await script.NextAsync(Next);
        Scripted.Published second = await script.NextAsync(Next);
        script.Deliver(first.ReplyTo, 1, 1);
        script.Deliver(first.ReplyTo, 2, 2);
        await reader.NextAsync();
        await reader.NextAsync();
        reader.MoveOn();
        Assert.Equal(first.ReplyTo, (await script.NextAsync(Next)).ReplyTo);

        script.Status(first.ReplyTo, "409 Batch Completed", "Nats-Pending-Messages: 0\r\nNats-Pending-Bytes: 9\r\n");
        script.Status(second.ReplyTo, "408 Request Timeout");

        Assert.Equal(second.ReplyTo, (await script.NextAsync(Next)).ReplyTo);
        script.Deliver(first.ReplyTo, 3, 3);
        Assert.Equal(3ul, (await reader.NextAsync()).Sequence);
        Assert.False(script.Has(static p => p.Subject.Contains(Next, StringComparison.Ordinal)));
    }

    [Fact]
    public async Task One_request_is_half_served_when_the_other_one_ends()
    {
        await using var script = Scripted.Start();
        await using var reader = new Reader((await script.ConsumerAsync()).ConsumeAsync(Patient with { MaxMessages = 40 }, Ended));
        Scripted.Published first = await script.NextAsync(Next);
        Scripted.Published second = await script.NextAsync(Next);
        Assert.Contains("\"batch\":10,", first.Body, StringComparison.Ordinal);
        Assert.Contains("\"batch\":20,", second.Body, StringComparison.Ordinal);

        for (ulong i = 1; i <= 20; i += 2)
        {
            script.Deliver(first.ReplyTo, i, i);
            script.Deliver(second.ReplyTo, i + 1, i + 1);
        }

        for (ulong i = 1; i <= 20; i++)
        {
            Assert.Equal(i, (await reader.NextAsync()).Sequence);
        }

        // The second request still brings ten messages, and the server has the next request already.
        reader.MoveOn();
        Scripted.Published third = await script.NextAsync(Next);
        Assert.Contains("\"batch\":20,", third.Body, StringComparison.Ordinal);
        script.Deliver(second.ReplyTo, 21, 21);
        Assert.Equal(21ul, (await reader.NextAsync()).Sequence);
    }

    [Fact]
    public async Task A_request_that_ends_at_its_size_limit_is_repeated_if_any_message_has_come()
    {
        await using var script = Scripted.Start();
        await using var reader = new Reader((await script.ConsumerAsync()).ConsumeAsync(Patient with { MaxMessages = 4 }, Ended));
        Scripted.Published first = await script.NextAsync(Next);
        Scripted.Published second = await script.NextAsync(Next);
        script.Deliver(first.ReplyTo, 1, 1);
        script.Deliver(second.ReplyTo, 2, 2);
        script.Status(first.ReplyTo, "409 Message Size Exceeds MaxBytes");
        script.Status(second.ReplyTo, "409 Message Size Exceeds MaxBytes");
        await reader.NextAsync();
        await reader.NextAsync();
        reader.MoveOn();

        script.Status((await script.NextAsync(Next)).ReplyTo, "409 Message Size Exceeds MaxBytes");

        StreamException error = await Assert.ThrowsAsync<StreamException>(reader.NextAsync);
        Assert.Contains("ConsumeOptions.MaxBytes", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_cancelled_reader_gets_what_is_on_its_way_before_the_exception()
    {
        await using var script = Scripted.Start();
        using var cancellation = CancellationTokenSource.CreateLinkedTokenSource(Ended);
        await using var reader = new Reader((await script.ConsumerAsync()).ConsumeAsync(Patient, cancellation.Token));
        Scripted.Published open = await script.NextAsync(Next);
        await script.NextAsync(Next);

        await cancellation.CancelAsync();
        Scripted.Published last = await script.NextAsync(Next);
        script.Deliver(open.ReplyTo, 7, 1);
        script.Status(last.ReplyTo, "400 Bad Request");

        Assert.Equal(7ul, (await reader.NextAsync()).Sequence);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(reader.NextAsync);
    }

    [Fact]
    public async Task A_fetch_from_a_silent_server_ends()
    {
        await using var script = Scripted.Start();
        await using BrokerConnection connection = (await script.ConnectAsync()).Connection;
        Task<StreamConsumer> found = connection.Streams(new StreamsOptions { RequestTimeout = TimeSpan.FromSeconds(1) }).GetConsumerAsync(Scripted.Stream, Scripted.Consumer, Ended);
        script.AnswerConsumer((await script.NextAsync("CONSUMER.INFO")).ReplyTo);

        Assert.Null(await (await found).NextAsync(TimeSpan.FromMilliseconds(10), Ended));
    }
}
