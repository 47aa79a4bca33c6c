using System.Text;
using System.Text.Json;

namespace Broker.Streams.Tests.Api;

public sealed class ConfigurationTests
{
    [Theory]
    [InlineData("""{"name":"T"}""", 10056, "does not match")]
    [InlineData("""{"name":"S","no_such_field":1}""", 10025, "no_such_field")]
    [InlineData("""{"name":"S","max_msgs":"many"}""", 10025, "invalid JSON")]
    [InlineData("""{"name":"S","num_replicas":3}""", 10074, "replicas")]
    [InlineData("""{"name":"S","mirror":{"name":"other"}}""", 10052, "'mirror'")]
    [InlineData("""{"name":"S","sources":[{"name":"other"}]}""", 10052, "'sources'")]
    [InlineData("""{"name":"S","republish":{"src":">","dest":"b.>"}}""", 10052, "'republish'")]
    [InlineData("""{"name":"S","subject_transform":{"src":">","dest":"b.>"}}""", 10052, "'subject_transform'")]
    [InlineData("""{"name":"S","placement":{"cluster":"c"}}""", 10052, "'placement'")]
    [InlineData("""{"name":"S","compression":"s2"}""", 10052, "'s2'")]
    [InlineData("""{"name":"S","storage":"tape"}""", 10025, "'tape'")]
    [InlineData("""{"name":"S","retention":"forever"}""", 10025, "'forever'")]
    [InlineData("""{"name":"S","discard":"some"}""", 10025, "'some'")]
    [InlineData("""{"name":"S","allow_msg_counter":true}""", 10052, "'allow_msg_counter'")]
    [InlineData("""{"name":"S","allow_atomic":true}""", 10052, "'allow_atomic'")]
    [InlineData("""{"name":"S","allow_batched":true}""", 10052, "'allow_batched'")]
    [InlineData("""{"name":"S","allow_msg_schedules":true}""", 10052, "'allow_msg_schedules'")]
    [InlineData("""{"name":"S","mirror_direct":true}""", 10052, "'mirror_direct'")]
    [InlineData("""{"name":"S","persist_mode":"async"}""", 10052, "'persist_mode'")]
    [InlineData("""{"name":"S","subjects":[">"]}""", 10052, "which the server uses")]
    [InlineData("""{"name":"S","subjects":["$JS.API.x"]}""", 10052, "which the server uses")]
    [InlineData("""{"name":"S","subjects":["a..b"]}""", 10052, "'a..b'")]
    [InlineData("""{"name":"S","subjects":["a.*","a.b"]}""", 10052, "overlaps with")]
    [InlineData("""{"name":"S","max_age":1000}""", 10052, "100ms")]
    [InlineData("""{"name":"S","max_age":1000000000,"duplicate_window":2000000000}""", 10052, "window")]
    [InlineData("""{"name":"S","allow_rollup_hdrs":true,"deny_purge":true}""", 10052, "purge")]
    [InlineData("""{"name":"S","discard_new_per_subject":true}""", 10052, "discard new")]
    [InlineData("""{"name":"S","sealed":true}""", 10052, "sealed")]
    public async Task A_configuration_that_is_not_supported_is_refused_by_name(string config, int code, string text)
    {
        await using ApiSite site = await ApiSite.StartAsync();

        JsonElement answer = await site.CallAsync("STREAM.CREATE.S", config);

        Assert.Equal(code, ApiSite.CodeOf(answer));
        Assert.Contains(text, answer.GetProperty("error").GetProperty("description").GetString(), StringComparison.Ordinal);
        Assert.Equal("io.nats.jetstream.api.v1.stream_create_response", answer.GetProperty("type").GetString());
        Assert.Equal(10059, ApiSite.CodeOf(await site.CallAsync("STREAM.INFO.S")));
    }

