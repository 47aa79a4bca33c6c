using System.Text;
using System.Text.Json;

namespace Broker.Streams.Tests.Api;

/// <summary>Objects that were created and deleted leave nothing in memory.</summary>
public sealed class GrowthTests
{
    [Fact]
    public async Task Deleted_push_consumers_are_forgotten()
    {
        await using ApiSite site = await ApiSite.StartAsync();
        await site.CreateAsync("S");
        for (int i = 0; i < 100; i++)
        {
            JsonElement answer = await site.CallAsync("CONSUMER.CREATE.S.C", """{"stream_name":"S","config":{"durable_name":"C","deliver_subject":"out"}}""");
            Assert.Equal(0, ApiSite.CodeOf(answer));
            await site.CallAsync("CONSUMER.DELETE.S.C");
        }

        Assert.InRange(site.Streams.WatchedConsumers, 1, 20);
    }

    [Fact]
    public async Task A_stream_that_has_stopped_after_an_error_says_so_and_the_others_go_on()
    {
        await using ApiSite site = await ApiSite.StartAsync();
        await site.CreateAsync("S");
        await site.CreateAsync("T");
        await site.CallAsync("CONSUMER.CREATE.S.C", """{"stream_name":"S","config":{"durable_name":"C"}}""");
        site.Streams.Disk.Find("S")!.Fault = "a test";

        JsonElement refused = JsonDocument.Parse((await site.RequestAsync("S")).Body).RootElement;
        Assert.Equal("the stream 'S' has stopped after an error in the broker, which must be restarted: a test", refused.GetProperty("error").GetProperty("description").GetString());
        Assert.StartsWith("NATS/1.0 409 Stream Has Stopped", Encoding.UTF8.GetString((await site.RequestAsync("$JS.API.CONSUMER.MSG.NEXT.S.C", "1")).Headers.Span), StringComparison.Ordinal);
        Assert.Equal(1, await site.PublishAsync("T"));
        var problems = new List<string>();
        StoreTotals file = default;
        StoreTotals memory = default;
        site.Streams.Add("A", ref file, ref memory, problems);
        Assert.Equal("the stream 'S' of the account 'A' has stopped after an error in the broker, which must be restarted: a test", Assert.Single(problems));
    }
}
