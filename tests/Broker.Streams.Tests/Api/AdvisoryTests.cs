using System.Collections.Concurrent;
using System.Text.Json;
using Broker.Client;

namespace Broker.Streams.Tests.Api;

public sealed class AdvisoryTests
{
    private const string Prefix = "$JS.EVENT.ADVISORY.";

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Changes_of_streams_and_consumers_are_told()
    {
        await using ApiSite site = await ApiSite.StartAsync();
        var received = new ConcurrentQueue<Message>();
        await using HandlerBinding binding = site.Connection.Subscribe(Prefix + ">", (Message message) => received.Enqueue(message));
        await site.CreateAsync("S");
        await site.CreateAsync("S");
        await site.CallAsync("STREAM.UPDATE.S", """{"name":"S","description":"changed"}""");
        foreach (string more in (string[])["", ",\"ack_wait\":1000000000"])
        {
            await site.CallAsync("CONSUMER.CREATE.S.C", $$"""{"stream_name":"S","config":{"durable_name":"C","ack_policy":"explicit"{{more}}} }""");
        }

        await site.CallAsync("CONSUMER.PAUSE.S.C", """{"pause_until":"2999-01-01T00:00:00Z"}""");
        await site.CallAsync("CONSUMER.DELETE.S.C");
        await site.CallAsync("CONSUMER.CREATE.S.E", """{"stream_name":"S","config":{"inactive_threshold":1000000}}""");
        await Wait.UntilAsync(() => received.Any(static message => message.Subject == Prefix + "CONSUMER.DELETED.S.E"));
        await site.CallAsync("STREAM.DELETE.S");
        await Wait.UntilAsync(() => received.Any(static message => message.Subject == Prefix + "STREAM.DELETED.S"));

        Assert.Equal(
            [
                "STREAM.CREATED.S stream_action S create", "STREAM.UPDATED.S stream_action S modify", "CONSUMER.CREATED.S.C consumer_action S C create",
                "CONSUMER.PAUSE.S.C consumer_pause S C paused", "CONSUMER.DELETED.S.C consumer_action S C delete", "CONSUMER.CREATED.S.E consumer_action S E create",
                "CONSUMER.DELETED.S.E consumer_action S E delete", "STREAM.DELETED.S stream_action S delete",
            ],
            received.Select(TextOf));
    }

    [Fact]
    public async Task The_end_of_a_message_by_its_handler_or_by_its_deliveries_is_told()
    {
        await using ApiSite site = await ApiSite.StartAsync();
        await site.CreateAsync("S");
        await site.CallAsync("CONSUMER.CREATE.S.C", """{"stream_name":"S","config":{"durable_name":"C","ack_policy":"explicit","max_deliver":1,"ack_wait":1000000}}""");
        var received = new ConcurrentQueue<Message>();
        await using HandlerBinding binding = site.Connection.Subscribe(Prefix + ">", (Message message) => received.Enqueue(message));
        var delivered = new ConcurrentQueue<Message>();
        await using HandlerBinding inbox = site.Connection.Subscribe("inbox", (Message message) => delivered.Enqueue(message));
        await site.PublishAsync("S", "given up");
        await site.Connection.PublishAsync("$JS.API.CONSUMER.MSG.NEXT.S.C", "1"u8.ToArray(), "inbox", cancellationToken: Ended);
        await Wait.UntilAsync(() => received.Count == 1);

        using var advisory = JsonDocument.Parse(received.Single().Body);
        Assert.Equal(Prefix + "CONSUMER.MAX_DELIVERIES.S.C", received.Single().Subject);
        Assert.Equal(
            ("io.nats.jetstream.advisory.v1.max_deliver", 1, 1),
            (advisory.RootElement.GetProperty("type").GetString(), advisory.RootElement.GetProperty("stream_seq").GetInt32(), advisory.RootElement.GetProperty("deliveries").GetInt32()));
    }

    private static string TextOf(Message message)
    {
        using var json = JsonDocument.Parse(message.Body);
        JsonElement root = json.RootElement;
        Assert.NotEqual(default, root.GetProperty("timestamp").GetDateTime());
        Assert.NotEmpty(root.GetProperty("id").GetString()!);
        string type = root.GetProperty("type").GetString()!["io.nats.jetstream.advisory.v1.".Length..];
        string consumer = root.TryGetProperty("consumer", out JsonElement name) ? $" {name.GetString()}" : "";
        string action = root.TryGetProperty("action", out JsonElement what) ? what.GetString()! : root.GetProperty("paused").GetBoolean() ? "paused" : "not paused";
        return $"{message.Subject[Prefix.Length..]} {type} {root.GetProperty("stream").GetString()}{consumer} {action}";
    }
}
