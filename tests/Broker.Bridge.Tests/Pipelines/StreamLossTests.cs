using System.Text;
using System.Text.Json.Nodes;
using Broker.Bridge.Tests.Pipelines.Support;
using Broker.Client;

namespace Broker.Bridge.Tests.Pipelines;

/// <summary>Others change the stream while bridges use it.</summary>
public sealed class StreamLossTests : IDisposable
{
    private readonly DirectoryInfo _store = Directory.CreateTempSubdirectory("jetstream-");

    public void Dispose() => _store.Delete(recursive: true);

    [Fact]
    public async Task A_consumer_that_is_deleted_is_made_again_and_so_is_the_stream()
    {
        const int Portion = 100;
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign: true, "-js", "-sd", _store.FullName);
        ZeroMqBridge bridge = await pipeline.BridgeAsync(WithStream);
        await using var pusher = new PyPusher(bridge.PusherEndpoint(), "p");
        await using var puller = new PyPuller(bridge.PullerEndpoint());
        BrokerConnection client = await pipeline.ClientAsync();
        await ArriveAsync(Portion);

        Assert.True((bool)(await AskAsync(client, "CONSUMER.DELETE.WORK.zeromq"))["success"]!);
        await ArriveAsync(2 * Portion);

        Assert.True((bool)(await AskAsync(client, "STREAM.DELETE.WORK"))["success"]!);
        await ArriveAsync(3 * Portion);
        Assert.Equal(0, bridge.Route().GivenUp);

        async Task ArriveAsync(int total)
        {
            await pusher.SendAsync(Portion);
            await Wait.UntilAsync(async () => await puller.DistinctAsync() == total, () => $"{bridge.Route()}");
            await Wait.UntilAsync(() => bridge.Route().InFlight == 0, () => $"{bridge.Route()}");
        }
    }

    [Fact]
    public async Task A_message_above_the_streams_own_limit_is_given_up_and_the_next_passes()
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign: true, "-js", "-sd", _store.FullName);
        BrokerConnection client = await pipeline.ClientAsync();
        await AskAsync(
            client, "STREAM.CREATE.WORK",
            $$"""{"name":"WORK","subjects":["{{Pipeline.Subject}}"],"storage":"file","retention":"workqueue","max_msg_size":500}""");
        ZeroMqBridge bridge = await pipeline.BridgeAsync(WithStream);
        await using var large = new PyPusher(bridge.PusherEndpoint(), "large", size: 1000);
        await using var small = new PyPusher(bridge.PusherEndpoint(), "small");
        await using var puller = new PyPuller(bridge.PullerEndpoint());
        await large.SendAsync(1);
        await Wait.UntilAsync(() => bridge.Route().GivenUp == 1, () => $"{bridge.Route()}");
        await small.SendAsync(10);
        await Wait.UntilAsync(async () => await puller.DistinctAsync() == 10, () => $"{bridge.Route()}");
        Assert.Single(pipeline.Log.Warnings, line => line.Contains("the stream can never store it", StringComparison.Ordinal));
    }

    private static PushPullRouteOptions WithStream(PushPullRouteOptions options)
        => options with { Stream = new StreamQueueOptions { Stream = "WORK", AckWait = TimeSpan.FromSeconds(5) } };

    private static async Task<JsonNode> AskAsync(BrokerConnection client, string what, string body = "")
        => JsonNode.Parse((await client.RequestAsync(
            $"$JS.API.{what}", Encoding.ASCII.GetBytes(body), Wait.Limit, cancellationToken: TestContext.Current.CancellationToken)).Body.Span)!;
}
