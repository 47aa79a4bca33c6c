using System.Diagnostics;
using Broker.Client.Streams.Tests.Support;

namespace Broker.Client.Streams.Tests.Telemetry;

/// <summary>The spans of a client of streams.</summary>
public sealed class SpanTests(SharedServers servers)
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task A_trace_continues_from_the_publisher_through_the_stream_to_the_reader(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server, new StreamsOptions { Tracing = true });
        await site.CreateAsync();
        StreamConsumer consumer = await site.Streams.CreateConsumerAsync(site.Name, new ConsumerConfig("worker"), Ended);
        using ActivityListener listener = Listen(site.Name, out List<Activity> ended);

        await site.Streams.PublishAsync(site.Subject(), "12345"u8.ToArray(), headers: new MessageHeaders { ["A"] = "b" }, cancellationToken: Ended);
        StreamMessage message = (await consumer.NextAsync(cancellationToken: Ended))!.Value;
        Activity? process = message.StartActivity();

        Assert.Same(process, Activity.Current);
        process!.Dispose();
        Activity publish = Assert.Single(ended, static a => a.Kind == ActivityKind.Producer);
        Assert.Equal((publish.TraceId, publish.SpanId, true), (process.TraceId, process.ParentSpanId, process.HasRemoteParent));
        Assert.Equal(($"publish {site.Subject()}", $"process {site.Subject()}"), (publish.OperationName, process.OperationName));
        Assert.Equal("b", new MessageHeaders(message.Headers.Span)["A"]);
        Assert.Equal(site.Name, publish.GetTagItem("broker.stream"));
        Assert.Equal((site.Name, "worker", 1L), (process.GetTagItem("broker.stream"), process.GetTagItem("messaging.consumer.group.name"), process.GetTagItem("broker.delivered")));
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task The_span_of_a_refused_message_names_the_error(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server, new StreamsOptions { Tracing = true, NoStreamRetries = 0 });
        using ActivityListener listener = Listen(site.Name, out List<Activity> ended);

        await Assert.ThrowsAsync<NoStreamException>(async () => await site.Streams.PublishAsync(site.Subject(), default, cancellationToken: Ended));

        Activity publish = Assert.Single(ended);
        Assert.Equal((ActivityStatusCode.Error, typeof(NoStreamException).FullName), (publish.Status, publish.GetTagItem("error.type")));
    }

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task Without_the_option_there_are_no_spans_and_no_headers(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.CreateAsync();
        StreamConsumer consumer = await site.Streams.CreateConsumerAsync(site.Name, new ConsumerConfig("worker"), Ended);
        using ActivityListener listener = Listen(site.Name, out List<Activity> ended);

        await site.Streams.PublishAsync(site.Subject(), default, cancellationToken: Ended);
        StreamMessage message = (await consumer.NextAsync(cancellationToken: Ended))!.Value;

        Assert.Null(message.StartActivity());
        Assert.True(message.Headers.IsEmpty);
        Assert.Empty(ended);
    }

    // A listener hears the spans of the whole process, so it keeps those with the name of this test's stream.
    private static ActivityListener Listen(string stream, out List<Activity> ended)
    {
        List<Activity> kept = [];
        var listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == StreamsActivities.SourceName,
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = activity =>
            {
                if (activity.OperationName.Contains(stream, StringComparison.Ordinal))
                {
                    lock (kept)
                    {
                        kept.Add(activity);
                    }
                }
            },
        };
        ActivitySource.AddActivityListener(listener);
        ended = kept;
        return listener;
    }
}
