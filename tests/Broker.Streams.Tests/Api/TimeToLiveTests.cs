using System.Text.Json;
using Broker.Streams.Tests.Simulation;
using Broker.Streams.Tests.Store;

namespace Broker.Streams.Tests.Api;

public sealed class TimeToLiveTests
{
    private readonly SimulatedDisk _disk = new();
    private readonly SetClock _clock = new();

    [Theory]
    [InlineData("1", 1)]
    [InlineData("1s", 1)]
    [InlineData("1500ms", 1.5)]
    [InlineData("1.5s", 1.5)]
    [InlineData("1h30m", 5400)]
    [InlineData("1m0.5s", 60.5)]
    [InlineData("2000000us", 2)]
    public void A_time_to_live_has_seconds_or_units(string text, double seconds)
    {
        Assert.True(TimeToLive.TryParse(System.Text.Encoding.UTF8.GetBytes(text), out long ticks));
        Assert.Equal((long)(seconds * TimeSpan.TicksPerSecond), ticks);
    }

    [Theory]
    [InlineData("0")]
    [InlineData("-1")]
    [InlineData("500ms")]
    [InlineData("1d")]
    [InlineData("1.5")]
    [InlineData("s")]
    [InlineData("1h30")]
    [InlineData("1..5s")]
    [InlineData("0.00000000000000000000000000000000001h")]
    public async Task A_time_to_live_that_is_not_valid_is_refused(string text)
    {
        await using ApiSite site = await StartAsync();
        await site.CreateAsync("S", "\"allow_msg_ttl\":true");

        Assert.Equal(-10165, await site.PublishAsync("S", "", $"Nats-TTL: {text}"));
    }

