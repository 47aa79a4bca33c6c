using System.Text.Json;
using Broker.Client.Streams.Tests.Support;

namespace Broker.Client.Streams.Tests.Consumers;

/// <summary>Statuses and losses that real servers send at times that a test cannot choose: reading in order.</summary>
public sealed class OrderedScriptedTests
{
    private const string Create = "CONSUMER.CREATE";

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_reader_begins_again_after_a_gap_that_is_found_after_its_queue()
    {
        await using var script = Scripted.Start();
        using StreamsClient streams = await script.ConnectAsync();
        await using var reader = new Reader(streams.ReadOrderedAsync(Scripted.Stream, cancellationToken: Ended));
        Scripted.Published created = await script.NextAsync(Create);
        script.AnswerConsumer(created.ReplyTo);
        script.Deliver(InboxOf(created), 10, 1);
        script.Deliver(InboxOf(created), 12, 3);

        Assert.Equal(10ul, (await reader.NextAsync()).Sequence);
        reader.MoveOn();
        created = await script.NextAsync(Create);
        Assert.Contains("\"opt_start_seq\":11", created.Body, StringComparison.Ordinal);
        script.AnswerConsumer(created.ReplyTo, "other");
        script.Deliver(InboxOf(created), 11, 1);

        Assert.Equal(11ul, (await reader.NextAsync()).Sequence);
    }

    [Fact]
    public async Task A_reader_begins_again_if_a_heartbeat_tells_of_a_lost_message_or_is_missed()
    {
        await using var script = Scripted.Start();
        using StreamsClient streams = await script.ConnectAsync();
        await using var reader = new Reader(
            streams.ReadOrderedAsync(Scripted.Stream, new OrderedOptions { IdleHeartbeat = TimeSpan.FromMilliseconds(500) }, Ended));
        Scripted.Published created = await script.NextAsync(Create);
        script.AnswerConsumer(created.ReplyTo);
        script.Status(InboxOf(created), "100 Idle Heartbeat", "Nats-Last-Consumer: 1\r\nNats-Last-Stream: 9\r\n");
        script.AnswerConsumer((await script.NextAsync(Create)).ReplyTo, "second");

        // No heartbeat comes, so the reader creates another consumer.
        StreamMessage read = await script.ServeAsync(
            Create,
            request =>
            {
                script.AnswerConsumer(request.ReplyTo, "third");
                script.Deliver(InboxOf(request), 9, 1);
            },
            reader.NextAsync());
        Assert.Equal(9ul, read.Sequence);
    }

    [Fact]
    public async Task Flow_control_is_answered_when_the_messages_before_it_have_been_read()
    {
        await using var script = Scripted.Start();
        using StreamsClient streams = await script.ConnectAsync();
        await using var reader = new Reader(
            streams.ReadOrderedAsync(Scripted.Stream, new OrderedOptions { IdleHeartbeat = TimeSpan.FromHours(1) }, Ended));
        Scripted.Published created = await script.NextAsync(Create);
        script.AnswerConsumer(created.ReplyTo);
        script.Deliver(InboxOf(created), 1, 1);
        script.Status(InboxOf(created), "100 FlowControl Request", answerTo: "$JS.FC.1");
        script.Status(InboxOf(created), "100 Idle Heartbeat", "Nats-Consumer-Stalled: $JS.FC.2\r\n");
        await reader.NextAsync();
        // The client has received all of it, and the message is still in the reader's hands.
        await streams.Connection.PingAsync(Ended);
        await streams.Connection.PingAsync(Ended);
        Assert.False(script.Has(static p => p.Subject.StartsWith("$JS.FC.", StringComparison.Ordinal)));

        reader.MoveOn();

        await script.TakeAsync(static p => p.Subject == "$JS.FC.1", "the answer of a request");
        await script.TakeAsync(static p => p.Subject == "$JS.FC.2", "the answer of a lost request");
        script.Deliver(InboxOf(created), 2, 2);
        Assert.Equal(2ul, (await reader.NextAsync()).Sequence);
    }

    private static string InboxOf(Scripted.Published request)
        => JsonDocument.Parse(request.Body).RootElement.GetProperty("config").GetProperty("deliver_subject").GetString()!;
}
