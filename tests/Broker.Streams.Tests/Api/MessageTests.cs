using System.Text;
using System.Text.Json;
using Broker.Client;
using Broker.Streams.Tests.Simulation;

namespace Broker.Streams.Tests.Api;

public sealed class MessageTests
{
    [Fact]
    public async Task A_message_is_read_by_its_sequence_or_by_its_subject()
    {
        await using ApiSite site = await FilledAsync();

        Assert.Equal(("s.a", 1, "1"), Of(await site.CallAsync("STREAM.MSG.GET.S", """{"seq":1}""")));
        Assert.Equal(("s.a", 3, "3"), Of(await site.CallAsync("STREAM.MSG.GET.S", """{"last_by_subj":"s.a"}""")));
        Assert.Equal(("s.b", 4, "4"), Of(await site.CallAsync("STREAM.MSG.GET.S", """{"last_by_subj":"s.*"}""")));
        Assert.Equal(("s.a", 3, "3"), Of(await site.CallAsync("STREAM.MSG.GET.S", """{"next_by_subj":"s.a","seq":2}""")));
        Assert.Equal(10037, ApiSite.CodeOf(await site.CallAsync("STREAM.MSG.GET.S", """{"seq":9}""")));
        Assert.Equal(10037, ApiSite.CodeOf(await site.CallAsync("STREAM.MSG.GET.S", """{"next_by_subj":"s.a","seq":4}""")));
        Assert.Equal(10003, ApiSite.CodeOf(await site.CallAsync("STREAM.MSG.GET.S")));
        Assert.Equal(10059, ApiSite.CodeOf(await site.CallAsync("STREAM.MSG.GET.T", """{"seq":1}""")));
    }

