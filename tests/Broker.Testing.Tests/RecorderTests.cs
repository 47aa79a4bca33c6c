using System.Globalization;
using System.Text;
using Broker.Client;

namespace Broker.Testing.Tests;

public sealed class RecorderTests
{
    private static readonly TimeSpan InVain = TimeSpan.FromMilliseconds(50);

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task It_records_messages_in_order_with_all_their_parts()
    {
        await using TestBroker broker = await TestBroker.StartAsync(cancellationToken: Cancellation);
        await using MessageRecorder recorder = await broker.RecordAsync("orders.*", Cancellation);

        broker.Client.Publish("orders.new", "1"u8, "answers", new MessageHeaders { ["Source"] = "shop" });
        broker.Client.Publish("payments", "2"u8);
        broker.Client.Publish("orders.paid", "3"u8);

        IReadOnlyList<RecordedMessage> came = await recorder.WaitForCountAsync(2, Cancellation);
        Assert.Equal(["orders.new: 1 (reply to answers)", "orders.paid: 3"], came.Select(m => m.ToString()));
        Assert.Equal(("answers", "shop", "1"), (came[0].ReplyTo, came[0].Headers["Source"], Encoding.UTF8.GetString(came[0].Body.Span)));
        Assert.Equal((null, 0), (came[1].ReplyTo, came[1].Headers.Count));
        await recorder.AssertTextsAsync("1", "3");
    }

    [Fact]
    public async Task A_wait_ends_with_the_message_that_it_waits_for()
    {
        await using TestBroker broker = await TestBroker.StartAsync(cancellationToken: Cancellation);
        await using MessageRecorder recorder = await broker.RecordAsync(">", Cancellation);
        Task<RecordedMessage> bySubject = recorder.WaitForAsync("orders.*", cancellationToken: Cancellation);
        Task<RecordedMessage> byText = recorder.WaitForAsync("orders.*", "2", Cancellation);
        Task<RecordedMessage> byPredicate = recorder.WaitForAsync(static m => m.Body.Length > 3, "a long one", Cancellation);
        Assert.False(bySubject.IsCompleted || byText.IsCompleted || byPredicate.IsCompleted);

        broker.Client.Publish("payments", "2"u8);
        broker.Client.Publish("orders.new", "1"u8);
        broker.Client.Publish("orders.new", "2"u8);
        broker.Client.Publish("orders.new", "long"u8);

        Assert.Equal(("1", "2", "long"), ((await bySubject).Text, (await byText).Text, (await byPredicate).Text));
        Assert.Equal("1", (await recorder.WaitForAsync("orders.new", cancellationToken: Cancellation)).Text);
    }

    [Fact]
    public async Task A_failure_shows_what_was_expected_and_what_was_recorded()
    {
        await using TestBroker broker = await TestBroker.StartAsync(cancellationToken: Cancellation);
        broker.WaitTimeout = InVain;
        await using MessageRecorder recorder = await broker.RecordAsync("orders.*", Cancellation);
        broker.WaitTimeout = Wait.Limit;
        await using MessageRecorder patient = await broker.RecordAsync("orders.*", Cancellation);
        await AssertFailsAsync("Expected at least 1 message on 'orders.*' within 0.05 s. Recorded messages: none", () => recorder.WaitForCountAsync(1, Cancellation));
        broker.Client.Publish("orders.new", "1"u8);
        broker.Client.Publish("orders.raw", [1, 2, 0xff]);
        // The other recorder has them too, because it uses the same connection.
        await patient.AssertCountAsync(2, Cancellation);
        const string Came = "Recorded messages:\n  1. orders.new: 1\n  2. orders.raw: 3 bytes 0102FF";

        await AssertFailsAsync($"Expected at least 3 messages on 'orders.*' within 0.05 s. {Came}", () => recorder.WaitForCountAsync(3, Cancellation));
        await AssertFailsAsync($"Expected a message 'orders.paid' on 'orders.*' within 0.05 s. {Came}", () => recorder.WaitForAsync("orders.paid", cancellationToken: Cancellation));
        await AssertFailsAsync($"Expected a message 'orders.new: 2' on 'orders.*' within 0.05 s. {Came}", () => recorder.WaitForAsync("orders.new", "2", Cancellation));
        await AssertFailsAsync($"Expected a refund on 'orders.*' within 0.05 s. {Came}", () => recorder.WaitForAsync(static _ => false, "a refund", Cancellation));
        await AssertFailsAsync($"Expected exactly 1 message on 'orders.*'. {Came}", () => patient.AssertCountAsync(1, Cancellation));
        await AssertFailsAsync($"Expected exactly the texts '1' on 'orders.*'. {Came}", () => patient.AssertTextsAsync("1"));
        await AssertFailsAsync($"Expected exactly the texts '1', '2' on 'orders.*'. {Came}", () => patient.AssertTextsAsync("1", "2"));
    }

