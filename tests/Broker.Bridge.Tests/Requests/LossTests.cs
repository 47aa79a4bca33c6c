using System.Text;
using Broker.Bridge.Tests.PubSub.Support;
using Broker.Bridge.Tests.Requests.Support;
using Broker.Client;
using Broker.ZeroMq.Tests.Foreign;

namespace Broker.Bridge.Tests.Requests;

/// <summary>
/// Programs that disconnect, reply late or are missing: nothing blocks, no state is left, and everything is counted.
/// </summary>
public sealed class LossTests
{
    private static readonly TimeSpan Short = TimeSpan.FromMilliseconds(200);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(1)]
    [InlineData(0)]
    public async Task A_request_without_responders_is_kept_and_answered_when_a_service_starts(int loops)
    {
        await using RequestSite site = await RequestSite.StartAsync(loops, RequestSite.Asking);
        await using var host = ForeignHost.Take();
        ForeignSocket req = await host.SocketAsync("REQ");
        await req.ConnectAsync(site.Endpoint("request"));
        await req.SendTextAsync("a", "b");
        await Wait.UntilAsync(() => site.Requests is { Held: 1, Pending: 1 }, () => $"{site.Requests}");
        await site.EchoAsync();
        Assert.Equal("a|b", await req.ReceiveTextAsync());
        Assert.Equal((0, 0, 1L), (site.Requests.Held, site.Requests.Pending, site.Requests.Answered));
    }

    [Fact]
    public async Task A_request_without_responders_is_dropped_or_answered_by_the_bridge_as_configured()
    {
        await using RequestSite site = await RequestSite.StartAsync(
            1,
            RequestSite.Asking with { NoResponders = NoResponders.Drop },
            RequestSite.Asking with { Name = "polite", NoResponders = NoResponders.Reply, NoRespondersReply = "nobody"u8.ToArray() });
        await using var host = ForeignHost.Take();
        ForeignSocket dropped = await host.SocketAsync("REQ");
        await dropped.ConnectAsync(site.Endpoint("request"));
        await dropped.SendTextAsync("x");
        ForeignSocket told = await host.SocketAsync("REQ");
        await told.ConnectAsync(site.Endpoint("polite"));
        Assert.Equal("nobody", await told.AskAsync("x"));
        await Wait.UntilAsync(() => site.Requests is { Unserved: 1, Pending: 0, Dropped: 1, ToZeroMq: 0 }, () => $"{site.Requests}");
        var polite = (RequestRouteSnapshot)site.Bridge.Snapshot()["polite"]!;
        Assert.Equal((1, 0, 1), (polite.Unserved, polite.Pending, polite.ToZeroMq));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(0)]
    public async Task A_timed_out_request_and_its_late_reply_are_counted(int loops)
    {
        await using RequestSite site = await RequestSite.StartAsync(
            loops, RequestSite.Asking with { TimeToLive = Short, TimeoutReply = "too late"u8.ToArray() });
        BrokerConnection service = await site.ClientAsync();
        TaskCompletionSource<string> asked = Wait.Source<string>();
        service.Subscribe(RequestSite.Subject, (in MessageView message) => asked.TrySetResult(Encoding.ASCII.GetString(message.ReplyTo)));
        await service.FlushAsync(Token);
        await using var host = ForeignHost.Take();
        ForeignSocket req = await host.SocketAsync("REQ");
        await req.ConnectAsync(site.Endpoint("request"));
        Assert.Equal("too late", await req.AskAsync("x"));
        service.Publish(await Wait.For(asked), "the answer"u8);
        await Wait.UntilAsync(() => site.Requests is { Late: 1, TimedOut: 1, Pending: 0, Answered: 0 }, () => $"{site.Requests}");
    }

    [Fact]
    public async Task A_closing_bridge_does_not_wait_its_linger_time_for_replies_of_a_server_that_is_gone()
    {
        await using RequestSite site = await RequestSite.StartAsync(1, RequestSite.Asking);
        BrokerConnection silent = await site.ClientAsync();
        silent.Subscribe(RequestSite.Subject, (in MessageView _) => { });
        await silent.FlushAsync(Token);
        await using var host = ForeignHost.Take();
        ForeignSocket req = await host.SocketAsync("REQ");
        await req.ConnectAsync(site.Endpoint("request"));
        await req.SendTextAsync("x");
        await Wait.UntilAsync(() => site.Requests is { Pending: 1, ToSubjects: 1 }, () => $"{site.Requests}");
        await site.Server!.DrainAsync(TimeSpan.Zero, Token);
        await Wait.UntilAsync(() => site.Bridge.Snapshot().Server is null, "the end of the connection");
        await site.Bridge.CloseAsync(TimeSpan.FromHours(1)).WaitAsync(Wait.Limit, Token);
    }

    [Fact]
    public async Task Only_the_first_of_several_replies_reaches_the_client()
    {
        await using RequestSite site = await RequestSite.StartAsync(1, RequestSite.Asking);
        await site.EchoAsync();
        await site.EchoAsync();
        await site.EchoAsync();
        await using var host = ForeignHost.Take();
        ForeignSocket req = await host.SocketAsync("REQ");
        await req.ConnectAsync(site.Endpoint("request"));
        for (int i = 0; i < 10; i++)
        {
            Assert.Equal($"{i}", await req.AskAsync($"{i}"));
        }

        await Wait.UntilAsync(() => site.Requests is { Late: 20, Answered: 10, Pending: 0 }, () => $"{site.Requests}");
    }

    [Fact]
    public async Task The_reply_to_a_disconnected_client_is_dropped_and_no_state_is_left()
    {
        await using RequestSite site = await RequestSite.StartAsync(1, RequestSite.Asking);
        BrokerConnection service = await site.ClientAsync();
        TaskCompletionSource<string> asked = Wait.Source<string>();
        service.Subscribe(RequestSite.Subject, (in MessageView message) => asked.TrySetResult(Encoding.ASCII.GetString(message.ReplyTo)));
        await service.FlushAsync(Token);
        await using (var host = ForeignHost.Take())
        {
            ForeignSocket req = await host.SocketAsync("REQ");
            await req.ConnectAsync(site.Endpoint("request"));
            await req.SendTextAsync("x");
            await Wait.For(asked);
            host.Kill();
        }

        await Wait.UntilAsync(() => site.Requests.Peers == 0, "the client's end");
        service.Publish(await Wait.For(asked), "the answer"u8);
        await Wait.UntilAsync(() => site.Requests is { Undeliverable: 1, Pending: 0, Answered: 0 }, () => $"{site.Requests}");
    }

    [Theory]
    [InlineData(1, WorkerLoss.Reply)]
    [InlineData(0, WorkerLoss.Reply)]
    [InlineData(1, WorkerLoss.Silence)]
    public async Task The_request_of_a_lost_worker_is_counted_and_answered_as_configured(int loops, WorkerLoss loss)
    {
        await using RequestSite site = await RequestSite.StartAsync(loops, RequestSite.Answering with { OnWorkerLoss = loss });
        BrokerConnection client = await site.ClientAsync();
        Task<Message> asked;
        await using (var host = ForeignHost.Take())
        {
            ForeignSocket rep = await host.SocketAsync("REP");
            await rep.ConnectAsync(site.Endpoint("worker"));
            asked = RequestSite.AskAsync(client, "x");
            Assert.Equal("x", await rep.ReceiveTextAsync());
            host.Kill();
        }

        await Wait.UntilAsync(() => site.Workers is { WorkerLost: 1, Pending: 0, IsSubscribed: false }, () => $"{site.Workers}");
        if (loss == WorkerLoss.Reply)
        {
            Message answer = await Wait.For(asked);
            Assert.Equal("502", new MessageHeaders(answer.Headers.Span)["Nats-Service-Error-Code"]);
            Assert.Equal(0, answer.Body.Length);
        }
        else
        {
            // Another worker receives the next requests, and this one does not.
            await using var host = ForeignHost.Take();
            ForeignSocket rep = await host.SocketAsync("REP");
            await rep.ConnectAsync(site.Endpoint("worker"));
            Task<Message> next = RequestSite.AskAsync(client, "y");
            Assert.Equal("y", await rep.ServeAsync("done"));
            await next;
            Assert.False(asked.IsCompleted);
        }
    }

    [Fact]
    public async Task The_answer_of_a_worker_that_took_too_long_is_counted()
    {
        await using RequestSite site = await RequestSite.StartAsync(1, RequestSite.Answering with { TimeToLive = Short });
        BrokerConnection client = await site.ClientAsync();
        await using var host = ForeignHost.Take();
        ForeignSocket rep = await host.SocketAsync("REP");
        await rep.ConnectAsync(site.Endpoint("worker"));
        Task<Message> asked = RequestSite.AskAsync(client, "x");
        Assert.Equal("x", await rep.ReceiveTextAsync());
        await Wait.UntilAsync(() => site.Workers is { TimedOut: 1, Pending: 0 }, () => $"{site.Workers}");
        await rep.SendTextAsync("late");
        await Wait.UntilAsync(() => site.Workers is { Late: 1, Answered: 0 }, () => $"{site.Workers}");
        Assert.False(asked.IsCompleted);
    }

    [Fact]
    public async Task What_a_worker_sends_without_an_envelope_or_for_others_is_counted_and_harms_nothing()
    {
        await using RequestSite site = await RequestSite.StartAsync(1, RequestSite.Answering);
        BrokerConnection client = await site.ClientAsync();
        await using var host = ForeignHost.Take();
        ForeignSocket worker = await host.SocketAsync("DEALER");
        ForeignSocket forger = await host.SocketAsync("DEALER");
        await worker.ConnectAsync(site.Endpoint("worker"));
        Task<Message> asked = RequestSite.AskAsync(client, "x");
        string request = await worker.ReceiveTextAsync();
        // Eight arbitrary bytes. One of them may be the bar that separates frames here.
        string number = request[..8];
        await forger.ConnectAsync(site.Endpoint("worker"));
        await forger.SendTextAsync("READY");
        await forger.SendTextAsync(number, "not empty", "forged");
        await forger.SendTextAsync(number, "", "forged");
        await Wait.UntilAsync(() => site.Workers is { Refused: 2, Late: 1 }, () => $"{site.Workers}");
        await worker.SendTextAsync(number, "", "true");
        Assert.Equal("true", Encoding.ASCII.GetString((await Wait.For(asked)).Body.Span));
        Assert.Single(site.Log.Warnings);
    }

    [Fact]
    public async Task Clients_wait_for_a_server_that_is_lost_and_are_answered_when_it_is_back()
    {
        await using RequestSite site = await RequestSite.StartAsync(0, RequestSite.Asking, RequestSite.Answering);
        await using var host = ForeignHost.Take();
        await using var workers = ForeignHost.Take();
        ForeignSocket rep = await workers.SocketAsync("REP");
        ForeignSocket req = await host.SocketAsync("REQ");
        await rep.ConnectAsync(site.Endpoint("worker"));
        await req.ConnectAsync(site.Endpoint("request"));
        Task<string> served = rep.ServeAsync("a");
        Assert.Equal("a|before", await req.AskAsync("before"));
        await served;
        site.Remote!.Kill();
        await Wait.UntilAsync(() => site.Bridge.Snapshot().Server is null, "the loss of the server");
        await req.SendTextAsync("meanwhile");
        site.Remote.Restart();
        Assert.Equal("meanwhile", await rep.ServeAsync("b"));
        Assert.Equal("b|meanwhile", await req.ReceiveTextAsync());
        Assert.Equal((0, 0), (site.Requests.Pending, (int)site.Requests.Dropped));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(0)]
    public async Task Clients_wait_at_the_request_limit_and_nothing_is_lost(int loops)
    {
        const int Requests = 500;
        await using RequestSite site = await RequestSite.StartAsync(loops, RequestSite.Asking with { MaxPending = 16, MaxPendingPerClient = 8 });
        BrokerConnection service = await site.ClientAsync();
        var asked = new System.Collections.Concurrent.ConcurrentQueue<(string ReplyTo, byte[] Body)>();
        service.Subscribe(
            RequestSite.Subject,
            (in MessageView message) => asked.Enqueue((Encoding.ASCII.GetString(message.ReplyTo), message.Body.ToArray())));
        await service.FlushAsync(Token);
        await using var host = ForeignHost.Take();
        ForeignSocket[] clients = [await host.SocketAsync("DEALER"), await host.SocketAsync("DEALER"), await host.SocketAsync("DEALER")];
        foreach (ForeignSocket client in clients)
        {
            await client.ConnectAsync(site.Endpoint("request"));
            for (int i = 0; i < Requests; i++)
            {
                await client.SendTextAsync("", $"{i}");
            }
        }

        await Wait.UntilAsync(() => asked.Count == 16, () => $"{asked.Count}; {site.Requests}");
        Assert.Equal(16, site.Requests.Pending);
        int most = 0;
        for (int done = 0; done < clients.Length * Requests; done++)
        {
            await Wait.UntilAsync(() => !asked.IsEmpty, () => $"{done} were answered; {site.Requests}");
            most = Math.Max(most, site.Requests.Pending);
            Assert.True(asked.TryDequeue(out (string ReplyTo, byte[] Body) request));
            service.Publish(request.ReplyTo, request.Body);
        }

        foreach (ForeignSocket client in clients)
        {
            for (int i = 0; i < Requests; i++)
            {
                Assert.Equal($"|{i}", await client.ReceiveTextAsync());
            }
        }

        Assert.InRange(most, 1, 16);
        Assert.Equal((clients.Length * Requests, 0L, 0L), ((int)site.Requests.Answered, site.Requests.Dropped, site.Requests.Late));
    }

    [Fact]
    public async Task A_client_with_the_maximum_of_requests_does_not_block_others()
    {
        await using RequestSite site = await RequestSite.StartAsync(1, RequestSite.Asking with { MaxPending = 16, MaxPendingPerClient = 4 });
        BrokerConnection service = await site.ClientAsync();
        service.Subscribe(RequestSite.Subject, (in MessageView message) =>
        {
            if (message.Body.SequenceEqual("quick"u8))
            {
                message.Respond(message.Body);
            }
        });
        await service.FlushAsync(Token);
        await using var host = ForeignHost.Take();
        ForeignSocket greedy = await host.SocketAsync("DEALER");
        await greedy.ConnectAsync(site.Endpoint("request"));
        for (int i = 0; i < 100; i++)
        {
            await greedy.SendTextAsync("", "slow");
        }

        await Wait.UntilAsync(() => site.Requests.Pending == 4, () => $"{site.Requests}");
        ForeignSocket req = await host.SocketAsync("REQ");
        await req.ConnectAsync(site.Endpoint("request"));
        for (int i = 0; i < 20; i++)
        {
            Assert.Equal("quick", await req.AskAsync("quick"));
        }

        Assert.Equal((4, 24L), (site.Requests.Pending, site.Requests.FromZeroMq));
    }

    [Fact]
    public async Task Requests_without_worker_capacity_are_answered_with_no_responders()
    {
        await using RequestSite site = await RequestSite.StartAsync(1, RequestSite.Asking, RequestSite.Answering with { MaxPendingPerWorker = 1 });
        await using var host = ForeignHost.Take();
        await using var clients = ForeignHost.Take();
        ForeignSocket rep = await host.SocketAsync("REP");
        await rep.ConnectAsync(site.Endpoint("worker"));
        ForeignSocket dealer = await clients.SocketAsync("DEALER");
        await dealer.ConnectAsync(site.Endpoint("request"));
        for (int i = 0; i < 50; i++)
        {
            await dealer.SendTextAsync("", $"{i}");
        }

        var answers = new HashSet<string>(StringComparer.Ordinal);
        for (int i = 0; i < 50; i++)
        {
            await rep.ServeAsync("ok");
            answers.Add(await dealer.ReceiveTextAsync());
        }

        // Requests that were answered with status 503 were published again: none is lost, and none is processed twice.
        Assert.Equal(50, answers.Count);
        Assert.Equal((50L, 0L, 0), (site.Requests.Answered, site.Requests.Dropped, site.Requests.Pending));
        Assert.Equal(50, site.Workers.Answered);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(0)]
    public async Task No_request_is_lost_while_a_worker_connects_and_disconnects(int loops)
    {
        await using RequestSite site = await RequestSite.StartAsync(loops, RequestSite.Answering with { MaxPendingPerWorker = 1 });
        BrokerConnection client = await site.ClientAsync();
        await using var host = ForeignHost.Take();
        ForeignSocket rep = await host.SocketAsync("REP");
        await rep.ConnectAsync(site.Endpoint("worker"));
        await Wait.UntilAsync(() => site.Workers.IsSubscribed, "the worker");
        long outcomes = 0;
        string inbox = BrokerConnection.NewInbox();
        client.Subscribe(inbox, (in MessageView _) => Interlocked.Increment(ref outcomes));
        for (int i = 0; i < 1000; i++)
        {
            client.Publish(RequestSite.Subject, "x"u8, inbox);
        }

        // Each request has a reply or found no responder.
        await rep.ReceiveTextAsync();
        await rep.SendTextAsync("done");
        await Wait.UntilAsync(() => Interlocked.Read(ref outcomes) + site.Workers.Pending >= 1000, () => $"{outcomes}; {site.Workers}");
    }

    [Fact]
    public async Task A_client_cut_off_in_the_middle_of_a_request_leaves_nothing()
    {
        await using RequestSite site = await RequestSite.StartAsync(1, RequestSite.Asking);
        await site.EchoAsync();
        using (RawPeer raw = await RawPeer.ConnectAsync(site.Endpoint("request"), "DEALER"))
        {
            // The first of three frames and a part of the second.
            await raw.SendAsync([1, 0, 1, 100, 1, 2, 3]);
            await Wait.UntilAsync(() => site.Requests.Peers == 1, "the client");
        }

        await Wait.UntilAsync(() => site.Requests.Peers == 0, "its end");
        await using var host = ForeignHost.Take();
        ForeignSocket req = await host.SocketAsync("REQ");
        await req.ConnectAsync(site.Endpoint("request"));
        Assert.Equal("x", await req.AskAsync("x"));
        Assert.Equal((1L, 1L, 0), (site.Requests.FromZeroMq, site.Requests.ToSubjects, site.Requests.Pending));
    }

    [Theory]
    [InlineData("half")]
    [InlineData("huge")]
    [InlineData("type")]
    public async Task A_peer_that_is_not_a_ZeroMQ_program_is_disconnected_and_others_are_served(string fault)
    {
        await using RequestSite site = await RequestSite.StartAsync(1, RequestSite.Asking);
        await site.EchoAsync();
        using RawPeer raw = await RawPeer.ConnectAsync(site.Endpoint("request"), fault == "type" ? "PUB" : "DEALER");
        using var half = new System.Net.Sockets.TcpClient();
        if (fault == "half")
        {
            var uri = new Uri(site.Endpoint("request"));
            await half.ConnectAsync(uri.Host, uri.Port, Token);
            await half.GetStream().WriteAsync(new byte[] { 0xFF, 0, 0, 0 }, Token);
        }
        else if (fault == "huge")
        {
            await raw.SendAsync([2, 0, 0, 0, 0, 0x80, 0, 0, 0]);
        }

        if (fault != "half")
        {
            await raw.ReadToEndAsync();
        }

        await using var host = ForeignHost.Take();
        ForeignSocket req = await host.SocketAsync("REQ");
        await req.ConnectAsync(site.Endpoint("request"));
        Assert.Equal("x", await req.AskAsync("x"));
    }

    [Fact]
    public async Task A_worker_behind_a_dead_link_is_given_up_by_the_heartbeat()
    {
        await using RequestSite site = await RequestSite.StartAsync(1, RequestSite.Answering with { HeartbeatInterval = Short });

        // It announces ZMTP 3.1 and then sends nothing.
        using RawPeer dead = await RawPeer.ConnectAsync(site.Endpoint("worker"), "REP");
        await Wait.UntilAsync(
            () => site.Log.All.Any(line => line.Text.Contains("connected at", StringComparison.Ordinal)) && site.Workers is { IsSubscribed: false, Peers: 0 },
            () => $"{site.Workers}");
    }
}