    [Theory]
    [InlineData(20_000_000L, "at least 1 second")]
    [InlineData(-1L, "must not be negative")]
    public async Task A_time_to_live_of_markers_that_is_not_valid_is_refused(long ttl, string problem)
    {
        await using ApiSite site = await StartAsync();

        JsonElement answer = await site.CallAsync("STREAM.CREATE.S", $$"""{"name":"S","subject_delete_marker_ttl":{{ttl}}}""");

        Assert.Equal(10052, ApiSite.CodeOf(answer));
        Assert.Contains(problem, answer.GetProperty("error").GetProperty("description").GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Markers_need_and_set_times_to_live_and_roll_ups()
    {
        await using ApiSite site = await StartAsync();

        JsonElement config = (await site.CallAsync("STREAM.CREATE.S", """{"name":"S","deny_purge":true,"subject_delete_marker_ttl":1000000000}""")).GetProperty("config");

        Assert.True(config.GetProperty("allow_msg_ttl").GetBoolean());
        Assert.True(config.GetProperty("allow_rollup_hdrs").GetBoolean());
        Assert.False(config.GetProperty("deny_purge").GetBoolean());
        Assert.Equal(10052, ApiSite.CodeOf(await site.CallAsync("STREAM.UPDATE.S", """{"name":"S"}""")));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_message_is_deleted_after_its_time_to_live_also_after_a_restart(bool restarts)
    {
        await using (ApiSite site = await StartAsync())
        {
            await site.CreateAsync("S", "\"subjects\":[\"s.>\"],\"allow_msg_ttl\":true,\"max_age\":100000000000");
            await site.PublishAsync("s.never", "", "Nats-TTL: never");
            await site.PublishAsync("s.short", "", "Nats-TTL: 10");
            await site.PublishAsync("s.long", "", "Nats-TTL: 1h");
            await site.PublishAsync("s.none", "", "Nats-TTL: ");
            await site.PublishAsync("s.none");
            if (!restarts)
            {
                await CheckAsync(site);
                return;
            }
        }

        await using ApiSite again = await StartAsync();
        await CheckAsync(again);
    }

    [Fact]
    public async Task A_marker_takes_the_place_of_the_last_message_of_a_subject_and_expires_too()
    {
        await using ApiSite site = await StartAsync();
        await site.CreateAsync("S", "\"subjects\":[\"s.>\"],\"subject_delete_marker_ttl\":90000000000");
        await site.PublishAsync("s.one", "", "Nats-TTL: 10");
        await site.PublishAsync("s.two", "", "Nats-TTL: 10");
        await site.PublishAsync("s.two", "", "Nats-TTL: 10");
        await site.PublishAsync("s.stays", "", "Nats-TTL: 10");
        await site.PublishAsync("s.stays");
        await site.PublishAsync("s.purged", "", "Nats-TTL: 10;KV-Operation: PURGE");
        _clock.Now += TimeSpan.FromSeconds(11);
        await UntilAsync(site, 3);

        foreach (string subject in (string[])["s.one", "s.two"])
        {
            JsonElement marker = (await site.CallAsync("STREAM.MSG.GET.S", $$"""{"last_by_subj":"{{subject}}"}""")).GetProperty("message");
            Assert.Equal(
                "NATS/1.0\r\nNats-Marker-Reason: MaxAge\r\nNats-TTL: 1m30s\r\nNats-Rollup: sub\r\n\r\n",
                System.Text.Encoding.UTF8.GetString(marker.GetProperty("hdrs").GetBytesFromBase64()));
            Assert.InRange(marker.GetProperty("seq").GetInt32(), 7, 8);
        }

        _clock.Now += TimeSpan.FromSeconds(91);
        await UntilAsync(site, 1);
        Assert.Equal(8, (await site.StateAsync("S")).GetProperty("last_seq").GetInt64());
    }

    [Fact]
    public async Task A_greatest_age_leaves_markers_and_its_deletions_survive_a_restart()
    {
        await using (ApiSite site = await StartAsync())
        {
            await site.CreateAsync("S", "\"subjects\":[\"s.>\"],\"subject_delete_marker_ttl\":1000000000000,\"max_age\":50000000000");
            await site.PublishAsync("s.a");
            await site.PublishAsync("s.b");
            _clock.Now += TimeSpan.FromSeconds(51);
            await Wait.UntilAsync(async () => (await site.StateAsync("S")).GetProperty("first_seq").GetInt64() == 3);
        }

        await using ApiSite again = await StartAsync();

        Assert.Equal(2, (await again.StateAsync("S")).GetProperty("messages").GetInt64());
        _clock.Now += TimeSpan.FromSeconds(51);
        await UntilAsync(again, 0);
        Assert.Equal(4, (await again.StateAsync("S")).GetProperty("last_seq").GetInt64());
    }

    [Fact]
    public void Messages_that_are_replaced_before_their_time_do_not_collect()
    {
        using var store = StreamStore.Open(_disk, StoreExtensions.Small());
        StoredStream stream = store.Add("S", new StreamLimits { MaxPerSubject = 1 });
        for (int i = 0; i < 5000; i++)
        {
            using (StoreBatch batch = store.Begin())
            {
                batch.Append(stream, "s"u8, "NATS/1.0\r\nNats-TTL: 1h\r\n\r\n"u8, [], null, 0, MessageFlags.HasTimeToLive);
            }

            store.Commit();
        }

        Assert.InRange(stream.Expiries!.Count, 1, 1024);
    }

    private async Task CheckAsync(ApiSite site)
    {
        Assert.Equal(5, (await site.StateAsync("S")).GetProperty("messages").GetInt64());
        _clock.Now += TimeSpan.FromSeconds(11);
        await UntilAsync(site, 4);
        Assert.Equal(10037, ApiSite.CodeOf(await site.CallAsync("STREAM.MSG.GET.S", """{"seq":2}""")));
        _clock.Now += TimeSpan.FromSeconds(100);
        await UntilAsync(site, 1);
        Assert.Equal(1, (await site.StateAsync("S")).GetProperty("first_seq").GetInt64());
    }

    private static Task UntilAsync(ApiSite site, int messages)
        => Wait.UntilAsync(async () => (await site.StateAsync("S")).GetProperty("messages").GetInt64() == messages, $"{messages} messages");

    private Task<ApiSite> StartAsync()
        => ApiSite.StartAsync(_disk, new StoreOptions { SegmentBytes = 64 * 1024, MaxPendingBytes = 16 * 1024, Clock = _clock });
}