    [Fact]
    public async Task An_assertion_without_a_set_time_fails_when_no_message_has_come_for_two_seconds()
    {
        await using TestBroker broker = await TestBroker.StartAsync(cancellationToken: Cancellation);
        await using MessageRecorder recorder = await broker.RecordAsync("orders", Cancellation);
        // eng/suites.sh sets another time, because a busy machine may need it.
        string time = (Environment.GetEnvironmentVariable("BROKER_TESTING_ASSERT_TIMEOUT") ?? "2") + " s";

        await AssertFailsAsync($"Expected at least 1 message on 'orders' within {time}. Recorded messages: none", () => recorder.AssertTextsAsync("1"));
        await AssertFailsAsync($"Expected at least 2 messages on 'orders' within {time}. Recorded messages: none", () => recorder.AssertCountAsync(2, Cancellation));
    }

    [Fact]
    public async Task An_assertion_does_not_wait_for_more_messages_if_one_has_another_text()
    {
        await using TestBroker broker = await TestBroker.StartAsync(cancellationToken: Cancellation);
        broker.WaitTimeout = Timeout.InfiniteTimeSpan;
        await using MessageRecorder recorder = await broker.RecordAsync("orders", Cancellation);
        Task assertion = AssertFailsAsync(
            "Expected exactly the texts '1', '2', '3' on 'orders'. Recorded messages:\n  1. orders: 1\n  2. orders: 3", () => recorder.AssertTextsAsync("1", "2", "3"));

        broker.Client.Publish("orders", "1"u8);
        broker.Client.Publish("orders", "3"u8);

        await Wait.For(assertion);
    }

    [Fact]
    public async Task The_assertion_that_nothing_came_holds_until_a_message_comes()
    {
        await using TestBroker broker = await TestBroker.StartAsync(cancellationToken: Cancellation);
        await using MessageRecorder recorder = await broker.RecordAsync("orders", Cancellation);
        await using BrokerConnection program = await Outside.ConnectAsync(broker.ConnectionString);
        program.Publish("payments", "1"u8);
        await program.FlushAsync(Cancellation);
        await recorder.AssertCountAsync(0, Cancellation);

        program.Publish("orders", "1"u8);
        await program.FlushAsync(Cancellation);

        await AssertFailsAsync("Expected exactly 0 messages on 'orders'. Recorded messages:\n  1. orders: 1", () => recorder.AssertCountAsync(0, Cancellation));
        recorder.Clear();
        await recorder.AssertCountAsync(0, Cancellation);
    }

    [Fact]
    public async Task Long_lists_and_long_texts_are_truncated_in_failures()
    {
        await using TestBroker broker = await TestBroker.StartAsync(cancellationToken: Cancellation);
        await using MessageRecorder recorder = await broker.RecordAsync("a", Cancellation);
        broker.Client.Publish("a", Encoding.UTF8.GetBytes(new string('x', 300)));
        for (int i = 0; i < 24; i++)
        {
            broker.Client.Publish("a", Encoding.UTF8.GetBytes(i.ToString(CultureInfo.InvariantCulture)));
        }

        await recorder.WaitForCountAsync(25, Cancellation);
        ExpectationException failure = await Assert.ThrowsAsync<ExpectationException>(() => recorder.AssertTextsAsync());

        Assert.Contains($"  1. a: {new string('x', 200)}… (300 characters)\n", failure.Message, StringComparison.Ordinal);
        Assert.EndsWith("\n  20. a: 18\n  and 5 more", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Too_many_messages_fail_every_expectation()
    {
        await using TestBroker broker = await TestBroker.StartAsync(cancellationToken: Cancellation);
        await using MessageRecorder recorder = await broker.RecordAsync("a", Cancellation);
        for (int i = 0; i <= MessageRecorder.MaxMessages; i++)
        {
            await broker.Client.PublishAsync("a", default, cancellationToken: Cancellation);
        }

        await broker.Client.FlushAsync(Cancellation);

        ExpectationException failure = await Assert.ThrowsAsync<ExpectationException>(() => recorder.AssertCountAsync(MessageRecorder.MaxMessages, Cancellation));
        Assert.StartsWith("More messages came on 'a' than a recorder stores (100000 messages", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_disposed_recorder_keeps_its_messages_and_records_no_more()
    {
        await using TestBroker broker = await TestBroker.StartAsync(cancellationToken: Cancellation);
        MessageRecorder recorder = await MessageRecorder.StartAsync(broker.Client, "a", cancellationToken: Cancellation);
        broker.Client.Publish("a", "1"u8);
        await recorder.AssertTextsAsync("1");

        await recorder.DisposeAsync();

        broker.Client.Publish("a", "2"u8);
        await broker.Client.FlushAsync(Cancellation);
        await recorder.AssertTextsAsync("1");
    }

    [Fact]
    public async Task A_wait_can_be_cancelled()
    {
        await using TestBroker broker = await TestBroker.StartAsync(cancellationToken: Cancellation);
        await using MessageRecorder recorder = await broker.RecordAsync("a", Cancellation);
        using var cancelled = new CancellationTokenSource();
        Task wait = recorder.WaitForCountAsync(1, cancelled.Token);

        await cancelled.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => wait);
        await broker.DisposeAsync();
        await Assert.ThrowsAsync<ConnectionLostException>(() => recorder.AssertCountAsync(0, Cancellation));
    }

    private static async Task AssertFailsAsync(string text, Func<Task> expectation)
        => Assert.Equal(text, (await Assert.ThrowsAsync<ExpectationException>(expectation)).Message);
}
