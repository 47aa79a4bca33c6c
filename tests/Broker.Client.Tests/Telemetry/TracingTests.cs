using System.Diagnostics;
using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;
using Broker.Client.Tests.Support;
using Broker.Server;

namespace Broker.Client.Tests.Telemetry;

/// <summary>
/// These tests run one at a time and not beside other tests with spans, because a listener receives the spans of the
/// whole process.
/// </summary>
public sealed partial class TracingTests : IAsyncLifetime
{
    private BrokerServer _server = null!;
    private BrokerConnection _client = null!;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private string Url => $"nats://{_server.EndPoints[0]}";

    public async ValueTask InitializeAsync()
    {
        _server = await BrokerServer.StartAsync(static o => o.Listen(0), Token);
        _client = await ConnectAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        await _server.DisposeAsync();
    }

    [Fact]
    public async Task A_trace_continues_from_the_publisher_through_the_handler_to_what_the_handler_publishes()
    {
        using var spans = new RecordedSpans(ClientActivities.SourceName);
        await using BrokerConnection other = await ConnectAsync();
        other.Subscribe("orders.*", (in message) => message.Connection.Publish("accepted", message.Body), queue: "desk");
        other.Subscribe("accepted", static (in _) => { });
        await other.FlushAsync(Token);
        Activity cause = spans.Source.StartActivity("cause")!;
        cause.TraceStateString = "vendor=1";

        _client.Publish("orders.new", "12345"u8);

        cause.Dispose();
        Activity publish = await spans.WaitForAsync("publish orders.new");
        Activity process = await spans.WaitForAsync("process orders.new");
        Activity accept = await spans.WaitForAsync("publish accepted");
        Activity accepted = await spans.WaitForAsync("process accepted");
        Activity[] chain = [cause, publish, process, accept, accepted];
        Assert.All(chain, a => Assert.Equal((cause.TraceId, "vendor=1"), (a.TraceId, a.TraceStateString)));
        Assert.Equal(chain[..^1].Select(a => a.SpanId), chain[1..].Select(a => a.ParentSpanId));
        Assert.Equal((ActivityKind.Producer, ActivityKind.Consumer), (publish.Kind, process.Kind));
        Assert.Equal((false, true), (publish.HasRemoteParent, process.HasRemoteParent));
        string port = _server.EndPoints[0].ToString()!.Split(':')[1];
        Assert.Equal(
            $"messaging.system=nats messaging.operation.name=publish messaging.operation.type=send messaging.destination.name=orders.new messaging.message.body.size=5 server.address=127.0.0.1 server.port={port}",
            TagsOf(publish));
        Assert.Equal(
            $"messaging.system=nats messaging.operation.name=process messaging.operation.type=process messaging.destination.name=orders.new messaging.message.body.size=5 messaging.destination.subscription.name=orders.* messaging.consumer.group.name=desk server.address=127.0.0.1 server.port={port}",
            TagsOf(process));
        Assert.Null(Activity.Current);
    }

    [Fact]
    public async Task The_span_of_a_request_lasts_until_the_reply_and_the_responders_span_is_its_child()
    {
        using var spans = new RecordedSpans(ClientActivities.SourceName);
        using Activity cause = spans.Source.StartActivity("cause")!;
        _client.Subscribe("ask", static (in message) => message.Respond("yes"u8));

        Message answer = await _client.RequestAsync("ask", default, Wait.Limit, cancellationToken: Token);
        Assert.Equal(cause, Activity.Current);

        Activity request = await spans.WaitForAsync("request ask");
        Activity process = await spans.WaitForAsync("process ask");
        // The span's name does not contain the subject, because each reply has its own.
        Activity respond = await spans.WaitForAsync("publish");
        Assert.Equal((cause.SpanId, request.SpanId, process.SpanId), (request.ParentSpanId, process.ParentSpanId, respond.ParentSpanId));
        Assert.Equal(true, respond.GetTagItem("messaging.destination.temporary"));
        Assert.Equal(respond.Id, new MessageHeaders(answer.Headers.Span)["traceparent"]);
        Assert.Equal(ActivityStatusCode.Unset, request.Status);
        _client.Request("ask", default, Wait.Limit, cancellationToken: Token);
        Assert.Single(await _client.GatherAsync("ask", default, new RequestManyOptions { MaxReplies = 1 }, cancellationToken: Token));
        await Wait.UntilAsync(() => spans.Ended().Count(a => a.OperationName == "request ask" && a.ParentSpanId == cause.SpanId) == 3, "three requests");
    }

