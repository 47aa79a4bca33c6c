using System.Text;
using Broker.Bridge.Tests.Requests.Support;
using Broker.Client;
using Broker.ZeroMq.Tests.Foreign;

namespace Broker.Bridge.Tests.Requests;

/// <summary>Unmodified ZeroMQ programs exchange requests and replies through subjects.</summary>
public sealed class MeetingTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    /// <summary>
    /// The library of the programs, and the number of event loops of the broker; 0 for a nats-server.
    /// </summary>
    public static TheoryData<ForeignKind, int> Everybody => new(
        from kind in Enum.GetValues<ForeignKind>()
        from loops in (int[])[1, 3, 0]
        select (kind, loops));

    [Theory]
    [MemberData(nameof(Everybody))]
    public async Task A_REQ_is_answered_by_a_service_on_the_subject(ForeignKind kind, int loops)
    {
        await using RequestSite site = await RequestSite.StartAsync(loops, RequestSite.Asking);
        await site.EchoAsync();
        await using var host = ForeignHost.Take(kind);
        ForeignSocket req = await host.SocketAsync("REQ");
        await req.ConnectAsync(site.Endpoint("request"));
        for (int i = 0; i < 20; i++)
        {
            Assert.Equal($"question {i}", await req.AskAsync($"question {i}"));
        }

        Assert.Equal("a||c", await req.AskAsync("a", "", "c"));
        Assert.Equal("", await req.AskAsync(""));
        RequestRouteSnapshot counts = site.Requests;
        Assert.Equal((22, 22, 22, 22, 22), (counts.FromZeroMq, counts.ToSubjects, counts.FromSubjects, counts.ToZeroMq, counts.Answered));
        Assert.Equal((0, 0, 0), (counts.Pending, counts.Dropped, counts.Refused));
    }

    [Theory]
    [MemberData(nameof(Everybody))]
    public async Task A_native_request_is_answered_by_a_REP_worker(ForeignKind kind, int loops)
    {
        await using RequestSite site = await RequestSite.StartAsync(loops, RequestSite.Answering);
        await using var host = ForeignHost.Take(kind);
        ForeignSocket rep = await host.SocketAsync("REP");
        await rep.ConnectAsync(site.Endpoint("worker"));
        BrokerConnection client = await site.ClientAsync();
        Task<Message> asked = RequestSite.AskAsync(client, "question");
        Assert.Equal("question", await rep.ServeAsync("answer"));
        Message answer = await asked;

        // Two frames: each with its length, and their number in a header.
        Assert.Equal("\0\0\0\u0006answer\0\0\0\u0008question", Encoding.Latin1.GetString(answer.Body.Span));
        Assert.Equal("2", new MessageHeaders(answer.Headers.Span)["Zmq-Frames"]);
        asked = RequestSite.AskAsync(client, "again");
        Assert.Equal("again", await rep.ReceiveTextAsync());
        await rep.SendTextAsync("plain");
        Assert.Equal("plain", Encoding.UTF8.GetString((await asked).Body.Span));
        WorkerRouteSnapshot counts = site.Workers;
        Assert.Equal((2, 2, 2, 2, 2), (counts.FromSubjects, counts.ToZeroMq, counts.FromZeroMq, counts.ToSubjects, counts.Answered));
    }

    [Theory]
    [MemberData(nameof(Everybody))]
    public async Task REQ_and_REP_programs_meet_with_all_their_frames(ForeignKind kind, int loops)
    {
        await using RequestSite site = await RequestSite.StartAsync(loops, RequestSite.Asking, RequestSite.Answering);
        await using var host = ForeignHost.Take(kind);
        await using var other = ForeignHost.Take(kind);
        ForeignSocket rep = await host.SocketAsync("REP");
        ForeignSocket req = await other.SocketAsync("REQ");
        await req.ConnectAsync(site.Endpoint("request"));
        await rep.ConnectAsync(site.Endpoint("worker"));
        string[][] shapes = [["one"], ["one", "two"], ["", "two", ""], ["\0\r\n .*>", new string('x', 300)], [""]];
        foreach (string[] shape in shapes)
        {
            Task<string> served = rep.ServeAsync("so");
            Assert.Equal("so|" + string.Join('|', shape), await req.AskAsync(shape));
            Assert.Equal(string.Join('|', shape), await served);
        }
    }

    [Theory]
    [InlineData(ForeignKind.Python)]
    [InlineData(ForeignKind.Node)]
    public async Task Programs_that_bind_are_connected_to(ForeignKind kind)
    {
        await using var host = ForeignHost.Take(kind);
        ForeignSocket rep = await host.SocketAsync("REP");
        ForeignSocket req = await host.SocketAsync("REQ");
        await using RequestSite site = await RequestSite.StartAsync(
            1,
            RequestSite.Asking with { Endpoints = [new(false, await req.BindAsync("tcp://127.0.0.1:*"))] },
            RequestSite.Answering with { Endpoints = [new(false, await rep.BindAsync("tcp://127.0.0.1:*"))] });
        await req.SendTextAsync("question");
        Assert.Equal("question", await rep.ServeAsync("answer"));
        Assert.Equal("answer|question", await req.ReceiveTextAsync());
    }

    [Theory]
    [InlineData(1)]
    [InlineData(0)]
    public async Task Envelopes_and_correlation_ids_come_back_as_they_were(int loops)
    {
        await using RequestSite site = await RequestSite.StartAsync(loops, RequestSite.Asking);
        await site.EchoAsync();
        await using var host = ForeignHost.Take();
        ForeignSocket dealer = await host.SocketAsync("DEALER");
        await dealer.ConnectAsync(site.Endpoint("request"));
        Assert.Equal("|body", await dealer.AskAsync("", "body"));
        Assert.Equal("id|hop||body|more", await dealer.AskAsync("id", "hop", "", "body", "more"));
        Assert.Equal("no envelope", await dealer.AskAsync("no envelope"));
        Assert.Equal("several|frames", await dealer.AskAsync("several", "frames"));

        // libzmq drops a reply that does not contain the number of its request.
        ForeignSocket req = await host.SocketAsync("REQ", ("REQ_CORRELATE", 1), ("REQ_RELAXED", 1));
        await req.ConnectAsync(site.Endpoint("request"));
        Assert.Equal("correlated", await req.AskAsync("correlated"));
        await req.SendTextAsync("given up");
        Assert.Equal("asked anew", await req.AskAsync("asked anew"));
    }

    [Fact]
    public async Task A_worker_that_is_a_ROUTER_or_a_DEALER_answers_with_the_envelope_it_got()
    {
        await using RequestSite site = await RequestSite.StartAsync(1, RequestSite.Answering);
        BrokerConnection client = await site.ClientAsync();
        foreach (string type in (string[])["ROUTER", "DEALER"])
        {
            await using var host = ForeignHost.Take();
            ForeignSocket worker = await host.SocketAsync(type);
            await worker.ConnectAsync(site.Endpoint("worker"));
            Task<Message> asked = RequestSite.AskAsync(client, type);
            string? request = await worker.ReceiveAsync(60_000);
            Assert.True(await worker.SendAsync(System.Text.Json.Nodes.JsonNode.Parse(request!)!.AsArray(), 60_000));
            Assert.Equal(type, Encoding.UTF8.GetString((await asked).Body.Span));
            await worker.CloseAsync();
            await Wait.UntilAsync(() => !site.Workers.IsSubscribed, "the end of the worker");
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(0)]
    public async Task Each_of_many_clients_gets_the_answers_to_its_own_requests_in_their_order(int loops)
    {
        const int Clients = 20;
        const int Each = 100;
        await using RequestSite site = await RequestSite.StartAsync(loops, RequestSite.Asking);
        await site.EchoAsync();
        await using var host = ForeignHost.Take();
        var clients = new List<ForeignSocket>();
        for (int c = 0; c < Clients; c++)
        {
            ForeignSocket dealer = await host.SocketAsync("DEALER");
            await dealer.ConnectAsync(site.Endpoint("request"));
            clients.Add(dealer);
        }

        for (int i = 0; i < Each; i++)
        {
            for (int c = 0; c < Clients; c++)
            {
                await clients[c].SendTextAsync("", $"{c}/{i}");
            }
        }

        for (int c = 0; c < Clients; c++)
        {
            for (int i = 0; i < Each; i++)
            {
                Assert.Equal($"|{c}/{i}", await clients[c].ReceiveTextAsync());
            }
        }

        Assert.Equal((Clients * Each, 0), ((int)site.Requests.Answered, site.Requests.Pending));
    }

    [Fact]
    public async Task The_first_frame_can_choose_the_subject_and_comes_to_the_worker()
    {
        var topics = new MappingOptions { BridgeId = "a", Prefix = "rpc" };
        await using RequestSite site = await RequestSite.StartAsync(
            1, RequestSite.Asking with { Subject = null, Topics = topics }, RequestSite.Answering with { Subject = null, Topics = topics });
        await using var host = ForeignHost.Take();
        ForeignSocket rep = await host.SocketAsync("REP");
        ForeignSocket req = await host.SocketAsync("REQ");
        await rep.ConnectAsync(site.Endpoint("worker"));
        await req.ConnectAsync(site.Endpoint("request"));
        foreach (string[] request in (string[][])[["plant.pump 7", "start"], ["one"], ["a", "b", "c"], [new string('t', 4096), "x"], ["\r\nPUB x 1\r\n", "x"]])
        {
            await req.SendTextAsync(request);
            Assert.Equal(string.Join('|', request), await rep.ServeAsync("done"));
            Assert.Equal("done|" + string.Join('|', request), await req.ReceiveTextAsync());
        }

        // A native client sends a request to the subject.
        Task<Message> asked = RequestSite.AskAsync(await site.ClientAsync(), "stop", "rpc.plant.pump=207");
        Assert.Equal("plant.pump 7|stop", await rep.ReceiveTextAsync());
        await rep.SendTextAsync("stopped");
        Assert.Equal("stopped", Encoding.UTF8.GetString((await asked).Body.Span));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(0)]
    public async Task Workers_of_two_bridges_share_requests_each_of_which_is_done_once(int loops)
    {
        const int Requests = 200;
        await using RequestSite site = await RequestSite.StartAsync(loops, RequestSite.Asking, RequestSite.Answering);
        ZeroMqBridge second = await site.BridgeAsync(RequestSite.Asking, RequestSite.Answering);
        await using var one = ForeignHost.Take();
        await using var two = ForeignHost.Take();
        await using var clients = ForeignHost.Take();
        ForeignSocket here = await one.SocketAsync("REP");
        ForeignSocket there = await two.SocketAsync("REP");
        await here.ConnectAsync(site.Endpoint("worker"));
        await there.ConnectAsync(RequestSite.EndpointOf(second, "worker"));
        await Wait.UntilAsync(
            () => site.Workers.IsSubscribed && ((WorkerRouteSnapshot)second.Snapshot()["worker"]!).IsSubscribed, "both workers");
        ForeignSocket dealer = await clients.SocketAsync("DEALER");
        await dealer.ConnectAsync(site.Endpoint("request"));
        await dealer.ConnectAsync(RequestSite.EndpointOf(second, "request"));
        for (int i = 0; i < Requests; i++)
        {
            await dealer.SendTextAsync("", $"{i}");
        }

        int[] done = new int[Requests];
        async Task WorkAsync(ForeignSocket rep)
        {
            while (Volatile.Read(ref done).Sum() < Requests)
            {
                if (await rep.ReceiveAsync(50) is { } frames)
                {
                    Interlocked.Increment(ref done[int.Parse(Encoding.Latin1.GetString(Convert.FromHexString(frames[2..^2])), System.Globalization.CultureInfo.InvariantCulture)]);
                    await rep.SendTextAsync("ok");
                }

                Token.ThrowIfCancellationRequested();
            }
        }

        await Task.WhenAll(WorkAsync(here), WorkAsync(there)).WaitAsync(Wait.Limit, Token);
        for (int i = 0; i < Requests; i++)
        {
            Assert.Equal("|ok", await dealer.ReceiveTextAsync());
        }

        Assert.All(done, times => Assert.Equal(1, times));
        await Wait.UntilAsync(() => site.Workers.Answered + ((WorkerRouteSnapshot)second.Snapshot()["worker"]!).Answered == Requests, "all counts");
    }

    [Fact]
    public async Task Workers_are_subscribed_for_only_while_there_is_one()
    {
        await using RequestSite site = await RequestSite.StartAsync(1, RequestSite.Answering);
        BrokerConnection client = await site.ClientAsync();
        await Assert.ThrowsAsync<NoRespondersException>(
            () => client.RequestAsync(RequestSite.Subject, default, TimeSpan.FromMinutes(1), cancellationToken: Token).AsTask());
        await using var host = ForeignHost.Take();
        ForeignSocket rep = await host.SocketAsync("REP");
        await rep.ConnectAsync(site.Endpoint("worker"));
        Task<Message> asked = RequestSite.AskAsync(client, "x");
        await rep.ServeAsync("y");
        await asked;
        await rep.CloseAsync();
        await Wait.UntilAsync(() => !site.Workers.IsSubscribed, "the end of the subscription");
        await Wait.UntilAsync(() => site.Server!.Snapshot().Subscriptions == 1, () => $"{site.Server!.Snapshot()}");
        await Assert.ThrowsAsync<NoRespondersException>(
            () => client.RequestAsync(RequestSite.Subject, default, TimeSpan.FromMinutes(1), cancellationToken: Token).AsTask());
    }
}
