using System.Text;
using Broker.Client;
using Broker.Client.Streams;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Streams;

/// <summary>The page /jsz has the streams and consumers that nats-server's has, with the same values.</summary>
public sealed class StreamPageTests
{
    // The limits of the machine, the bytes of a message's record, and what a cluster or the API's level is about.
    private static readonly string[] Own =
    [
        "server_id", "now", "config", "limits", "memory", "storage", "bytes", "cluster", "api", "ts", "created", "first_ts", "last_ts", "last_active", "metadata",
    ];

    // The configuration of the server and of a stream have one name, so these pages are compared without the server's.
    private static readonly string[] OwnBesideConfiguration = [.. Own.Except(["config"]), "store_dir", "max_memory", "max_storage", "sync_interval", "sync_always", "strict"];

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("jsz")]
    [InlineData("jsz?accounts=true")]
    [InlineData("jsz?streams=true")]
    [InlineData("jsz?consumers=true")]
    [InlineData("jsz?config=true")]
    [InlineData("jsz?streams=true&config=true")]
    [InlineData("jsz?consumers=true&config=true")]
    [InlineData("jsz?accounts=true&limit=1")]
    [InlineData("jsz?accounts=true&offset=1")]
    [InlineData("jsz?acc=$G")]
    [InlineData("jsz?acc=$G&streams=true")]
    [InlineData("jsz?acc=NONE")]
    [InlineData("jsz?offset=-1")]
    public async Task The_page_of_streams_has_the_values_of_nats_server(string page)
    {
        Assert.Equal(await ReadAsync(StreamServer.Theirs, page), await ReadAsync(StreamServer.Ours, page));
    }

    private static async Task<string> ReadAsync(string name, string page)
    {
        await using StreamServer server = await StreamServer.StartAsync(name);
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(new ClientOptions { Servers = [server.Url], ConnectTimeout = Wait.Limit }, Ended);
        await AskAsync(connection, "$JS.API.STREAM.CREATE.A", """{"name":"A","subjects":["a.>"]}""");
        await AskAsync(connection, "$JS.API.STREAM.CREATE.M", """{"name":"M","subjects":["m"],"storage":"memory","max_msgs":7}""");
        await AskAsync(connection, "a.x", "one");
        await AskAsync(connection, "a.y", "two");
        await AskAsync(connection, "m", "three");
        using StreamsClient streams = connection.Streams();
        StreamConsumer consumer = await streams.CreateConsumerAsync("A", new ConsumerConfig("C"), Ended);
        await foreach (StreamMessage message in consumer.FetchAsync(new FetchOptions { MaxMessages = 1 }, Ended))
        {
            Assert.Equal("one", Encoding.UTF8.GetString(message.Body.Span));
        }

        string text = await server.Pages.GetStringAsync(page, Ended);
        return StepForm.Of($"page: {text}", page.Contains("config", StringComparison.Ordinal) ? OwnBesideConfiguration : Own);
    }

    private static async Task AskAsync(BrokerConnection connection, string subject, string body)
        => await connection.RequestAsync(subject, Encoding.UTF8.GetBytes(body), Wait.Limit, cancellationToken: Ended);
}