    [Fact]
    public async Task A_reader_of_a_queue_starts_a_span_as_a_child_of_the_publish()
    {
        using var spans = new RecordedSpans(ClientActivities.SourceName);
        await using QueuedSubscription queue = _client.SubscribeQueued("a");
        await _client.PublishAsync("a", default, cancellationToken: Token);
        Message message = await queue.Reader.ReadAsync(Token);

        using (Activity? span = message.StartActivity())
        {
            Assert.Equal((span, "process a"), (Activity.Current, span!.OperationName));
            message.Subscription.Connection.Publish("b", default);
        }

        Activity publish = await spans.WaitForAsync("publish a");
        Activity process = await spans.WaitForAsync("process a");
        Assert.Equal((publish.SpanId, process.SpanId), (process.ParentSpanId, (await spans.WaitForAsync("publish b")).ParentSpanId));
    }

    [Fact]
    public async Task Values_have_spans_like_bytes()
    {
        using var spans = new RecordedSpans(ClientActivities.SourceName);
        var texts = new EncodedConnection(_client, TextEncoder.Instance);
        texts.Subscribe<string>("ask", (_, message) => texts.Respond(message, "yes"));
        texts.SubscribeInline<string>("ask.inline", (_, in message) => texts.Respond(in message, "yes"));

        await texts.PublishAsync("told", "x", cancellationToken: Token);
        Assert.Equal("yes", await texts.RequestAsync<string, string>("ask", "?", Wait.Limit, cancellationToken: Token));

        Activity request = await spans.WaitForAsync("request ask");
        Assert.Equal(request.SpanId, (await spans.WaitForAsync("process ask")).ParentSpanId);
        Assert.Equal("yes", await texts.RequestAsync<string, string>("ask.inline", "?", Wait.Limit, cancellationToken: Token));
        Assert.Equal((await spans.WaitForAsync("request ask.inline")).SpanId, (await spans.WaitForAsync("process ask.inline")).ParentSpanId);
        Assert.Single(spans.Ended(), static a => a.OperationName == "publish told");
    }

    [Fact]
    public async Task The_span_of_a_failure_has_an_error_status()
    {
        using var spans = new RecordedSpans(ClientActivities.SourceName);
        _client.Subscribe("a", static (in _) => throw new InvalidDataException("no order"));
        _client.Publish("a", default);
        await Assert.ThrowsAsync<NoRespondersException>(() => _client.RequestAsync("nobody", default, Wait.Limit, cancellationToken: Token).AsTask());
        Assert.Throws<NoRespondersException>(() => _client.Request("nobody.blocking", default, Wait.Limit, cancellationToken: Token));
        await Assert.ThrowsAsync<NoRespondersException>(() => _client.GatherAsync("nobody.many", default, cancellationToken: Token));
        byte[] much = new byte[_client.MaxPayload + 1];
        Assert.Equal(PublishStatus.PayloadTooLarge, _client.PublishWithStatus("much", much));
        await Assert.ThrowsAsync<PublishRefusedException>(() => _client.PublishAsync("much.later", much, cancellationToken: Token).AsTask());
        Assert.Throws<ArgumentException>(() => _client.Publish("a..b", default));
        Assert.Throws<ArgumentException>(() => _client.Publish("headers", default, headers: "none"u8));

        (string Name, string Type)[] expected =
        [
            ("process a", "System.IO.InvalidDataException"),
            ("request nobody", typeof(NoRespondersException).FullName!),
            ("request nobody.blocking", typeof(NoRespondersException).FullName!),
            ("request nobody.many", typeof(NoRespondersException).FullName!),
            ("publish much", "PayloadTooLarge"),
            ("publish much.later", typeof(PublishRefusedException).FullName!),
            ("publish a..b", "System.ArgumentException"),
            ("publish headers", "System.ArgumentException"),
        ];
        foreach ((string name, string type) in expected)
        {
            Activity span = await spans.WaitForAsync(name);
            Assert.Equal((ActivityStatusCode.Error, type), (span.Status, span.GetTagItem("error.type")));
        }

        Assert.Equal("no order", (await spans.WaitForAsync("process a")).StatusDescription);
    }

