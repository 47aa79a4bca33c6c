using System.Text;
using Broker.Bridge;
using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQ.Tests;

/// <summary>PULL into a subject, and PUSH from a subject, with the credits of the bridge.</summary>
public sealed class PipelineTests
{
    private const int Messages = 50_000;

    private static PushPullRouteOptions Work => new() { Subject = "work" };

    [Theory]
    [InlineData("tcp://127.0.0.1:0")]
    [InlineData("inproc://pipeline")]
    public async Task Every_message_of_a_push_program_reaches_a_pull_program_in_order(string endpoint)
    {
        await using Site site = await Site.StartAsync();
        var pull = new PullSocket();
        var push = new PushSocket();
        string into = Bind(pull, endpoint + "-in");
        string from = Bind(push, endpoint + "-out");
        site.Poll(pull);
        site.Poll(push);
        await using NetMQAttachment incoming = await site.AttachAsync(pull, Work);
        await using NetMQAttachment outgoing = await site.AttachAsync(push, Work);

        using var pusher = new PushSocket(">" + into);
        var sending = Task.Run(() =>
        {
            for (int i = 0; i < Messages; i++)
            {
                pusher.SendFrame(BitConverter.GetBytes(i));
            }
        }, TestContext.Current.CancellationToken);
        await Task.Run(() =>
        {
            using var puller = new PullSocket(">" + from);
            for (int i = 0; i < Messages; i++)
            {
                Assert.True(puller.TryReceiveFrameBytes(Wait.Limit, out byte[]? body));
                Assert.Equal(i, BitConverter.ToInt32(body));
            }

            Assert.False(puller.TryReceiveFrameBytes(TimeSpan.FromMilliseconds(50), out _));
        }, TestContext.Current.CancellationToken);
        await sending;
        NetMQAttachmentSnapshot one = incoming.GetSnapshot();
        NetMQAttachmentSnapshot other = outgoing.GetSnapshot();
        Assert.Equal((Messages, Messages, 0), (one.FromNetMQ, one.ToRoute, one.Dropped));
        Assert.Equal((Messages, Messages, 0), (other.FromRoute, other.ToNetMQ, other.Dropped));
    }

    [Fact]
    public async Task Frames_of_every_number_and_size_arrive_unchanged()
    {
        await using Site site = await Site.StartAsync();
        PullSocket pull = site.Poll(new PullSocket("@inproc://frames-in"));
        PushSocket push = site.Poll(new PushSocket("@inproc://frames-out"));
        await using NetMQAttachment incoming = await site.AttachAsync(pull, Work);
        await using NetMQAttachment outgoing = await site.AttachAsync(push, Work);
        using var pusher = new PushSocket(">inproc://frames-in");
        using var puller = new PullSocket(">inproc://frames-out");
        var random = new Random(1);
        foreach (int[] sizes in (int[][])[[0], [1], [500_000], [0, 0], [3, 0], [256, 255], [1, 2, 3], [0, 0, 0, 0], [.. Enumerable.Repeat(7, 40)]])
        {
            byte[][] sent = Array.ConvertAll(sizes, size =>
            {
                byte[] frame = new byte[size];
                random.NextBytes(frame);
                return frame;
            });
            pusher.SendMultipartBytes(sent);
            List<byte[]>? received = null;
            Assert.True(puller.TryReceiveMultipartBytes(Wait.Limit, ref received!));
            Assert.Equal(sent, received);
        }
    }

    [Fact]
    public async Task A_push_program_waits_while_nobody_pulls_and_nothing_is_lost()
    {
        await using Site site = await Site.StartAsync();
        PullSocket pull = site.Poll(new PullSocket("@inproc://full-in"));
        var options = new NetMQAttachmentOptions { HighWaterMark = 100 };
        int changes = 0;
        await using NetMQAttachment incoming = await site.AttachAsync(pull, Work, options);
        incoming.PausedChanged += (_, _) => Interlocked.Increment(ref changes);
        using var pusher = new PushSocket(">inproc://full-in");
        int sent = 0;
        while (pusher.TrySendFrame(TimeSpan.FromSeconds(1), BitConverter.GetBytes(sent)))
        {
            sent++;
            Assert.InRange(sent, 0, 10_000);
        }

        Assert.True(incoming.IsPaused);
        Assert.True(incoming.GetSnapshot().Pauses > 0);

        // Another bridge's program, later.
        PushSocket push = site.Poll(new PushSocket("@inproc://full-out"));
        await using NetMQAttachment outgoing = await site.AttachAsync(push, Work, options);
        using var puller = new PullSocket(">inproc://full-out");
        for (int i = 0; i < sent; i++)
        {
            Assert.True(puller.TryReceiveFrameBytes(Wait.Limit, out byte[]? body));
            Assert.Equal(i, BitConverter.ToInt32(body));
        }

        await Wait.UntilAsync(() => !incoming.IsPaused);
        Assert.True(Volatile.Read(ref changes) > 1);
        Assert.True(pusher.TrySendFrame(Wait.Limit, "again"));
        Assert.True(puller.TryReceiveFrameString(Wait.Limit, out string? again));
        Assert.Equal("again", again);
    }

