using System.Diagnostics;
using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;
using Broker.Bridge.Tests.Pipelines.Support;
using Broker.Bridge.Tests.Requests.Support;
using Broker.Client;
using Broker.ZeroMq;

namespace Broker.Bridge.Tests.Tracing;

/// <summary>
/// The spans of a bridge connect the steps of ZeroMQ programs with the traces of other programs, because ZeroMQ
/// messages have no headers.
/// </summary>
public sealed partial class SpanTests : IDisposable
{
    private static readonly ZeroMqSocketOptions Patient = new() { ReceiveTimeout = Wait.Limit, SendTimeout = Wait.Limit };

    private readonly RecordedSpans _spans = new(ClientActivities.SourceName, BridgeActivities.SourceName);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public void Dispose() => _spans.Dispose();

    /// <summary>
    /// The number of event loops of the broker (0 for a nats-server), and whether the first frame becomes the subject.
    /// </summary>
    public static TheoryData<int, bool> Requests => new(from loops in (int[])[1, 0] from topics in (bool[])[false, true] select (loops, topics));

    [Theory]
    [MemberData(nameof(Requests))]
    public async Task A_REQ_request_starts_a_trace_that_the_responder_continues_until_the_reply(int loops, bool topics)
    {
        RequestRouteOptions route = topics ? RequestSite.Asking with { Subject = null, Topics = new MappingOptions { BridgeId = "a", Prefix = "svc" } } : RequestSite.Asking;
        await using RequestSite site = await RequestSite.StartAsync(loops, tracing: true, route);
        await using BrokerConnection service = await ConnectAsync(site.Url);
        string headers = "";
        service.Subscribe("svc.>", (in message) =>
        {
            headers = Encoding.ASCII.GetString(message.Headers);
            message.Respond("answer"u8);
        });
        await service.FlushAsync(Token);

        await AskAsync(site.Endpoint("request"), "echo", "question");

        Activity request = await _spans.WaitForAsync(topics ? "request svc.>" : "request svc.echo");
        Activity process = await _spans.WaitForAsync("process svc.echo");
        Activity respond = await _spans.WaitForAsync("publish");
        Assert.Equal((default, request.SpanId, process.SpanId), (request.ParentSpanId, process.ParentSpanId, respond.ParentSpanId));
        Assert.Equal((request.TraceId, request.TraceId), (process.TraceId, respond.TraceId));
        Assert.Equal((ActivityKind.Producer, ActivityStatusCode.Unset), (request.Kind, request.Status));
        Assert.Contains($"\r\ntraceparent: {request.Id}\r\n", headers, StringComparison.Ordinal);
        string subject = topics ? "svc.>" : "svc.echo";
        Assert.Equal(
            $"messaging.system=nats messaging.operation.name=request messaging.operation.type=send messaging.destination.name={subject} messaging.message.body.size=12 broker.route=request",
            TagsOf(request));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(0)]
    public async Task The_span_of_a_REP_is_below_the_request_and_its_reply_contains_the_context(int loops)
    {
        await using RequestSite site = await RequestSite.StartAsync(loops, tracing: true, RequestSite.Answering);
        await using BrokerConnection client = await ConnectAsync(site.Url);
        using var worker = new ResponseSocket(Patient);
        worker.Connect(site.Endpoint("worker"));
        await Wait.UntilAsync(() => site.Workers.IsSubscribed, "the worker");
        await client.FlushAsync(Token);
        using Activity cause = _spans.Source.StartActivity("cause")!;
        cause.TraceStateString = "vendor=1";
        Task<Message> asked = RequestSite.AskAsync(client, "question");
        await Task.Run(() => worker.Send(worker.ReceiveString()), Token);

        Message answer = await asked;

        Activity work = await _spans.WaitForAsync("request worker");
        // The request may be sent before the server knows the worker, so it is repeated.
        Activity request = await _spans.WaitForAsync(a => a.OperationName == "request svc.echo" && a.Status == ActivityStatusCode.Unset, "the request");
        Assert.Equal((cause.SpanId, request.SpanId, "vendor=1"), (request.ParentSpanId, work.ParentSpanId, work.TraceStateString));
        Assert.Equal((true, ActivityStatusCode.Unset), (work.HasRemoteParent, work.Status));
        Assert.Equal(work.Id, new MessageHeaders(answer.Headers.Span)["traceparent"]);
        Assert.Equal("question", Encoding.UTF8.GetString(answer.Body.Span));
        Assert.Equal(
            "messaging.system=zeromq messaging.operation.name=request messaging.operation.type=send messaging.destination.name=worker messaging.message.body.size=8 broker.route=worker",
            TagsOf(work));
    }

