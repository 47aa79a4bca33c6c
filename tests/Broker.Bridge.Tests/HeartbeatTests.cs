using Broker.Bridge.Tests.Pipelines.Support;
using Broker.Bridge.Tests.PubSub.Support;

namespace Broker.Bridge.Tests;

/// <summary>Programs that do not answer PINGs are disconnected. Without heartbeats they stay connected.</summary>
public sealed class HeartbeatTests
{
    // Long enough to detect the silent program and for the other one to answer, even on a slow machine.
    private static readonly TimeSpan Short = TimeSpan.FromSeconds(2);

    [Theory]
    [InlineData("PUB")]
    [InlineData("SUB")]
    public async Task Of_a_PUB_SUB_route_one_that_does_not_answer_is_given_up(string type)
    {
        await using Site site = await Site.StartAsync(1, options => options with { HeartbeatInterval = Short });
        PubSubRouteSnapshot route = site.Route.Snapshot();
        string endpoint = type == "PUB" ? route.PublisherEndpoints[0] : route.SubscriberEndpoints[0];
        using RawPeer answers = (await RawPeer.ConnectAsync(endpoint, type)).AnswerHeartbeats();
        using RawPeer silent = await RawPeer.ConnectAsync(endpoint, type);
        await Wait.UntilAsync(() => site.Route.Snapshot().Peers == 2, "both");

        await Wait.UntilAsync(() => site.Route.Snapshot().Peers == 1, () => $"{site.Route.Snapshot()}");
    }

    [Theory]
    [InlineData("PUSH")]
    [InlineData("PULL")]
    public async Task A_silent_program_of_a_PUSH_PULL_route_is_disconnected_only_with_heartbeats(string type)
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign: false);
        ZeroMqBridge asking = await pipeline.BridgeAsync(options => options with { HeartbeatInterval = Short });
        ZeroMqBridge usual = await pipeline.BridgeAsync();
        using RawPeer unasked = await RawPeer.ConnectAsync(Endpoint(usual), type);
        using RawPeer answers = (await RawPeer.ConnectAsync(Endpoint(asking), type)).AnswerHeartbeats();
        using RawPeer silent = await RawPeer.ConnectAsync(Endpoint(asking), type);
        await Wait.UntilAsync(() => asking.Route().Peers == 2 && usual.Route().Peers == 1, "all three");

        await Wait.UntilAsync(() => asking.Route().Peers == 1, () => $"{asking.Route()}");
        Assert.Equal(1, usual.Route().Peers);

        string Endpoint(ZeroMqBridge bridge) => type == "PUSH" ? bridge.PusherEndpoint() : bridge.PullerEndpoint();
    }

    [Fact]
    public void An_interval_is_positive_or_infinite()
    {
        new PubSubRouteOptions { HeartbeatInterval = Timeout.InfiniteTimeSpan }.Validate();
        new PushPullRouteOptions { Subject = "a", HeartbeatInterval = TimeSpan.FromSeconds(1) }.Validate();
        Assert.Throws<ArgumentOutOfRangeException>("HeartbeatInterval", new PubSubRouteOptions { HeartbeatInterval = TimeSpan.Zero }.Validate);
        Assert.Throws<ArgumentOutOfRangeException>("HeartbeatInterval", new PushPullRouteOptions { Subject = "a", HeartbeatInterval = TimeSpan.Zero }.Validate);
    }
}