    [Theory]
    [InlineData("DIRECT.GET.S", """{"seq":2}""", "2", "s.b", 2)]
    [InlineData("DIRECT.GET.S", """{"last_by_subj":"s.a"}""", "3", "s.a", 3)]
    [InlineData("DIRECT.GET.S", """{"next_by_subj":"s.>","seq":2}""", "2", "s.b", 2)]
    [InlineData("DIRECT.GET.S.s.a", "", "3", "s.a", 3)]
    public async Task A_message_is_sent_as_it_is_with_its_place_in_the_headers(string operation, string body, string text, string subject, int sequence)
    {
        await using ApiSite site = await FilledAsync();

        Message message = await site.RequestAsync("$JS.API." + operation, body);

        Assert.Equal(text, Encoding.UTF8.GetString(message.Body.Span));
        string headers = Encoding.UTF8.GetString(message.Headers.Span);
        Assert.StartsWith($"NATS/1.0\r\nk: {text}\r\nNats-Stream: S\r\nNats-Subject: {subject}\r\nNats-Sequence: {sequence}\r\nNats-Time-Stamp: 20", headers, StringComparison.Ordinal);
        Assert.EndsWith("Z\r\n\r\n", headers, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("DIRECT.GET.S", """{"seq":9}""", "404 Message Not Found")]
    [InlineData("DIRECT.GET.S.s.none", "", "404 Message Not Found")]
    [InlineData("DIRECT.GET.S", "", "408 Empty Request")]
    [InlineData("DIRECT.GET.S", "{}", "408 Empty Request")]
    [InlineData("DIRECT.GET.S", "{", "408 Malformed Request")]
    [InlineData("DIRECT.GET.S", """{"seq":1,"start_time":"2026-01-01T00:00:00Z"}""", "408 Bad Request")]
    public async Task A_direct_read_that_finds_nothing_gets_a_status(string operation, string body, string status)
    {
        await using ApiSite site = await FilledAsync();

        Message message = await site.RequestAsync("$JS.API." + operation, body);

        Assert.Equal($"NATS/1.0 {status}\r\n\r\n", Encoding.UTF8.GetString(message.Headers.Span));
    }

    [Fact]
    public async Task A_direct_read_of_a_stream_that_does_not_allow_it_has_no_responder()
    {
        await using ApiSite site = await ApiSite.StartAsync();
        await site.CreateAsync("S");

        await Assert.ThrowsAsync<NoRespondersException>(() => site.RequestAsync("$JS.API.DIRECT.GET.S", """{"seq":1}"""));
        await Assert.ThrowsAsync<NoRespondersException>(() => site.RequestAsync("$JS.API.DIRECT.GET.T", """{"seq":1}"""));
    }

    [Fact]
    public async Task Messages_are_deleted_and_purged_with_counts()
    {
        await using ApiSite site = await FilledAsync();

        Assert.True((await site.CallAsync("STREAM.MSG.DELETE.S", """{"seq":2}""")).GetProperty("success").GetBoolean());
        JsonElement missing = await site.CallAsync("STREAM.MSG.DELETE.S", """{"seq":2}""");
        Assert.Equal(10043, ApiSite.CodeOf(missing));
        Assert.Equal(1, (await site.CallAsync("STREAM.PURGE.S", """{"filter":"s.a","keep":1}""")).GetProperty("purged").GetInt32());
        Assert.Equal(1, (await site.CallAsync("STREAM.PURGE.S", """{"seq":4}""")).GetProperty("purged").GetInt32());
        Assert.Equal(1, (await site.CallAsync("STREAM.PURGE.S")).GetProperty("purged").GetInt32());
        Assert.Equal(0, (await site.CallAsync("STREAM.PURGE.S")).GetProperty("purged").GetInt32());
        Assert.Equal(10003, ApiSite.CodeOf(await site.CallAsync("STREAM.PURGE.S", """{"seq":4,"keep":1}""")));
        JsonElement state = await site.StateAsync("S");
        Assert.Equal((0, 5, 4), (state.GetProperty("messages").GetInt32(), state.GetProperty("first_seq").GetInt32(), state.GetProperty("last_seq").GetInt32()));
        Assert.Equal(5, await site.PublishAsync("s.a"));
    }

    [Fact]
    public async Task Deletions_and_purges_that_a_stream_denies_are_refused()
    {
        await using ApiSite site = await ApiSite.StartAsync();
        await site.CreateAsync("S", "\"deny_delete\":true,\"deny_purge\":true");
        await site.PublishAsync("S");

        Assert.Equal(10057, ApiSite.CodeOf(await site.CallAsync("STREAM.MSG.DELETE.S", """{"seq":1}""")));
        Assert.Equal(10110, ApiSite.CodeOf(await site.CallAsync("STREAM.PURGE.S")));
        await site.CallAsync("STREAM.UPDATE.S", """{"name":"S","deny_delete":true,"deny_purge":true,"sealed":true}""");
        Assert.Equal(-10109, await site.PublishAsync("S"));
        Assert.Equal(10109, ApiSite.CodeOf(await site.CallAsync("STREAM.MSG.DELETE.S", """{"seq":1}""")));
    }

    [Theory]
    [InlineData("file")]
    [InlineData("memory")]
    public async Task Messages_expire_and_their_space_is_used_again(string storage)
    {
        var disk = new SimulatedDisk();
        await using ApiSite site = await ApiSite.StartAsync(disk, new StoreOptions { SegmentBytes = 64 * 1024, MaxPendingBytes = 16 * 1024 });
        await site.CreateAsync("S", $"\"max_age\":200000000,\"storage\":\"{storage}\"");
        for (int i = 0; i < 100; i++)
        {
            string answer = Encoding.UTF8.GetString((await site.RequestAsync("S", new string('x', 2000))).Body.Span);
            Assert.Equal($$"""{"stream":"S","seq":{{i + 1}}}""", answer);
        }

        await Wait.UntilAsync(async () => (await site.StateAsync("S")).GetProperty("messages").GetInt32() == 0);
        Assert.Equal(101, await site.PublishAsync("S"));
        await Wait.UntilAsync(() => disk.Files.Keys.Count(static name => name.EndsWith(".log", StringComparison.Ordinal)) <= 2);
    }

    [Fact]
    public async Task A_deleted_stream_is_gone_and_its_subject_has_no_responder()
    {
        await using ApiSite site = await FilledAsync();

        Assert.True((await site.CallAsync("STREAM.DELETE.S")).GetProperty("success").GetBoolean());

        Assert.Equal(10059, ApiSite.CodeOf(await site.CallAsync("STREAM.DELETE.S")));
        await Assert.ThrowsAsync<NoRespondersException>(() => site.PublishAsync("s.a"));
        await site.CreateAsync("S", "\"subjects\":[\"s.>\"],\"first_seq\":1000");
        Assert.Equal(1000, await site.PublishAsync("s.a"));
    }

    [Fact]
    public async Task A_damaged_stream_refuses_and_names_the_place_and_others_go_on()
    {
        var disk = new SimulatedDisk();
        await using ApiSite site = await FilledAsync(disk);
        await site.CreateAsync("T");
        foreach (SimulatedFile file in disk.Files.Where(static pair => pair.Key.EndsWith(".log", StringComparison.Ordinal)).Select(static pair => pair.Value))
        {
            file.Flip("three-of-s.a");
        }

        Assert.Equal(10077, ApiSite.CodeOf(await site.CallAsync("STREAM.MSG.GET.S", """{"seq":3}""")));
        Assert.Equal(-10077, await site.PublishAsync("s.a"));
        Assert.Equal(1, await site.PublishAsync("T"));
        JsonElement refused = await site.CallAsync("STREAM.PURGE.S");
        Assert.Contains("sequence 3", refused.GetProperty("error").GetProperty("description").GetString(), StringComparison.Ordinal);
    }

    // Four messages: s.a, s.b, s.a, s.b.
    private static async Task<ApiSite> FilledAsync(SimulatedDisk? disk = null)
    {
        ApiSite site = await ApiSite.StartAsync(disk ?? new SimulatedDisk());
        await site.CreateAsync("S", "\"subjects\":[\"s.>\"],\"allow_direct\":true");
        for (int i = 1; i <= 4; i++)
        {
            string note = i == 3 && disk is not null ? ";note: three-of-s.a" : "";
            Assert.Equal(i, await site.PublishAsync(i % 2 == 1 ? "s.a" : "s.b", $"{i}", $"k: {i}{note}"));
        }

        return site;
    }

    private static (string? Subject, int Sequence, string Text) Of(JsonElement answer)
    {
        JsonElement message = answer.GetProperty("message");
        return (message.GetProperty("subject").GetString(), message.GetProperty("seq").GetInt32(), Encoding.UTF8.GetString(message.GetProperty("data").GetBytesFromBase64()));
    }
}