    [Fact]
    public async Task A_full_push_socket_keeps_the_messages_at_their_sender()
    {
        await using Site site = await Site.StartAsync();
        PullSocket pull = site.Poll(new PullSocket("@inproc://slow-in"));
        var push = new PushSocket();
        push.Options.SendHighWatermark = 10;
        push.Bind("inproc://slow-out");
        site.Poll(push);
        var few = new NetMQAttachmentOptions { HighWaterMark = 10 };
        PushPullRouteOptions narrow = Work with { Window = 10, HighWaterMark = 10 };
        await using NetMQAttachment outgoing = await site.AttachAsync(push, narrow, few);
        await using NetMQAttachment incoming = await site.AttachAsync(pull, narrow, few);
        using var puller = new PullSocket();
        puller.Options.ReceiveHighWatermark = 10;
        puller.Connect("inproc://slow-out");
        using var pusher = new PushSocket();
        pusher.Options.SendHighWatermark = 10;
        pusher.Connect("inproc://slow-in");
        int sent = 0;
        while (pusher.TrySendFrame(TimeSpan.FromSeconds(1), BitConverter.GetBytes(sent)))
        {
            sent++;
            Assert.InRange(sent, 0, 5_000);
        }

        var received = new List<int>();
        while (puller.TryReceiveFrameBytes(TimeSpan.FromSeconds(1), out byte[]? body))
        {
            received.Add(BitConverter.ToInt32(body));
        }

        Assert.Equal(Enumerable.Range(0, sent), received);
    }

    [Fact]
    public async Task Items_of_a_queue_are_published_and_an_item_that_cannot_be_encoded_is_reported()
    {
        await using Site site = await Site.StartAsync();
        using var queue = new NetMQQueue<string>();
        site.Poller.Add(queue);
        PushSocket push = site.Poll(new PushSocket("@inproc://queue-out"));
        using var puller = new PullSocket(">inproc://queue-out");
        await using NetMQAttachment incoming = await site.Bridge.AttachAsync(site.Poller, queue, new PickyEncoder(), Work);
        await using NetMQAttachment outgoing = await site.AttachAsync(push, Work);
        var errors = new List<Exception>();
        incoming.Error += (_, e) => errors.Add(e.Exception);
        for (int i = 0; i < 1000; i++)
        {
            queue.Enqueue($"item {i}");
            if (i == 500)
            {
                queue.Enqueue("bad");
            }
        }

        for (int i = 0; i < 1000; i++)
        {
            Assert.True(puller.TryReceiveFrameString(Wait.Limit, out string? item));
            Assert.Equal($"item {i}", item);
        }

        Assert.IsType<FormatException>(Assert.Single(errors));
        Assert.True(incoming.IsAttached);
        Assert.Equal((1001, 1000, 1), (incoming.GetSnapshot().FromNetMQ, incoming.GetSnapshot().ToRoute, incoming.GetSnapshot().Dropped));

        // NetMQ ends the process if a queue is disposed that its poller still has.
        site.Poller.Dispose();
    }

    [Fact]
    public async Task A_socket_is_attached_to_an_endpoint_of_a_route_that_other_programs_use_too()
    {
        await using Site site = await Site.StartAsync();
        await site.Bridge.AddRouteAsync(Work with
        {
            Pushers = [new BridgeEndpoint(true, "inproc://pushers"), new BridgeEndpoint(true, "tcp://127.0.0.1:0")],
            Pullers = [new BridgeEndpoint(true, "tcp://127.0.0.1:0")],
        }, TestContext.Current.CancellationToken);
        PullSocket pull = site.Poll(new PullSocket("@inproc://endpoint-in"));
        await using NetMQAttachment incoming = site.Bridge.Attach(site.Poller, pull, "inproc://pushers");
        PushPullRouteSnapshot route = Assert.IsType<PushPullRouteSnapshot>(Assert.Single(site.Bridge.Snapshot().Routes));
        using var attached = new PushSocket(">inproc://endpoint-in");
        using var foreign = new PushSocket(">" + route.PusherEndpoints.Single(static e => e.StartsWith("tcp", StringComparison.Ordinal)));
        using var puller = new PullSocket(">" + Assert.Single(route.PullerEndpoints));
        attached.SendFrame("attached");
        foreign.SendFrame("foreign");
        string?[] received = [Receive(puller), Receive(puller)];
        Assert.Equal(["attached", "foreign"], received.Order(StringComparer.Ordinal));
        Assert.Null(incoming.RouteName);
    }

    private static string? Receive(PullSocket puller)
    {
        Assert.True(puller.TryReceiveFrameString(Wait.Limit, out string? text));
        return text;
    }

    private static string Bind(NetMQSocket socket, string endpoint)
    {
        if (!endpoint.StartsWith("tcp", StringComparison.Ordinal))
        {
            socket.Bind(endpoint);
            return endpoint;
        }

        return $"tcp://127.0.0.1:{socket.BindRandomPort("tcp://127.0.0.1")}";
    }

    private sealed class PickyEncoder : Broker.Client.IMessageEncoder
    {
        public void Encode<T>(T value, System.Buffers.IBufferWriter<byte> body)
        {
            if (value is "bad")
            {
                throw new FormatException("bad");
            }

            Encoding.UTF8.GetBytes((string)(object)value!, body);
        }

        public T Decode<T>(ReadOnlySpan<byte> body) => throw new NotSupportedException();
    }
}