    [Fact]
    public async Task Existing_headers_are_kept_and_an_older_context_is_replaced()
    {
        using var spans = new RecordedSpans(ClientActivities.SourceName);
        await using QueuedSubscription queue = _client.SubscribeQueued("a");

        _client.Publish("a", "x"u8, headers: "NATS/1.0\r\nOne: 1\r\nTraceParent: old\r\ntracestate: old=1\r\nTwo: 2\r\n\r\n"u8);

        Message message = await queue.Reader.ReadAsync(Token);
        Activity publish = await spans.WaitForAsync("publish a");
        Assert.Equal($"NATS/1.0\r\nOne: 1\r\nTwo: 2\r\ntraceparent: {publish.Id}\r\n\r\n", Encoding.UTF8.GetString(message.Headers.Span));
        Assert.Equal("x", Encoding.UTF8.GetString(message.Body.Span));
    }

    [Theory]
    [InlineData("NATS/1.0\r\ntraceparent: nonsense\r\n\r\n")]
    [InlineData("NATS/1.0\r\nOther: 1\r\n\r\n")]
    [InlineData("")]
    public async Task A_message_without_a_context_starts_a_new_trace(string headers)
    {
        await using BrokerConnection plain = await Patient.ConnectAsync(Url, Token);
        using var spans = new RecordedSpans(ClientActivities.SourceName);
        _client.Subscribe("a", static (in _) => { });
        await _client.FlushAsync(Token);

        plain.Publish("a", default, headers: Encoding.UTF8.GetBytes(headers));

        Activity process = await spans.WaitForAsync("process a");
        Assert.Equal((null, default), (process.ParentId, process.ParentSpanId));
    }

    [Fact]
    public async Task Without_tracing_and_with_unchecked_publishes_messages_stay_unchanged()
    {
        using var spans = new RecordedSpans(ClientActivities.SourceName);
        using Activity? cause = spans.Source.StartActivity("cause");
        await using BrokerConnection plain = await Patient.ConnectAsync(Url, Token);
        await using QueuedSubscription queue = plain.SubscribeQueued("a");
        await plain.FlushAsync(Token);

        plain.Publish("a", default);
        Assert.Equal(0, (await queue.Reader.ReadAsync(Token)).Headers.Length);
        _client.PublishWithStatus("a"u8, default);
        Message message = await queue.Reader.ReadAsync(Token);

        Assert.Equal(0, message.Headers.Length);
        Assert.Null(message.StartActivity());
        Assert.Empty(spans.Ended());
    }

    [Fact]
    public async Task A_span_that_is_not_sampled_propagates_the_current_context()
    {
        await using QueuedSubscription queue = _client.SubscribeQueued("a");
        using Activity cause = new Activity("cause").SetIdFormat(ActivityIdFormat.W3C).Start();
        using var spans = new RecordedSpans(ActivitySamplingResult.None, ClientActivities.SourceName);

        _client.Publish("a", default);

        Assert.Equal(cause.Id, new MessageHeaders((await queue.Reader.ReadAsync(Token)).Headers.Span)["traceparent"]);
    }

    [Fact]
    public async Task A_message_without_space_for_headers_is_sent_without_a_context()
    {
        using var spans = new RecordedSpans(ClientActivities.SourceName);
        await using QueuedSubscription queue = _client.SubscribeQueued("a");

        _client.Publish("a", new byte[_client.MaxPayload]);

        Message message = await queue.Reader.ReadAsync(Token);
        Assert.Equal((0, _client.MaxPayload), (message.Headers.Length, message.Body.Length));
    }