    [Fact]
    public async Task Frames_of_requests_and_answers_are_as_they_were()
    {
        await using RequestSite site = await RequestSite.StartAsync(1, tracing: true, RequestSite.Asking, RequestSite.Answering);
        using var worker = new ResponseSocket(Patient);
        worker.Connect(site.Endpoint("worker"));
        await Wait.UntilAsync(() => site.Workers.IsSubscribed, "the worker");
        var serving = Task.Run(
            () =>
            {
                byte[][] frames = worker.ReceiveFrames();
                worker.Send(frames[1], frames[0]);
            },
            Token);

        Assert.Equal(["b", "a"], await AskAsync(site.Endpoint("request"), "a", "b"));
        await serving;
        Activity request = await _spans.WaitForAsync("request svc.echo");
        Assert.Equal(request.SpanId, (await _spans.WaitForAsync("request worker")).ParentSpanId);
    }

    [Fact]
    public async Task The_span_of_an_unanswered_request_contains_the_reason()
    {
        await using RequestSite site = await RequestSite.StartAsync(
            1,
            tracing: true,
            RequestSite.Asking with { Name = "nobody", NoResponders = NoResponders.Reply },
            RequestSite.Asking with { Name = "late", Subject = "svc.silent", TimeToLive = TimeSpan.FromMilliseconds(100), TimeoutReply = "late"u8.ToArray() },
            RequestSite.Asking with { Name = "ended", Subject = "svc.silent" },
            RequestSite.Answering with { Subject = "svc.lost", OnWorkerLoss = WorkerLoss.Reply });
        await using BrokerConnection client = await site.ClientAsync();
        client.Subscribe("svc.silent", static (in _) => { });
        await client.FlushAsync(Token);

        Assert.Equal(["no responders"], await AskAsync(site.Endpoint("nobody"), "x"));
        Assert.Equal(["late"], await AskAsync(site.Endpoint("late"), "x"));
        using var asks = new RequestSocket(new RequestSocketOptions { SendTimeout = Wait.Limit });
        asks.Connect(site.Endpoint("ended"));
        asks.Send("x");
        await Wait.UntilAsync(() => ((RequestRouteSnapshot)site.Bridge.Snapshot()["ended"]!).Pending == 1, "the request");
        await site.Bridge.RemoveRouteAsync("ended");
        Task<Message> asked;
        using (var worker = new ResponseSocket(Patient))
        {
            worker.Connect(site.Endpoint("worker"));
            await Wait.UntilAsync(() => site.Workers.IsSubscribed, "the worker");
            asked = RequestSite.AskAsync(client, "x", "svc.lost");
            await Task.Run(worker.ReceiveString, Token);
        }

        await asked;
        await _spans.WaitForAsync("request worker");
        Assert.Equal(
            ["ended abandoned", "late timeout", "nobody no_responders", "worker worker_lost"],
            _spans.Ended().Where(a => a.GetTagItem("broker.route") is not null)
                .Select(a => $"{a.GetTagItem("broker.route")} {a.GetTagItem("error.type")}").Order(StringComparer.Ordinal));
        Assert.All(_spans.Ended().Where(a => a.GetTagItem("broker.route") is not null), a => Assert.Equal(ActivityStatusCode.Error, a.Status));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_message_without_space_for_a_trace_header_is_published_unchanged(bool answer)
    {
        await using RequestSite site = await RequestSite.StartAsync(1, tracing: true, RequestSite.Asking, RequestSite.Answering with { Subject = "svc.worker", MaxMessageSize = 1 << 21 });
        await using BrokerConnection client = await site.ClientAsync();
        string most = new string('x', client.MaxPayload);
        string? headers = null;
        if (answer)
        {
            using var worker = new ResponseSocket(Patient);
            worker.Connect(site.Endpoint("worker"));
            await Wait.UntilAsync(() => site.Workers.IsSubscribed, "the worker");
            Task<Message> asked = RequestSite.AskAsync(client, "x", "svc.worker");
            await Task.Run(
                () =>
                {
                    worker.ReceiveString();
                    worker.Send(most);
                },
                Token);
            Message message = await asked;
            Assert.Equal((0, most.Length), (message.Headers.Length, message.Body.Length));
        }
        else
        {
            client.Subscribe(RequestSite.Subject, (in message) =>
            {
                headers = Encoding.ASCII.GetString(message.Headers);
                message.Respond(default);
            });
            await client.FlushAsync(Token);
            Assert.Equal([""], await AskAsync(site.Endpoint("request"), most));
            Assert.Equal("", headers);
        }

        await _spans.WaitForAsync(answer ? "request worker" : "request svc.echo");
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task A_PUSH_message_starts_a_trace_that_continues_at_the_other_end_of_the_pipeline(bool foreign, bool stream)
    {
        DirectoryInfo store = Directory.CreateTempSubdirectory("jetstream-");
        try
        {
            await using Pipeline pipeline = await (stream ? Pipeline.StartAsync(foreign, "-js", "-sd", store.FullName) : Pipeline.StartAsync(foreign));
            pipeline.Tracing = true;
            StreamQueueOptions? queue = stream ? new StreamQueueOptions { Stream = "WORK" } : null;
            ZeroMqBridge ingress = await pipeline.BridgeAsync(options => options with { Pullers = [], Stream = queue });
            ZeroMqBridge egress = await pipeline.BridgeAsync(options => options with { Pushers = [], Stream = queue });
            using var push = new PushSocket(Patient);
            using var pull = new PullSocket(Patient);
            push.Connect(ingress.PusherEndpoint());
            pull.Connect(egress.PullerEndpoint());

            await Task.Run(() => push.Send("work"), Token);
            Assert.Equal("work", await Task.Run(pull.ReceiveString, Token));

            Activity publish = await _spans.WaitForAsync($"publish {Pipeline.Subject}");
            Activity process = await _spans.WaitForAsync(a => a.ParentSpanId == publish.SpanId, "who takes it");
            Assert.StartsWith("process", process.OperationName, StringComparison.Ordinal);
            Assert.Equal((default, publish.TraceId, ActivityStatusCode.Unset), (publish.ParentSpanId, process.TraceId, publish.Status));
            Assert.Equal(
                $"messaging.system=nats messaging.operation.name=publish messaging.operation.type=send messaging.destination.name=work.orders messaging.message.body.size=4 broker.route={ingress.Route().Name}",
                TagsOf(publish));
        }
        finally
        {
            store.Delete(recursive: true);
        }
    }

    [Fact]
    public async Task A_bridge_without_tracing_creates_no_spans_and_adds_no_headers()
    {
        await using RequestSite site = await RequestSite.StartAsync(1, RequestSite.Asking);
        await using BrokerConnection service = await site.ClientAsync();
        int length = -1;
        service.Subscribe(RequestSite.Subject, (in message) =>
        {
            length = message.Headers.Length;
            message.Respond(default);
        });
        await service.FlushAsync(Token);

        await AskAsync(site.Endpoint("request"), "x");

        Assert.Equal(0, length);
        Assert.Empty(_spans.Ended());
    }

    [Fact]
    public async Task Each_attribute_and_span_is_on_the_page_and_nothing_else()
    {
        await using RequestSite site = await RequestSite.StartAsync(
            1, tracing: true, RequestSite.Asking with { NoResponders = NoResponders.Reply }, RequestSite.Answering with { Subject = "svc.worker" });
        await AskAsync(site.Endpoint("request"), "x");
        Activity request = await _spans.WaitForAsync("request svc.echo");
        string page = await File.ReadAllTextAsync(Path.Combine(Repository.Root, "docs", "telemetry.md"), Token);
        string section = page[page.IndexOf("## Spans of bridges", StringComparison.Ordinal)..page.IndexOf("## Prometheus", StringComparison.Ordinal)];

        Assert.Equal(
            request.TagObjects.Select(t => t.Key).Order(StringComparer.Ordinal),
            Documented().Matches(section).Select(m => m.Groups[1].Value).Order(StringComparer.Ordinal));
        Assert.Equal(["publish SUBJECT", "request ROUTE", "request SUBJECT"], SpanName().Matches(section).Select(m => m.Groups[1].Value).Order(StringComparer.Ordinal));
        Assert.All(
            (string[])["timeout", "no_responders", "worker_lost", "undeliverable", "malformed", "abandoned"],
            type => Assert.Contains($"`{type}`", section, StringComparison.Ordinal));
    }

    private static async Task<string[]> AskAsync(string endpoint, params string[] frames)
    {
        using var asks = new RequestSocket(new RequestSocketOptions { ReceiveTimeout = Wait.Limit, SendTimeout = Wait.Limit });
        asks.Connect(endpoint);
        return await Task.Run(
            () =>
            {
                asks.Send(new ZeroMqMessage(frames));
                return Array.ConvertAll(asks.ReceiveFrames(), Encoding.UTF8.GetString);
            },
            Token);
    }

    private static Task<BrokerConnection> ConnectAsync(string url)
        => BrokerConnection.ConnectAsync(new ClientOptions { Servers = [url], ConnectTimeout = Wait.Limit, Tracing = true }, Token);

    private static string TagsOf(Activity activity)
        => string.Join(' ', activity.TagObjects.Select(t => string.Create(CultureInfo.InvariantCulture, $"{t.Key}={t.Value}")));

    [GeneratedRegex(@"^\| `([a-z_]+\.[a-z_.]+)` \|", RegexOptions.Multiline | RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Documented();

    [GeneratedRegex(@"^\| `([a-z]+ [A-Z]+)` \|", RegexOptions.Multiline | RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex SpanName();
}
