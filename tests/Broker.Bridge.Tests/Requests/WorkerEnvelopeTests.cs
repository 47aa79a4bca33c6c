using System.Text;
using System.Text.Json.Nodes;
using Broker.Bridge.Tests.Requests.Support;
using Broker.Client;
using Broker.ZeroMq.Tests.Foreign;

namespace Broker.Bridge.Tests.Requests;

/// <summary>Workers that handle one request at a time: REQ workers, and brokers that expect REQ clients.</summary>
public sealed class WorkerEnvelopeTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private static WorkerRouteOptions Ready => RequestSite.Answering with { Envelope = WorkerEnvelope.Ready };

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(0)]
    public async Task REQ_workers_that_ask_for_work_answer_native_requests(int loops)
    {
        const int Requests = 300;
        await using RequestSite site = await RequestSite.StartAsync(loops, Ready);
        string endpoint = site.Endpoint("worker");
        await using var first = new PyReadyWorker(endpoint, "first");
        await using var second = new PyReadyWorker(endpoint, "second");
        await using var third = new PyReadyWorker(endpoint, "third");
        await Wait.UntilAsync(() => site.Workers.Peers == 3, "the workers to connect");
        BrokerConnection client = await site.ClientAsync();
        Message[] answers = await Task.WhenAll(Enumerable.Range(0, Requests).Select(i => RequestSite.AskAsync(client, $"{i}")));

        for (int i = 0; i < Requests; i++)
        {
            string[] words = Text(answers[i]).Split(' ');
            Assert.Equal($"{i}", words[1]);
            Assert.Contains(words[0], (string[])["first", "second", "third"]);
        }

        long[] served = [await first.ServedAsync(), await second.ServedAsync(), await third.ServedAsync()];
        Assert.Equal(Requests, served.Sum());
        Assert.All(served, static count => Assert.NotEqual(0, count));
        WorkerRouteSnapshot counts = await SettledAsync(site);
        Assert.Equal((Requests, Requests, 0, 0, 0), (counts.Answered, counts.ToZeroMq, counts.Pending, counts.Refused, counts.Late));
        Assert.Equal(counts.FromSubjects, counts.Answered + counts.NotTaken);
    }

    [Fact]
    public async Task Requests_wait_in_order_for_a_REQ_worker_which_gets_one_at_a_time()
    {
        await using RequestSite site = await RequestSite.StartAsync(1, Ready);
        await using var host = ForeignHost.Take();
        ForeignSocket worker = await host.SocketAsync("REQ");
        await worker.ConnectAsync(site.Endpoint("worker"));
        BrokerConnection client = await site.ClientAsync();
        Task<Message>[] asked = [RequestSite.AskAsync(client, "0")];
        await Wait.UntilAsync(() => site.Workers.Pending == 1, "the first request");
        asked = [.. asked, RequestSite.AskAsync(client, "1"), RequestSite.AskAsync(client, "2")];
        await Wait.UntilAsync(() => site.Workers.Pending == 3, "the other requests");

        // Nothing is sent before the worker has asked.
        Assert.Equal(0, site.Workers.ToZeroMq);
        await worker.SendTextAsync("READY");
        for (int i = 0; i < 3; i++)
        {
            JsonArray request = JsonNode.Parse((await worker.ReceiveAsync())!)!.AsArray();
            Assert.Equal((3, 32, ""), (request.Count, ((string)request[0]!).Length, (string)request[1]!));
            Assert.Equal($"{i}", Encoding.UTF8.GetString(Convert.FromHexString((string)request[2]!)));
            Assert.Equal(i + 1, site.Workers.ToZeroMq);
            Assert.True(await worker.SendAsync(request.DeepClone().AsArray()));
            Assert.Equal($"{i}", Text(await asked[i]));
        }

        Assert.Equal(3, (await SettledAsync(site)).Answered);
    }

    [Fact]
    public async Task A_REQ_worker_that_answers_with_something_else_gets_the_next_request()
    {
        await using RequestSite site = await RequestSite.StartAsync(1, Ready);
        await using var host = ForeignHost.Take();
        ForeignSocket worker = await host.SocketAsync("REQ");
        await worker.ConnectAsync(site.Endpoint("worker"));
        await worker.SendTextAsync("READY");
        BrokerConnection client = await site.ClientAsync();
        _ = RequestSite.AskAsync(client, "lost");
        Assert.NotNull(await worker.ReceiveAsync());
        await worker.SendTextAsync("READY");
        await Wait.UntilAsync(() => site.Workers is { Refused: 1, Pending: 0 }, "the reply without an envelope");
        Task<Message> asked = RequestSite.AskAsync(client, "next");
        JsonArray request = JsonNode.Parse((await worker.ReceiveAsync())!)!.AsArray();
        Assert.True(await worker.SendAsync(request.DeepClone().AsArray()));
        Assert.Equal("next", Text(await asked));
    }

    [Fact]
    public async Task Waiting_requests_hear_that_nobody_is_there_when_the_last_worker_leaves()
    {
        await using RequestSite site = await RequestSite.StartAsync(1, Ready with { OnWorkerLoss = WorkerLoss.Reply });
        await using var host = ForeignHost.Take();
        ForeignSocket worker = await host.SocketAsync("REQ");
        await worker.ConnectAsync(site.Endpoint("worker"));
        await worker.SendTextAsync("READY");
        BrokerConnection client = await site.ClientAsync();
        Task<Message> received = RequestSite.AskAsync(client, "received");
        Assert.NotNull(await worker.ReceiveAsync());
        Task<Message> waiting = client.RequestAsync(RequestSite.Subject, "waiting"u8.ToArray(), Wait.Limit, cancellationToken: Token).AsTask();
        await Wait.UntilAsync(() => site.Workers.Pending == 2, "the second request");
        await worker.CloseAsync();
        await Assert.ThrowsAsync<NoRespondersException>(() => waiting);
        Assert.Equal("502", new MessageHeaders((await received).Headers.Span)["Nats-Service-Error-Code"]);
        WorkerRouteSnapshot counts = await SettledAsync(site);
        Assert.Equal((0, 1, 1), (counts.Pending, counts.WorkerLost, counts.NotTaken));
    }

    [Theory]
    [InlineData(100_000, 1000, 2)]
    [InlineData(16 << 20, 2, 1)]
    public async Task Waiting_requests_have_a_bound_in_bytes_and_in_number(long bytes, int perWorker, int waiting)
    {
        await using RequestSite site = await RequestSite.StartAsync(1, Ready with { MaxQueuedBytes = bytes, MaxPendingPerWorker = perWorker });
        await using var host = ForeignHost.Take();
        ForeignSocket worker = await host.SocketAsync("REQ");
        await worker.ConnectAsync(site.Endpoint("worker"));
        await worker.SendTextAsync("READY");
        BrokerConnection client = await site.ClientAsync();
        string body = new('x', 40_000);
        _ = RequestSite.AskAsync(client, body);
        Assert.NotNull(await worker.ReceiveAsync());
        for (int i = 0; i < waiting; i++)
        {
            _ = RequestSite.AskAsync(client, body);
            await Wait.UntilAsync(() => site.Workers.Pending == i + 2, "the next request");
        }

        await Assert.ThrowsAsync<NoRespondersException>(
            () => client.RequestAsync(RequestSite.Subject, Encoding.UTF8.GetBytes(body), Wait.Limit, cancellationToken: Token).AsTask());
        Assert.Equal((waiting + 1, 1), (site.Workers.Pending, site.Workers.ToZeroMq));
    }

    [Theory]
    [InlineData("balance")]
    [InlineData("pirate")]
    [InlineData("majordomo")]
    public async Task A_broker_of_the_guide_and_its_workers_serve_the_requests_of_ZeroMQ_clients(string kind)
    {
        const int Requests = 50;
        await using var broker = new PyBroker(kind, workers: 3);
        BridgeEndpoint endpoint = new(false, await broker.EndpointAsync());
        await using RequestSite site = await RequestSite.StartAsync(
            1, RequestSite.Asking, RequestSite.Answering with { Endpoints = [endpoint, endpoint, endpoint], Envelope = WorkerEnvelope.Empty });
        await Wait.UntilAsync(() => site.Workers.Peers == 3, "the connections to the broker");
        string[] header = kind == "majordomo" ? ["MDPC01", "echo"] : [];
        await Task.WhenAll(Enumerable.Range(0, 4).Select(async number =>
        {
            await using var host = ForeignHost.Take();
            ForeignSocket req = await host.SocketAsync("REQ");
            await req.ConnectAsync(site.Endpoint("request"));
            for (int i = 0; i < Requests; i++)
            {
                string body = $"{number}-{i}";
                Assert.Equal(string.Join('|', [.. header, $"done {body}"]), await req.AskAsync([.. header, body]));
            }
        }));

        WorkerRouteSnapshot counts = await SettledAsync(site);
        Assert.Equal((4 * Requests, 0, 0, 0), (counts.Answered, counts.Pending, counts.Refused, counts.Late));
        await Wait.UntilAsync(() => site.Requests.Answered == 4 * Requests, "the last answer to be counted");
    }

    [Fact]
    public async Task A_late_reply_is_not_taken_for_the_reply_to_the_next_request()
    {
        await using var host = ForeignHost.Take();
        ForeignSocket router = await host.SocketAsync("ROUTER");
        string endpoint = await router.BindAsync("tcp://127.0.0.1:*");
        await using RequestSite site = await RequestSite.StartAsync(
            1,
            RequestSite.Answering with
            {
                Endpoints = [new(false, endpoint)],
                Envelope = WorkerEnvelope.Empty,
                TimeToLive = TimeSpan.FromMilliseconds(200),
            });
        BrokerConnection client = await site.ClientAsync();
        _ = RequestSite.AskAsync(client, "first");
        JsonArray first = JsonNode.Parse((await router.ReceiveAsync())!)!.AsArray();
        await Wait.UntilAsync(() => site.Workers.TimedOut == 1, "the first request to end");

        // To the first connection, which is gone.
        Assert.True(await router.SendAsync(first.DeepClone().AsArray()));
        string? seen = null;
        Task<Message> asked = AskUntilAnsweredAsync(client, "second");
        while (!asked.IsCompleted)
        {
            seen = await router.ReceiveAsync(100) ?? seen;
            if (seen is not null)
            {
                JsonArray frames = JsonNode.Parse(seen)!.AsArray();
                Assert.NotEqual((string)first[0]!, (string)frames[0]!);
                Assert.True(await router.SendAsync(frames));
            }
        }

        Assert.Equal("second", Text(await asked));
    }

    // The last answer arrives before the route has removed its request.
    private static async Task<WorkerRouteSnapshot> SettledAsync(RequestSite site)
    {
        await Wait.UntilAsync(() => site.Workers.Pending == 0, "the last request to be removed");
        return site.Workers;
    }

    private static async Task<Message> AskUntilAnsweredAsync(BrokerConnection client, string body)
    {
        while (true)
        {
            try
            {
                return await client.RequestAsync(RequestSite.Subject, Encoding.UTF8.GetBytes(body), TimeSpan.FromSeconds(1), cancellationToken: Token);
            }
            catch (Exception e) when (e is NoRespondersException or TimeoutException)
            {
                await Task.Delay(10, Token);
            }
        }
    }

    private static string Text(Message message) => Encoding.UTF8.GetString(message.Body.Span);
}
