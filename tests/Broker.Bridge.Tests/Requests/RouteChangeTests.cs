using Broker.Bridge.Tests.Requests.Support;
using Broker.ZeroMq;
using Broker.ZeroMq.Tests.Foreign;

namespace Broker.Bridge.Tests.Requests;

/// <summary>Routes are added and removed while other routes are in use.</summary>
public sealed class RouteChangeTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_route_is_added_and_removed_while_another_continues()
    {
        await using RequestSite site = await RequestSite.StartAsync(1, RequestSite.Asking);
        await site.EchoAsync();
        await using var host = ForeignHost.Take();
        ForeignSocket req = await host.SocketAsync("REQ");
        await req.ConnectAsync(site.Endpoint("request"));
        Assert.Equal("1", await req.AskAsync("1"));

        await site.Bridge.AddRouteAsync(RequestSite.Asking with { Name = "second" }, Token);
        ForeignSocket other = await host.SocketAsync("REQ");
        await other.ConnectAsync(site.Endpoint("second"));
        Assert.Equal("2", await other.AskAsync("2"));
        Assert.Equal("3", await req.AskAsync("3"));

        Assert.Equal(0, await site.Bridge.RemoveRouteAsync("second"));
        Assert.Null(await site.Bridge.RemoveRouteAsync("second"));
        Assert.Equal("4", await req.AskAsync("4"));
        Assert.Single(site.Bridge.Snapshot().Routes);
        Assert.Equal(1, site.Requests.Peers);
    }

    [Fact]
    public async Task A_route_that_cannot_be_had_leaves_nothing_and_harms_none()
    {
        await using RequestSite site = await RequestSite.StartAsync(1, RequestSite.Asking);
        await site.EchoAsync();
        string taken = site.Endpoint("request");
        await Assert.ThrowsAsync<ZeroMqBindException>(
            () => site.Bridge.AddRouteAsync(RequestSite.Asking with { Name = "second", Endpoints = [RequestSite.AnyPort, new(true, taken)] }, Token));
        await Assert.ThrowsAsync<ArgumentException>(() => site.Bridge.AddRouteAsync(RequestSite.Asking, Token));
        await Assert.ThrowsAsync<ArgumentException>(() => site.Bridge.AddRouteAsync(RequestSite.Asking with { Name = "third", Subject = "a..b" }, Token));
        Assert.Single(site.Bridge.Snapshot().Routes);
        await using var host = ForeignHost.Take();
        ForeignSocket req = await host.SocketAsync("REQ");
        await req.ConnectAsync(taken);
        Assert.Equal("x", await req.AskAsync("x"));
    }

    [Fact]
    public async Task A_removed_route_waits_for_the_pending_requests_of_its_workers()
    {
        await using RequestSite site = await RequestSite.StartAsync(1, RequestSite.Asking, RequestSite.Answering);
        await using var host = ForeignHost.Take();
        await using var clients = ForeignHost.Take();
        ForeignSocket rep = await host.SocketAsync("REP");
        ForeignSocket req = await clients.SocketAsync("REQ");
        await rep.ConnectAsync(site.Endpoint("worker"));
        await req.ConnectAsync(site.Endpoint("request"));
        await req.SendTextAsync("x");
        Assert.Equal("x", await rep.ReceiveTextAsync());
        var route = (WorkerRoute)site.Bridge.Find("worker")!;
        Task<long> closing = route.CloseAsync(Wait.Limit);
        await Wait.UntilAsync(() => !route.Snapshot().IsSubscribed, "the end of the subscription");
        await rep.SendTextAsync("done");
        Assert.Equal("done", await req.ReceiveTextAsync());
        Assert.Equal(0, await Wait.For(closing));
        Assert.Equal((1, 0), (route.Snapshot().Answered, route.Snapshot().Abandoned));
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("a b")]
    [InlineData("a.*")]
    [InlineData("a.>")]
    public void Options_know_a_subject_that_requests_cannot_have(string? subject)
        => Assert.Throws<ArgumentException>((RequestSite.Asking with { Subject = subject }).Validate);

    [Fact]
    public void Options_refuse_values_out_of_range()
    {
        Assert.Throws<ArgumentException>((RequestSite.Answering with { QueueGroup = "" }).Validate);
        Assert.Throws<ArgumentException>((RequestSite.Answering with { Subject = null }).Validate);
        Assert.Throws<ArgumentOutOfRangeException>((RequestSite.Asking with { MaxPending = 0 }).Validate);
        Assert.Throws<ArgumentOutOfRangeException>((RequestSite.Asking with { TimeToLive = TimeSpan.Zero }).Validate);
        Assert.Throws<FormatException>((RequestSite.Asking with { Endpoints = [new(true, "tcp://nonsense")] }).Validate);
        (RequestSite.Answering with { Subject = "a.*.>" }).Validate();
    }
}
