using System.Text;
using Broker.Bridge.Tests.PubSub.Support;
using Broker.Client;

namespace Broker.Bridge.Tests.PubSub;

/// <summary>
/// A route passes the trace context on: as a header on the NATS side, as the last frame on the ZeroMQ side.
/// </summary>
public sealed class TraceFrameTests
{
    private const string Context = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(3)]
    public async Task A_trace_of_a_PUB_is_a_header_and_of_a_header_a_last_frame_of_pyzmq(int loops)
    {
        await using Site site = await Site.StartAsync(loops, static o => o with { TraceFrame = true });
        BrokerConnection client = await site.ClientAsync();
        TaskCompletionSource<string> heard = Wait.Source<string>();
        client.Subscribe(site.Subject("up"), (in message) => heard.TrySetResult(Said(message.Headers, message.Body)));
        await client.FlushAsync(Token);
        await using Publisher publisher = await site.PublisherAsync();
        await using var python = new PySubscriber(site.Route.SubscriberEndpoints[0]);
        await python.SubscribeAsync("py");
        await using Subscriber subscriber = await site.SubscriberAsync("down");
        var headers = new MessageHeaders { ["traceparent"] = Context };

        await publisher.SendAsync(Frames("up", "body", Context));
        Assert.Equal($"{Context} frames  body", await Wait.For(heard));

        client.Publish(site.Subject("down"), "body"u8, headers: headers);
        client.Publish(site.Subject("down"), "plain"u8);
        await Wait.UntilAsync(() => subscriber.Count == 2, () => $"{site.Route.Snapshot()}");
        Assert.Equal([$"down|body|{Context}", "down|plain"], subscriber.Order);

        // Publishes until the subscription is active.
        Task<string[]> received = python.ReceiveAsync(1);
        await Wait.UntilAsync(
            () => received.IsCompleted, () => $"{site.Route.Snapshot()}", () => client.Publish(site.Subject("py"), "body"u8, headers: headers));
        Assert.Equal([$"py body {Context}"], await received);
    }

    [Fact]
    public async Task More_frames_than_two_stay_together_on_both_ways_and_last_values_keep_the_trace()
    {
        await using Site site = await Site.StartAsync(1, static o => o with { TraceFrame = true, LastValues = new LastValueOptions() });
        await using Publisher publisher = await site.PublisherAsync();
        await publisher.SendAsync(Frames("t", "one", "two", Context));
        await Wait.UntilAsync(() => site.Route.Snapshot().LastValues > 0 && site.Route.Snapshot().ToSubjects > 1, () => $"{site.Route.Snapshot()}");

        await using var late = new PySubscriber(site.Route.SubscriberEndpoints[0]);
        await late.SubscribeAsync("t");

        Assert.Equal([$"t one two {Context}"], await late.ReceiveAsync(1));
    }

    [Theory]
    [InlineData("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0")]
    [InlineData("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-011")]
    [InlineData("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01")]
    [InlineData("00-00000000000000000000000000000000-00f067aa0ba902b7-01")]
    [InlineData("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01")]
    [InlineData("ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")]
    [InlineData("00 4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")]
    public async Task A_last_frame_that_is_no_context_stays_a_frame(string last)
    {
        await using Site site = await Site.StartAsync(1, static o => o with { TraceFrame = true });
        Assert.Equal($" frames 3 ({last.Length})", await HearAsync(site, "t", "body", last));
    }

    [Fact]
    public async Task A_context_that_is_the_body_itself_or_comes_by_a_route_without_the_option_stays_a_frame()
    {
        await using (Site site = await Site.StartAsync(1, static o => o with { TraceFrame = true }))
        {
            Assert.Equal($" frames  {Context}", await HearAsync(site, "t", Context));
        }

        await using (Site site = await Site.StartAsync(1))
        {
            Assert.Equal($" frames 3 ({Context.Length})", await HearAsync(site, "t", "body", Context));
        }
    }

    private static async Task<string> HearAsync(Site site, params string[] frames)
    {
        BrokerConnection client = await site.ClientAsync();
        TaskCompletionSource<string> heard = Wait.Source<string>();
        client.Subscribe(site.Subject(frames[0]), (in message) => heard.TrySetResult(Said(message.Headers, message.Body)));
        await client.FlushAsync(Token);
        await using Publisher publisher = await site.PublisherAsync();
        await publisher.SendAsync(Frames(frames));
        return await Wait.For(heard);
    }

    // Identifies bodies of several frames by the length of the last one, because they begin with lengths.
    private static string Said(ReadOnlySpan<byte> block, ReadOnlySpan<byte> body)
    {
        var headers = new MessageHeaders(block);
        string? frames = headers["Zmq-Frames"];
        string text = frames is null ? Encoding.UTF8.GetString(body) : $"({body.Length - "body".Length - 8})";
        return $"{headers["traceparent"]} frames {frames} {text}";
    }

    private static byte[][] Frames(params string[] frames) => [.. frames.Select(Encoding.UTF8.GetBytes)];
}