    [Fact]
    public async Task The_answer_has_the_defaults_and_can_be_sent_back()
    {
        await using ApiSite site = await ApiSite.StartAsync(domain: "hub");

        JsonElement created = await site.CallAsync("STREAM.CREATE.S", """{"name":"S"}""", "$JS.hub.API.");
        JsonElement config = created.GetProperty("config");
        JsonElement updated = await site.CallAsync("STREAM.UPDATE.S", config.GetRawText());

        Assert.Equal((-1, 120_000_000_000, "limits", "file"), (config.GetProperty("max_msgs").GetInt64(), config.GetProperty("duplicate_window").GetInt64(), config.GetProperty("retention").GetString(), config.GetProperty("storage").GetString()));
        Assert.Equal("S", config.GetProperty("subjects")[0].GetString());
        Assert.Equal(config.GetRawText(), updated.GetProperty("config").GetRawText());
        Assert.Equal("hub", created.GetProperty("domain").GetString());
        Assert.True(created.GetProperty("did_create").GetBoolean());
        Assert.Equal("""{"stream":"S","seq":1,"domain":"hub"}""", Encoding.UTF8.GetString((await site.RequestAsync("S")).Body.Span));
    }

    [Fact]
    public async Task A_stream_is_created_again_with_the_same_configuration_only()
    {
        await using ApiSite site = await ApiSite.StartAsync();
        await site.CreateAsync("S", "\"subjects\":[\"s.>\"]");
        await site.CreateAsync("S", "\"subjects\":[\"s.>\"]");

        Assert.Equal(10058, ApiSite.CodeOf(await site.CallAsync("STREAM.CREATE.S", """{"name":"S","subjects":["s.*"]}""")));
        Assert.Equal(10065, ApiSite.CodeOf(await site.CallAsync("STREAM.CREATE.T", """{"name":"T","subjects":["*.a"]}""")));
    }

    [Theory]
    [InlineData("\"storage\":\"memory\"")]
    [InlineData("\"deny_delete\":false")]
    [InlineData("\"num_replicas\":2")]
    public async Task A_change_that_is_not_possible_is_refused(string change)
    {
        await using ApiSite site = await ApiSite.StartAsync();
        await site.CreateAsync("S", "\"deny_delete\":true");

        JsonElement answer = await site.CallAsync("STREAM.UPDATE.S", $$"""{"name":"S","deny_delete":true,{{change}}}""");

        Assert.Contains(ApiSite.CodeOf(answer), new[] { 10052, 10074 });
    }

    [Fact]
    public async Task A_change_of_subjects_applies_to_the_next_message()
    {
        await using ApiSite site = await ApiSite.StartAsync();
        await site.CreateAsync("S", "\"subjects\":[\"a\",\"b\"]");
        await site.CallAsync("STREAM.UPDATE.S", """{"name":"S","subjects":["b","c"]}""");

        Assert.Equal(1, await site.PublishAsync("c"));
        Assert.Equal(2, await site.PublishAsync("b"));
        await Assert.ThrowsAsync<Client.NoRespondersException>(() => site.PublishAsync("a"));
    }

    [Fact]
    public async Task Requests_that_need_a_newer_server_or_are_not_supported_are_refused()
    {
        await using ApiSite site = await ApiSite.StartAsync();
        await site.CreateAsync("S");

        using var needed = JsonDocument.Parse((await site.RequestAsync("$JS.API.STREAM.INFO.S", "", "Nats-Required-Api-Level: 99")).Body);

        Assert.Equal(10185, ApiSite.CodeOf(needed.RootElement));
        Assert.Equal("io.nats.jetstream.api.v1.stream_info_response", needed.RootElement.GetProperty("type").GetString());
        Assert.Equal(10064, ApiSite.CodeOf(await site.CallAsync("STREAM.SNAPSHOT.S")));
        Assert.Equal(10062, ApiSite.CodeOf(await site.CallAsync("STREAM.RESTORE.S")));
    }
}