    [Fact]
    public async Task A_trace_state_with_a_line_end_is_omitted()
    {
        using var spans = new RecordedSpans(ClientActivities.SourceName);
        await using QueuedSubscription queue = _client.SubscribeQueued("a");
        using Activity cause = spans.Source.StartActivity("cause")!;
        cause.TraceStateString = "a=1\r\nEvil: 1";

        _client.Publish("a", default);

        Assert.Equal(["traceparent"], new MessageHeaders((await queue.Reader.ReadAsync(Token)).Headers.Span).Select(h => h.Key));
    }

    [Fact]
    public async Task Without_a_listener_nothing_is_added_and_nothing_is_allocated()
    {
        const int Messages = 100_000;
        const long Allowance = 100_000;
        byte[] body = new byte[64];
        long received = 0;
        long expected = 0;
        long onLoop = 0;
        bool headers = false;
        using var complete = new AutoResetEvent(false);
        _client.Subscribe("alloc", (in message) =>
        {
            headers |= !message.Headers.IsEmpty;
            if (++received == Volatile.Read(ref expected))
            {
                Volatile.Write(ref onLoop, GC.GetAllocatedBytesForCurrentThread());
                complete.Set();
            }
        });

        (long Here, long Loop) Round()
        {
            (long here, long loop) = (GC.GetAllocatedBytesForCurrentThread(), Volatile.Read(ref onLoop));
            for (int sent = 0; sent < Messages; sent += 1000)
            {
                Volatile.Write(ref expected, Volatile.Read(ref received) + 1000);
                for (int i = 0; i < 1000; i++)
                {
                    _client.Publish("alloc", body);
                }

                Assert.True(complete.WaitOne(Wait.Limit));
            }

            return (GC.GetAllocatedBytesForCurrentThread() - here, Volatile.Read(ref onLoop) - loop);
        }

        // The first rounds compile the code and fill the pools.
        Round();
        Round();
        (long publishing, long handling) = Round();

        Assert.InRange(publishing, 0, Allowance);
        Assert.InRange(handling, 0, Allowance);
        Assert.False(headers);
        using var spans = new RecordedSpans(ClientActivities.SourceName);
        _client.Publish("alloc", body);
        await spans.WaitForAsync("process alloc");
    }

    [Fact]
    public async Task The_page_lists_exactly_the_attributes_and_spans_that_exist()
    {
        using var spans = new RecordedSpans(ClientActivities.SourceName);
        _client.Subscribe("ask", static (in message) => message.Respond(default), queue: "q");
        await _client.RequestAsync("ask", default, Wait.Limit, cancellationToken: Token);
        await Assert.ThrowsAsync<NoRespondersException>(() => _client.RequestAsync("nobody", default, Wait.Limit, cancellationToken: Token).AsTask());
        await spans.WaitForAsync("process ask");
        string page = await File.ReadAllTextAsync(Path.Combine(Repository.Root, "docs", "telemetry.md"), Token);
        string section = page[page.IndexOf("## Spans", StringComparison.Ordinal)..page.IndexOf("## Spans of bridges", StringComparison.Ordinal)];

        Assert.Equal(
            spans.Ended().SelectMany(a => a.TagObjects).Select(t => t.Key).Distinct().Order(StringComparer.Ordinal),
            Documented().Matches(section).SelectMany(m => m.Groups[1].Value.Split("`, `")).Order(StringComparer.Ordinal));
        Assert.Equal(
            spans.Ended().Select(a => a.OperationName.Split(' ')[0]).Distinct().Order(StringComparer.Ordinal),
            SpanName().Matches(section).Select(m => m.Groups[1].Value).Order(StringComparer.Ordinal));
    }

    private Task<BrokerConnection> ConnectAsync() => Patient.ConnectAsync(new ClientOptions { Servers = [Url], Tracing = true }, Token);

    private static string TagsOf(Activity activity)
        => string.Join(' ', activity.TagObjects.Select(t => string.Create(CultureInfo.InvariantCulture, $"{t.Key}={t.Value}")));

    [GeneratedRegex(@"^\| `([a-z_.]+\.[a-z_.]+(?:`, `[a-z_.]+)*)` \|", RegexOptions.Multiline | RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Documented();

    [GeneratedRegex(@"^\| `([a-z]+) SUBJECT` \|", RegexOptions.Multiline | RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex SpanName();
}
