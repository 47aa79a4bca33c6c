using System.Text;
using Broker.Bridge.Tests.Requests.Support;
using Broker.Client;
using Broker.ZeroMq.Tests.Foreign;

namespace Broker.Bridge.Tests.Raw;

/// <summary>ROUTER, DEALER and PAIR programs of libzmq exchange messages through subjects.</summary>
public sealed class RawRouteTests
{
    private static RawRouteOptions Clients => new()
    {
        Name = "clients",
        Socket = RawSocket.Router,
        ToSubject = "raw.there",
        FromSubject = "raw.back",
        Endpoints = [RequestSite.AnyPort],
    };

    private static RawRouteOptions Servers => new()
    {
        Name = "servers",
        Socket = RawSocket.Dealer,
        ToSubject = "raw.back",
        FromSubject = "raw.there",
        CarryIdentities = true,
        Endpoints = [RequestSite.AnyPort],
    };

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task A_ROUTER_route_and_a_DEALER_route_are_a_proxy_across_subjects(int loops)
    {
        await using RequestSite site = await RequestSite.StartAsync(loops, Clients, Servers);
        await using var host = ForeignHost.Take();
        await using var workers = ForeignHost.Take();
        ForeignSocket first = await host.SocketAsync("REQ");
        ForeignSocket second = await host.SocketAsync("DEALER");
        ForeignSocket rep = await workers.SocketAsync("REP");
        await rep.ConnectAsync(site.Endpoint("servers"));
        await first.ConnectAsync(site.Endpoint("clients"));
        await second.ConnectAsync(site.Endpoint("clients"));
        await Wait.UntilAsync(() => site.Bridge.Snapshot().Routes.Sum(route => route.Peers) == 3, "all three programs");

        for (int i = 0; i < 20; i++)
        {
            await first.SendTextAsync($"a{i}");
            Assert.Equal($"a{i}", await rep.ServeAsync("done"));
            Assert.Equal($"done|a{i}", await first.ReceiveTextAsync());
            await second.SendTextAsync("", $"b{i}", "more");
            Assert.Equal($"b{i}|more", await rep.ServeAsync("done"));
            Assert.Equal($"|done|b{i}|more", await second.ReceiveTextAsync());
        }

        foreach (RawRouteSnapshot route in site.Bridge.Snapshot().Routes.OfType<RawRouteSnapshot>())
        {
            Assert.Equal((40, 40, 40, 40), (route.FromZeroMq, route.ToSubjects, route.FromSubjects, route.ToZeroMq));
            Assert.Equal((0, 0), (route.Dropped, route.Refused));
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task A_native_client_answers_by_the_identity_in_the_header(int loops)
    {
        await using RequestSite site = await RequestSite.StartAsync(loops, Clients);
        BrokerConnection native = await site.ClientAsync();
        native.Subscribe("raw.there", (in MessageView message) => native.Publish("raw.back", message.Body, headers: message.Headers));
        await native.FlushAsync(TestContext.Current.CancellationToken);
        await using var host = ForeignHost.Take();
        ForeignSocket dealer = await host.SocketAsync("DEALER");
        await dealer.ConnectAsync(site.Endpoint("clients"));
        Assert.Equal("one", await dealer.AskAsync("one"));
        Assert.Equal("|two|frames", await dealer.AskAsync("", "two", "frames"));

        native.Publish("raw.back", "x"u8, headers: Encoding.ASCII.GetBytes("NATS/1.0\r\nZmq-Identity: 6e6f\r\n\r\n"));
        native.Publish("raw.back", "x"u8);
        native.Publish("raw.back", "x"u8, headers: Encoding.ASCII.GetBytes("NATS/1.0\r\nZmq-Identity: 6\r\n\r\n"));
        await Wait.UntilAsync(
            () => Route() is { FromSubjects: 5, ToZeroMq: 2, Unroutable: 1, Refused: 2, Dropped: 1 }, () => $"what the bridge cannot deliver: {Route()}");

        RawRouteSnapshot route = Route();
        Assert.Equal((2, 1, 2, 1), (route.ToZeroMq, route.Unroutable, route.Refused, route.Dropped));

        RawRouteSnapshot Route() => (RawRouteSnapshot)site.Bridge.Snapshot()["clients"]!;
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task Two_PAIR_programs_talk_across_subjects_in_order(int loops)
    {
        await using RequestSite site = await RequestSite.StartAsync(
            loops,
            new RawRouteOptions { Name = "left", Socket = RawSocket.Pair, ToSubject = "p.right", FromSubject = "p.left", Endpoints = [RequestSite.AnyPort] },
            new RawRouteOptions { Name = "right", Socket = RawSocket.Pair, ToSubject = "p.left", FromSubject = "p.right", Endpoints = [RequestSite.AnyPort] });
        await using var host = ForeignHost.Take();
        await using var other = ForeignHost.Take();
        ForeignSocket left = await host.SocketAsync("PAIR");
        ForeignSocket right = await other.SocketAsync("PAIR");
        await left.ConnectAsync(site.Endpoint("left"));
        await right.ConnectAsync(site.Endpoint("right"));
        await Wait.UntilAsync(() => site.Bridge.Snapshot().Routes.All(route => route.Peers == 1), "both programs");
        for (int i = 0; i < 100; i++)
        {
            await left.SendTextAsync($"l{i}", "", "x");
            await right.SendTextAsync($"r{i}");
        }

        for (int i = 0; i < 100; i++)
        {
            Assert.Equal($"l{i}||x", await right.ReceiveTextAsync());
            Assert.Equal($"r{i}", await left.ReceiveTextAsync());
        }
    }

    [Fact]
    public async Task While_there_is_no_server_programs_wait()
    {
        await using RequestSite site = await RequestSite.StartAsync(0, Clients, Servers);
        await using var host = ForeignHost.Take();
        await using var workers = ForeignHost.Take();
        ForeignSocket dealer = await host.SocketAsync("DEALER");
        ForeignSocket rep = await workers.SocketAsync("REP");
        await rep.ConnectAsync(site.Endpoint("servers"));
        await dealer.ConnectAsync(site.Endpoint("clients"));
        await Wait.UntilAsync(() => site.Bridge.Snapshot().Routes.Sum(route => route.Peers) == 2, "both programs");
        site.Remote!.Kill();
        await Wait.UntilAsync(() => site.Log.Warnings.Any(line => line.Contains("lost", StringComparison.Ordinal)), "the loss");
        await dealer.SendTextAsync("", "x");
        site.Remote.Restart();

        Assert.Equal("x", await rep.ServeAsync("done"));
        Assert.Equal("|done|x", await dealer.ReceiveTextAsync());
    }

    [Theory]
    [InlineData("a", "a")]
    [InlineData("a.b", "a.>")]
    [InlineData("a.*", "b")]
    [InlineData("a", "b c")]
    public async Task What_would_go_round_or_is_no_subject_is_refused(string to, string from)
        => await Assert.ThrowsAsync<ArgumentException>(() => RequestSite.StartAsync(1, Clients with { ToSubject = to, FromSubject = from }));
}
