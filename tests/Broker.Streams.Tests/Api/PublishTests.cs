using System.Text;
using System.Text.Json;
using System.Threading.Channels;
using Broker.Client;
using Broker.Streams.Tests.Simulation;

namespace Broker.Streams.Tests.Api;

public sealed class PublishTests
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("Nats-Expected-Stream: other", 10060)]
    [InlineData("Nats-Expected-Last-Sequence: 7", 10071)]
    [InlineData("nats-expected-last-sequence: 7", 10071)]
    [InlineData("Nats-Expected-Last-Subject-Sequence: 0", 10071)]
    [InlineData("Nats-Expected-Last-Subject-Sequence: 1;Nats-Expected-Last-Subject-Sequence-Subject: s.b", 10071)]
    [InlineData("Nats-Expected-Last-Msg-Id: other", 10070)]
    [InlineData("Nats-Expected-Last-Sequence: x", 10071)]
    [InlineData("Nats-Rollup: all", 10111)]
    [InlineData("Nats-TTL: 1s", 10166)]
    [InlineData("Nats-TTL: 1d", 10165)]
    [InlineData("Nats-Batch-Id: a", 10174)]
    [InlineData("Nats-Incr: +1", 10168)]
    [InlineData("Nats-Schedule: @at 2030-01-01T00:00:00Z", 10188)]
    public async Task A_message_with_a_wrong_expectation_or_an_unsupported_header_is_refused(string headers, int code)
    {
        await using ApiSite site = await ApiSite.StartAsync();
        await site.CreateAsync("S", "\"subjects\":[\"s.>\"]");
        await site.PublishAsync("s.a", "", "Nats-Msg-Id: m");

        Assert.Equal(-code, await site.PublishAsync("s.a", "", headers));
        Assert.Equal(1, (await site.StateAsync("S")).GetProperty("messages").GetInt64());
        Assert.Equal(2, await site.PublishAsync("s.a", "", "Nats-Expected-Stream: S;Nats-Expected-Last-Sequence: 1;Nats-Expected-Last-Msg-Id: m;Nats-Expected-Last-Subject-Sequence: 1"));
    }

    [Theory]
    [InlineData("a: b;Nats-Request-Info: {}", "NATS/1.0\r\na: b\r\n\r\n")]
    [InlineData("nats-request-info: {};a: b;Nats-Request-Info:", "NATS/1.0\r\na: b\r\n\r\n")]
    [InlineData("Nats-Request-Info: {}", "")]
    [InlineData("Nats-Request-Infos: {}", "NATS/1.0\r\nNats-Request-Infos: {}\r\n\r\n")]
    public async Task A_stored_message_does_not_have_the_header_that_an_import_of_the_service_has_added(string headers, string expected)
    {
        await using ApiSite site = await ApiSite.StartAsync();
        await site.CreateAsync("S");

        await site.PublishAsync("S", "body", headers);

        JsonElement message = (await site.CallAsync("STREAM.MSG.GET.S", "{\"seq\":1}")).GetProperty("message");
        string stored = message.TryGetProperty("hdrs", out JsonElement block) ? Encoding.UTF8.GetString(block.GetBytesFromBase64()) : "";
        Assert.Equal((expected, "body"), (stored, Encoding.UTF8.GetString(message.GetProperty("data").GetBytesFromBase64())));
    }

    [Fact]
    public async Task An_expectation_counts_messages_that_wait_for_the_disk()
    {
        await using ApiSite site = await ApiSite.StartAsync();
        await site.CreateAsync("S");

        Task<long>[] all = [.. Enumerable.Range(0, 200).Select(i => site.PublishAsync("S", "", $"Nats-Expected-Last-Sequence: {i};Nats-Expected-Last-Subject-Sequence: {i}"))];

        Assert.Equal(Enumerable.Range(1, 200).Select(static i => (long)i), await Task.WhenAll(all));
    }

    [Fact]
    public async Task A_message_and_its_duplicate_are_acknowledged_after_the_sync_and_not_before()
    {
        var disk = new SimulatedDisk();
        await using ApiSite site = await ApiSite.StartAsync(disk);
        await site.CreateAsync("S");
        using var goOn = new ManualResetEventSlim();
        using var reached = new SemaphoreSlim(0);
        disk.Before = what =>
        {
            if (what == "sync log" && !goOn.IsSet)
            {
                reached.Release();
                goOn.Wait(Wait.Limit, Ended);
            }
        };

        Task<Message> first = site.RequestAsync("S", "", "Nats-Msg-Id: m");
        await reached.WaitAsync(Ended);
        Task<Message> duplicate = site.RequestAsync("S", "", "Nats-Msg-Id: m");
        JsonElement state = await site.StateAsync("S");

        Assert.False(first.IsCompleted || duplicate.IsCompleted);
        Assert.Equal(0, state.GetProperty("messages").GetInt64());
        goOn.Set();
        Assert.Equal("""{"stream":"S","seq":1}""", Encoding.UTF8.GetString((await first).Body.Span));
        Assert.Equal("""{"stream":"S","seq":1,"duplicate":true}""", Encoding.UTF8.GetString((await duplicate).Body.Span));
    }

    [Fact]
    public async Task Duplicates_and_the_last_id_are_known_after_a_restart()
    {
        var disk = new SimulatedDisk();
        await using (ApiSite site = await ApiSite.StartAsync(disk))
        {
            await site.CreateAsync("S");
            await site.PublishAsync("S", "1", "Nats-Msg-Id: one");
            await site.PublishAsync("S", "2", "Nats-Msg-Id: two");
        }

        await using ApiSite again = await ApiSite.StartAsync(disk);

        Assert.Equal(1, await again.PublishAsync("S", "1", "Nats-Msg-Id: one"));
        Assert.Equal(-10070, await again.PublishAsync("S", "3", "Nats-Expected-Last-Msg-Id: one"));
        Assert.Equal(3, await again.PublishAsync("S", "3", "Nats-Expected-Last-Msg-Id: two"));
        Assert.Equal(3, (await again.StateAsync("S")).GetProperty("messages").GetInt64());
    }

    [Fact]
    public async Task A_start_reads_no_message_without_headers()
    {
        var disk = new SimulatedDisk();
        await using (ApiSite site = await ApiSite.StartAsync(disk))
        {
            await site.CreateAsync("S");
            await site.PublishAsync("S", "1", "Nats-Msg-Id: one");
            for (int i = 0; i < 200; i++)
            {
                await site.PublishAsync("S");
            }
        }

        int reads = 0;
        disk.Fails = what =>
        {
            reads += what is "read log" ? 1 : 0;
            return false;
        };
        await using ApiSite again = await ApiSite.StartAsync(disk);

        Assert.InRange(reads, 1, 100);
        Assert.Equal(1, await again.PublishAsync("S", "1", "Nats-Msg-Id: one"));
    }

    [Fact]
    public async Task A_full_stream_refuses_or_discards_as_it_is_configured()
    {
        await using ApiSite site = await ApiSite.StartAsync();
        await site.CreateAsync("OLD", "\"subjects\":[\"old.>\"],\"max_msgs\":2");
        await site.CreateAsync("NEW", "\"subjects\":[\"new.>\"],\"max_msgs\":2,\"max_msgs_per_subject\":1,\"discard\":\"new\"");
        await site.CreateAsync("EACH", "\"subjects\":[\"each.>\"],\"max_msgs_per_subject\":1,\"discard\":\"new\",\"discard_new_per_subject\":true");
        await site.CreateAsync("SIZE", "\"subjects\":[\"size.>\"],\"max_msg_size\":10");

        Assert.Equal(new[] { 1L, 2L, 3L }, await Task.WhenAll(site.PublishAsync("old.a"), site.PublishAsync("old.a"), site.PublishAsync("old.a")));
        Assert.Equal(new[] { 1L, 2L, -10077L, 3L }, await Task.WhenAll(site.PublishAsync("new.a"), site.PublishAsync("new.b"), site.PublishAsync("new.c"), site.PublishAsync("new.a")));
        Assert.Equal(new[] { 1L, -10077L, 2L }, await Task.WhenAll(site.PublishAsync("each.a"), site.PublishAsync("each.a"), site.PublishAsync("each.b")));
        Assert.Equal(new[] { 1L, -10054L }, await Task.WhenAll(site.PublishAsync("size.a", "0123456789"), site.PublishAsync("size.a", "0123456789a")));
        Assert.Equal((2, 2), ((await site.StateAsync("OLD")).GetProperty("messages").GetInt32(), (await site.StateAsync("NEW")).GetProperty("messages").GetInt32()));
    }

    [Fact]
    public async Task A_roll_up_replaces_the_messages_before_it_also_after_a_restart()
    {
        var disk = new SimulatedDisk();
        await using (ApiSite site = await ApiSite.StartAsync(disk))
        {
            await site.CreateAsync("S", "\"subjects\":[\"s.>\"],\"allow_rollup_hdrs\":true,\"allow_direct\":true");
            await site.PublishAsync("s.a");
            await site.PublishAsync("s.b");
            await site.PublishAsync("s.a", "rolled", "Nats-Rollup: sub");
            Assert.Equal(2, (await site.StateAsync("S")).GetProperty("messages").GetInt64());
            Assert.Equal(-10111, await site.PublishAsync("s.a", "", "Nats-Rollup: some"));
        }

        await using ApiSite again = await ApiSite.StartAsync(disk);
        JsonElement state = (await again.CallAsync("STREAM.INFO.S", """{"subjects_filter":">","deleted_details":true}""")).GetProperty("state");
        Assert.Equal("""{"s.a":1,"s.b":1}""", state.GetProperty("subjects").GetRawText());
        Assert.Equal(2, state.GetProperty("first_seq").GetInt64());
        Assert.Equal("rolled", Encoding.UTF8.GetString((await again.RequestAsync("$JS.API.DIRECT.GET.S.s.a")).Body.Span));
        await again.PublishAsync("s.c", "", "Nats-Rollup: all");
        Assert.Equal(1, (await again.StateAsync("S")).GetProperty("messages").GetInt64());
    }

    [Fact]
    public async Task A_message_that_does_not_fit_on_the_disk_is_refused_and_its_id_can_be_used_again()
    {
        var disk = new SimulatedDisk();
        await using ApiSite site = await ApiSite.StartAsync(disk, new StoreOptions { SegmentBytes = 64 * 1024, MaxPendingBytes = 16 * 1024 });
        await site.CreateAsync("S");
        disk.Fails = static what => what == "create tmp";
        long last = 0;
        for (long sequence = await site.PublishAsync("S", new string('x', 8000)); sequence > 0; sequence = await site.PublishAsync("S", new string('x', 8000), $"Nats-Msg-Id: {last}"))
        {
            last = sequence;
        }

        Assert.Equal(-10077, await site.PublishAsync("S", new string('x', 8000), $"Nats-Msg-Id: {last}"));
        disk.Fails = static _ => false;

        Assert.InRange(await site.PublishAsync("S", new string('x', 8000), $"Nats-Msg-Id: {last}"), last + 1, last + 10);
        Assert.Equal(last + 1, (await site.StateAsync("S")).GetProperty("messages").GetInt64());
    }

    [Fact]
    public async Task A_stream_without_acknowledgements_answers_nothing()
    {
        await using ApiSite site = await ApiSite.StartAsync();
        await site.CreateAsync("S", "\"no_ack\":true,\"subjects\":[\"s\"]");
        await site.CreateAsync("T", "\"subjects\":[\"t\"]");
        var received = Channel.CreateUnbounded<string>();
        await using HandlerBinding inbox = site.Connection.Subscribe("answers", (Message message) => { received.Writer.TryWrite(Encoding.UTF8.GetString(message.Body.Span)); });
        await site.Connection.PublishAsync("s", ReadOnlyMemory<byte>.Empty, "answers", cancellationToken: Ended);
        await Wait.UntilAsync(async () => (await site.StateAsync("S")).GetProperty("messages").GetInt32() == 1);
        await site.PublishAsync("t");
        await site.Connection.PublishAsync("answers", "end", cancellationToken: Ended);

        Assert.Equal("end", await received.Reader.ReadAsync(Ended));
    }
}
