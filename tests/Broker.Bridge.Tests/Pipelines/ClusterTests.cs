using System.Globalization;
using Broker.Bridge.Tests.Pipelines.Support;

namespace Broker.Bridge.Tests.Pipelines;

/// <summary>A pipeline across a cluster of two nats-servers.</summary>
public sealed class ClusterTests
{
    [Fact]
    public async Task When_one_of_two_servers_is_killed_nothing_is_lost_or_doubled_while_both_ends_live()
    {
        int oneRoute = FreePort.Next();
        int otherRoute = FreePort.Next();
        await using var pipeline = Pipeline.WithoutServer();
        using NatsServer one = Start("one", oneRoute, otherRoute);
        using NatsServer other = Start("other", otherRoute, oneRoute);

        // Ingress and egress are connected to different servers, and each may reconnect to the server of the other.
        ZeroMqBridge ingress = await pipeline.BridgeAsync(options => options with { Pullers = [] }, $"{one.Url},{other.Url}");
        ZeroMqBridge egress = await pipeline.BridgeAsync(options => options with { Pushers = [] }, $"{other.Url},{one.Url}");
        await using var pusher = new PyPusher(ingress.PusherEndpoint(), "p", size: 100);
        await using var puller = new PyPuller(egress.PullerEndpoint());
        const int Messages = 40_000;
        await pusher.SendAsync(Messages);
        await Wait.UntilAsync(() => ingress.Route().Acknowledged > 2000, () => $"{ingress.Route()} {egress.Route()}");
        other.Kill();
        await Wait.UntilAsync(async () => await puller.CountAsync() == Messages, () => $"{ingress.Route()} {egress.Route()}");
        await Wait.UntilAsync(() => ingress.Route().InFlight == 0, () => $"{ingress.Route()}");
        Assert.Equal(Messages, await puller.DistinctAsync());
        Assert.Equal(0, await puller.DisorderAsync());
        Assert.Equal(Messages, egress.Route().Delivered);
        Assert.Equal(0, egress.Route().PossibleDuplicates);
    }

    private static NatsServer Start(string name, int port, int peer) => NatsServer.Start(
        "--name", name, "--cluster_name", "pair", "--cluster", Url(port), "--routes", Url(peer));

    private static string Url(int port) => string.Create(CultureInfo.InvariantCulture, $"nats://127.0.0.1:{port}");
}
