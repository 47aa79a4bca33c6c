using System.Collections.Concurrent;
using System.Text;
using System.Text.Json;
using System.Threading.Channels;
using Broker.Client;
using Broker.Streams.Tests.Simulation;

namespace Broker.Streams.Tests.Api;

public sealed class ConsumerTests
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("""{"ack_policy":"some"}""", 10025, "'some'")]
    [InlineData("""{"deliver_policy":"some"}""", 10025, "'some'")]
    [InlineData("""{"replay_policy":"original"}""", 10012, "'original'")]
    [InlineData("""{"rate_limit_bps":1,"deliver_subject":"out"}""", 10012, "'rate_limit_bps'")]
    [InlineData("""{"sample_freq":"10"}""", 10012, "'sample_freq'")]
    [InlineData("""{"priority_policy":"overflow"}""", 10012, "'priority_policy'")]
    [InlineData("""{"priority_groups":["a"]}""", 10012, "'priority_groups'")]
    [InlineData("""{"num_replicas":3}""", 10074, "replicas")]
    [InlineData("""{"no_such_field":1}""", 10025, "no_such_field")]
    [InlineData("""{"durable_name":"D"}""", 10017, "does not match")]
    [InlineData("""{"filter_subject":"a..b"}""", 10052, "invalid subject")]
    [InlineData("""{"filter_subject":"s.a","filter_subjects":["s.b"]}""", 10136, "both")]
    [InlineData("""{"filter_subjects":["s.*","s.a"]}""", 10138, "overlap")]
    [InlineData("""{"deliver_policy":"by_start_sequence"}""", 10094, "start sequence")]
    [InlineData("""{"deliver_policy":"last_per_subject"}""", 10094, "filter")]
    [InlineData("""{"backoff":[1000,2000],"max_deliver":1}""", 10116, "backoff")]
    [InlineData("""{"idle_heartbeat":1000000000}""", 10088, "push")]
    [InlineData("""{"flow_control":true}""", 10089, "push")]
    [InlineData("""{"deliver_subject":"s.a"}""", 10081, "cycle")]
    [InlineData("""{"deliver_subject":"a.*"}""", 10079, "wildcards")]
    public async Task A_configuration_that_is_not_supported_is_refused_by_name(string config, int code, string text)
    {
        await using ApiSite site = await ApiSite.StartAsync();
        await site.CreateAsync("S", "\"subjects\":[\"s.>\"]");

        JsonElement answer = await site.CallAsync("CONSUMER.CREATE.S.C", $$"""{"stream_name":"S","config":{{config}}}""");

        Assert.Equal(code, ApiSite.CodeOf(answer));
        Assert.Contains(text, answer.GetProperty("error").GetProperty("description").GetString(), StringComparison.Ordinal);
        Assert.Equal(10014, ApiSite.CodeOf(await site.CallAsync("CONSUMER.INFO.S.C")));
    }

    [Fact]
    public async Task A_push_consumer_moves_to_another_subject_when_nobody_receives_its_messages()
    {
        await using ApiSite site = await ApiSite.StartAsync();
        await site.CreateAsync("S");
        const string Config = "\"durable_name\":\"C\",\"ack_policy\":\"explicit\",\"deliver_subject\":\"{0}\"";
        string Request(string to) => $$$"""{"stream_name":"S","config":{{{{Config.Replace("{0}", to, StringComparison.Ordinal)}}}}}""";
        await CreateAsync(site, Config.Replace("{0}", "one", StringComparison.Ordinal));
        using (Subscription first = site.Connection.Subscribe("one", static (in _) => { }))
        {
            await site.Connection.FlushAsync(cancellationToken: TestContext.Current.CancellationToken);

            Assert.Equal(10013, ApiSite.CodeOf(await site.CallAsync("CONSUMER.CREATE.S.C", Request("two"))));
        }

        var received = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        site.Connection.Subscribe("two", (in message) => received.TrySetResult(message.Text));
        await site.Connection.FlushAsync(cancellationToken: TestContext.Current.CancellationToken);

        Assert.Equal(0, ApiSite.CodeOf(await site.CallAsync("CONSUMER.CREATE.S.C", Request("two"))));
        await site.PublishAsync("S", "moved");
        Assert.Equal("moved", await received.Task.WaitAsync(Wait.Limit, TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task A_push_consumer_goes_on_when_flow_control_is_answered_after_the_window_was_overfilled()
    {
        const int Messages = 400;
        // The third read of 256 KiB begins before the window of 512 KiB is full.
        const int Overfilled = 180;
        await using ApiSite site = await ApiSite.StartAsync();
        await site.CreateAsync("S");
        string body = new('x', 4000);
        for (int i = 0; i < Messages; i++)
        {
            await site.PublishAsync("S", body);
        }

        int received = 0;
        var flows = Channel.CreateUnbounded<string>();
        site.Connection.Subscribe("push", (in MessageView message) =>
        {
            if (message.ReplyTo.StartsWith("$JS.FC."u8))
            {
                flows.Writer.TryWrite(Encoding.UTF8.GetString(message.ReplyTo));
            }
            else if (!message.Body.IsEmpty)
            {
                Interlocked.Increment(ref received);
            }
        });
        await site.Connection.FlushAsync(Ended);
        await CreateAsync(site, "\"ack_policy\":\"none\",\"deliver_subject\":\"push\",\"flow_control\":true,\"idle_heartbeat\":1000000000");
        await Wait.UntilAsync(() => Volatile.Read(ref received) >= Overfilled);
        var answers = Task.Run(
            async () =>
            {
                await foreach (string flow in flows.Reader.ReadAllAsync(Ended))
                {
                    site.Connection.Publish(flow, default(ReadOnlySpan<byte>));
                }
            },
            Ended);

        await Wait.UntilAsync(() => Volatile.Read(ref received) == Messages);
        flows.Writer.Complete();
        await answers;
    }

    [Fact]
    public async Task The_progress_of_a_consumer_is_there_after_a_restart()
    {
        var disk = new SimulatedDisk();
        await using (ApiSite site = await ApiSite.StartAsync(disk))
        {
            await site.CreateAsync("S");
            await CreateAsync(site, "\"durable_name\":\"C\",\"ack_policy\":\"explicit\"");
            await PublishAsync(site, 5);
            Message[] messages = await FetchAsync(site, 4);
            await site.RequestAsync(messages[0].ReplyTo!, "+ACK");
            await site.RequestAsync(messages[2].ReplyTo!, "+ACK");
        }

        await using ApiSite again = await ApiSite.StartAsync(disk);
        JsonElement info = await again.CallAsync("CONSUMER.INFO.S.C");

        Assert.Equal((4, 4), PairOf(info.GetProperty("delivered")));
        Assert.Equal((1, 1), PairOf(info.GetProperty("ack_floor")));
        Assert.Equal((2, 1), (info.GetProperty("num_ack_pending").GetInt32(), info.GetProperty("num_pending").GetInt32()));
        Assert.Equal("5", TextOf((await FetchAsync(again, 1))[0]));
    }

    [Fact]
    public async Task A_consumer_with_more_pending_messages_than_fit_into_a_group_can_change_and_pause()
    {
        var disk = new SimulatedDisk();
        var options = new StoreOptions { SegmentBytes = 64 * 1024, MaxPendingBytes = 16 * 1024 };
        await using (ApiSite site = await ApiSite.StartAsync(disk, options))
        {
            await site.CreateAsync("S");
            await CreateAsync(site, "\"durable_name\":\"C\",\"ack_policy\":\"explicit\",\"max_ack_pending\":-1,\"ack_wait\":3600000000000");
            await PublishAsync(site, 1000);
            for (int i = 0; i < 5; i++)
            {
                // The confirmation says that the deliveries so far are on the disk.
                Message[] messages = await FetchAsync(site, 200);
                await site.RequestAsync(messages[^1].ReplyTo!, "+WPI");
            }

            await CreateAsync(site, "\"durable_name\":\"C\",\"ack_policy\":\"explicit\",\"max_ack_pending\":-1,\"ack_wait\":3600000000000,\"description\":\"new\"");
            Assert.Equal(0, ApiSite.CodeOf(await site.CallAsync("CONSUMER.PAUSE.S.C", "{\"pause_until\":\"2999-01-01T00:00:00Z\"}")));
        }

        await using ApiSite again = await ApiSite.StartAsync(disk, options);
        JsonElement info = await again.CallAsync("CONSUMER.INFO.S.C");

        Assert.Equal((1000, 1000), PairOf(info.GetProperty("delivered")));
        Assert.Equal((1000, true), (info.GetProperty("num_ack_pending").GetInt32(), info.GetProperty("paused").GetBoolean()));
        Assert.Equal("new", info.GetProperty("config").GetProperty("description").GetString());
    }

    [Fact]
    public async Task The_progress_survives_the_deletion_of_the_segments_that_it_was_written_to()
    {
        var disk = new SimulatedDisk();
        var options = new StoreOptions { SegmentBytes = 64 * 1024, MaxPendingBytes = 16 * 1024 };
        await using (ApiSite site = await ApiSite.StartAsync(disk, options))
        {
            await site.CreateAsync("S", "\"max_msgs\":3");
            await CreateAsync(site, "\"durable_name\":\"C\",\"ack_policy\":\"explicit\"");
            for (int i = 0; i < 100; i++)
            {
                await site.PublishAsync("S", new string('x', 4000));
                Message message = (await FetchAsync(site, 1))[0];
                await site.RequestAsync(message.ReplyTo!, "+ACK");
            }
        }

        Assert.InRange(disk.Files.Keys.Count(static name => name.EndsWith(".log", StringComparison.Ordinal)), 1, 3);
        await using ApiSite again = await ApiSite.StartAsync(disk, options);
        JsonElement info = await again.CallAsync("CONSUMER.INFO.S.C");
        Assert.Equal((100, 100), PairOf(info.GetProperty("ack_floor")));
    }

    [Fact]
    public async Task Each_kind_of_acknowledgement_has_its_effect()
    {
        await using ApiSite site = await ApiSite.StartAsync();
        await site.CreateAsync("S");
        await CreateAsync(site, "\"durable_name\":\"C\",\"ack_policy\":\"explicit\",\"max_deliver\":2");
        await PublishAsync(site, 4);
        Message[] messages = await FetchAsync(site, 3);

        await site.RequestAsync(messages[0].ReplyTo!, "-NAK");
        await site.RequestAsync(messages[1].ReplyTo!, "+TERM no use");
        Message next = (await ReceiveAsync(site, messages[2].ReplyTo!, "+NXT", 1))[0];
        Assert.Equal("1", TextOf(next));
        Assert.Contains(".S.C.2.1.4.", next.ReplyTo, StringComparison.Ordinal);
        await site.RequestAsync(next.ReplyTo!, "-NAK {\"delay\":1000000}");

        // The message was delivered as often as allowed, so the consumer forgets it.
        await Wait.UntilAsync(async () => (await site.CallAsync("CONSUMER.INFO.S.C")).GetProperty("num_ack_pending").GetInt32() == 0);
        Assert.Equal("4", TextOf((await FetchAsync(site, 1))[0]));
        Assert.Equal(4, (await site.StateAsync("S")).GetProperty("messages").GetInt32());
    }

    [Fact]
    public async Task A_message_that_is_not_acknowledged_comes_again_by_the_backoff()
    {
        await using ApiSite site = await ApiSite.StartAsync();
        await site.CreateAsync("S");
        await CreateAsync(site, "\"durable_name\":\"C\",\"ack_policy\":\"explicit\",\"backoff\":[20000000,30000000],\"max_deliver\":3");
        await PublishAsync(site, 1);

        string[] replies = [(await FetchAsync(site, 1))[0].ReplyTo!, (await FetchAsync(site, 1))[0].ReplyTo!, (await FetchAsync(site, 1))[0].ReplyTo!];

        Assert.Equal([".S.C.1.1.1.", ".S.C.2.1.2.", ".S.C.3.1.3."], replies.Select(static reply => reply["$JS.ACK".Length..][..11]));
    }

    [Fact]
    public async Task A_work_queue_deletes_what_is_acknowledged_also_after_a_restart()
    {
        var disk = new SimulatedDisk();
        await using (ApiSite site = await ApiSite.StartAsync(disk))
        {
            await site.CreateAsync("S", "\"retention\":\"workqueue\"");
            Assert.Equal(10084, ApiSite.CodeOf(await site.CallAsync("CONSUMER.CREATE.S.C", """{"stream_name":"S","config":{"ack_policy":"none"}}""")));
            await CreateAsync(site, "\"durable_name\":\"C\",\"ack_policy\":\"explicit\"");
            Assert.Equal(10099, ApiSite.CodeOf(await site.CallAsync("CONSUMER.CREATE.S.D", """{"stream_name":"S","config":{"ack_policy":"explicit"}}""")));
            await PublishAsync(site, 3);
            Message[] messages = await FetchAsync(site, 3);
            await site.RequestAsync(messages[1].ReplyTo!, "+ACK");
            await Wait.UntilAsync(async () => (await site.StateAsync("S")).GetProperty("messages").GetInt32() == 2);
        }

        await using ApiSite again = await ApiSite.StartAsync(disk);
        Assert.Equal(2, (await again.StateAsync("S")).GetProperty("messages").GetInt32());
    }

    [Fact]
    public async Task A_stream_of_interest_keeps_a_message_until_all_consumers_have_acknowledged_it()
    {
        await using ApiSite site = await ApiSite.StartAsync();
        await site.CreateAsync("S", "\"retention\":\"interest\"");
        Assert.Equal(1, await site.PublishAsync("S", "nobody"));
        await CreateAsync(site, "\"durable_name\":\"C\",\"ack_policy\":\"explicit\"");
        await CreateAsync(site, "\"durable_name\":\"D\",\"ack_policy\":\"explicit\"", "D");
        await PublishAsync(site, 1);
        await site.RequestAsync((await FetchAsync(site, 1))[0].ReplyTo!, "+ACK");
        Assert.Equal(1, (await site.StateAsync("S")).GetProperty("messages").GetInt32());

        await site.RequestAsync((await FetchAsync(site, 1, "D"))[0].ReplyTo!, "+ACK");

        await Wait.UntilAsync(async () => (await site.StateAsync("S")).GetProperty("messages").GetInt32() == 0);
    }

    [Fact]
    public async Task A_stream_of_interest_deletes_what_was_delivered_without_acknowledgements()
    {
        await using ApiSite site = await ApiSite.StartAsync();
        await site.CreateAsync("S", "\"retention\":\"interest\"");
        await CreateAsync(site, "\"durable_name\":\"C\",\"ack_policy\":\"none\"");
        await PublishAsync(site, 2);

        await FetchAsync(site, 1);

        await Wait.UntilAsync(async () => (await site.StateAsync("S")).GetProperty("first_seq").GetInt32() == 2);
    }

    [Theory]
    [InlineData("""{"no_wait":true}""", "404 No Messages")]
    [InlineData("""{"batch":9}""", "409 Exceeded MaxRequestBatch of 8")]
    [InlineData("""{"expires":1000000,"idle_heartbeat":900000}""", "400 Bad Request - heartbeat value too large")]
    [InlineData("""{"expires":1000000}""", "408 Request Timeout")]
    [InlineData("""{"group":"a"}""", "400 Bad Request - 'group' is not supported")]
    [InlineData("""{"batch":""", "400 Bad Request - the request is not valid JSON")]
    public async Task A_request_that_gets_no_message_gets_a_status(string body, string status)
    {
        await using ApiSite site = await ApiSite.StartAsync();
        await site.CreateAsync("S");
        await CreateAsync(site, "\"durable_name\":\"C\",\"ack_policy\":\"explicit\",\"max_batch\":8");

        Message answer = await site.RequestAsync("$JS.API.CONSUMER.MSG.NEXT.S.C", body);

        Assert.StartsWith($"NATS/1.0 {status}\r\n", Encoding.UTF8.GetString(answer.Headers.Span), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_request_that_does_not_wait_gets_what_is_there_and_then_a_status()
    {
        await using ApiSite site = await ApiSite.StartAsync();
        await site.CreateAsync("S");
        await CreateAsync(site, "\"durable_name\":\"C\",\"ack_policy\":\"explicit\"");
        await PublishAsync(site, 2);

        Message[] received = await ReceiveAsync(site, "$JS.API.CONSUMER.MSG.NEXT.S.C", """{"batch":5,"no_wait":true}""", 3);

        Assert.Equal(["1", "2"], received[..2].Select(TextOf));
        Assert.StartsWith("NATS/1.0 404 No Messages\r\n\r\n", Encoding.UTF8.GetString(received[2].Headers.Span), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_consumer_that_does_not_exist_has_no_responder_and_a_deleted_one_ends_its_requests()
    {
        await using ApiSite site = await ApiSite.StartAsync();
        await site.CreateAsync("S");
        await Assert.ThrowsAsync<NoRespondersException>(() => site.RequestAsync("$JS.API.CONSUMER.MSG.NEXT.S.C"));
        await CreateAsync(site, "\"durable_name\":\"C\",\"ack_policy\":\"explicit\"");
        Task<Message> waiting = site.RequestAsync("$JS.API.CONSUMER.MSG.NEXT.S.C");
        await Wait.UntilAsync(async () => (await site.CallAsync("CONSUMER.INFO.S.C")).GetProperty("num_waiting").GetInt32() == 1);

        await site.CallAsync("CONSUMER.DELETE.S.C");

        Assert.StartsWith("NATS/1.0 409 Consumer Deleted", Encoding.UTF8.GetString((await waiting).Headers.Span), StringComparison.Ordinal);
    }

    private static async Task CreateAsync(ApiSite site, string config, string name = "C")
    {
        JsonElement answer = await site.CallAsync($"CONSUMER.CREATE.S.{name}", $$$"""{"stream_name":"S","config":{{{{config}}}}}""");
        Assert.False(answer.TryGetProperty("error", out JsonElement error), error.ToString());
    }

    private static async Task PublishAsync(ApiSite site, int count)
    {
        for (int i = 1; i <= count; i++)
        {
            await site.PublishAsync("S", $"{i}");
        }
    }

    private static Task<Message[]> FetchAsync(ApiSite site, int count, string name = "C")
        => ReceiveAsync(site, $"$JS.API.CONSUMER.MSG.NEXT.S.{name}", $"{count}", count);

    // Messages of a stream have the subject of the stream, so they need an inbox of their own.
    private static async Task<Message[]> ReceiveAsync(ApiSite site, string subject, string body, int count)
    {
        var received = new ConcurrentQueue<Message>();
        string inbox = BrokerConnection.NewInbox("c");
        await using HandlerBinding binding = site.Connection.Subscribe(inbox, (Message message) => received.Enqueue(message));
        await site.Connection.PublishAsync(subject, body, inbox, cancellationToken: Ended);
        await Wait.UntilAsync(() => received.Count >= count);
        return [.. received];
    }

    private static string TextOf(Message message) => Encoding.UTF8.GetString(message.Body.Span);

    private static (int Stream, int Consumer) PairOf(JsonElement pair) => (pair.GetProperty("stream_seq").GetInt32(), pair.GetProperty("consumer_seq").GetInt32());
}
