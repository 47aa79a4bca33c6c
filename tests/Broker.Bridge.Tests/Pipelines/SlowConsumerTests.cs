using System.Text.Json.Nodes;
using Broker.Bridge.Tests.Pipelines.Support;

namespace Broker.Bridge.Tests.Pipelines;

/// <summary>The server does not regard bridges as slow consumers if their PULL programs take nothing.</summary>
public sealed class SlowConsumerTests
{
    [Fact]
    public async Task A_nats_server_does_not_regard_a_bridge_as_slow_if_its_PULLs_take_nothing()
    {
        const int Messages = 30_000;

        // The server would disconnect a client that left a fiftieth of the messages unread, which is twice the window.
        await using var pipeline = Pipeline.At(NatsServer.StartWithConfiguration("max_payload: 64KB\nmax_pending: 600KB", "-m", "-1"));
        ZeroMqBridge ingress = await pipeline.BridgeAsync(options => options with { Pullers = [] });
        ZeroMqBridge egress = await pipeline.BridgeAsync(options => options with { Pushers = [] });
        await using var pusher = new PyPusher(ingress.PusherEndpoint(), "p", size: 1000);
        await using var puller = new PyPuller(egress.PullerEndpoint(), takes: false);
        await pusher.SendAsync(Messages);
        await Wait.UntilAsync(() => egress.Route().Waiting == 256 && ingress.Route().InFlight >= 256, () => $"{ingress.Route()} {egress.Route()}");
        Assert.Equal(0, await SlowConsumersAsync());

        await puller.TakeAsync();
        await Wait.UntilAsync(async () => await puller.DistinctAsync() == Messages, () => $"{ingress.Route()} {egress.Route()}");
        Assert.Equal(0, await SlowConsumersAsync());

        async Task<long> SlowConsumersAsync()
        {
            string page = await pipeline.Remote!.Http.GetStringAsync("/varz", TestContext.Current.CancellationToken);
            return (long)JsonNode.Parse(page)!["slow_consumers"]!;
        }
    }
}
