using Broker.Bridge;
using Broker.Client;
using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQ.Tests;

/// <summary>REP and ROUTER in front of a NATS service, REQ and DEALER as its workers, PAIR and ROUTER raw.</summary>
public sealed class RequestTests
{
    private static RequestRouteOptions Service => new() { Subject = "service", TimeToLive = TimeSpan.FromMilliseconds(300) };

    [Fact]
    public async Task A_rep_socket_passes_requests_to_a_service_and_always_gets_a_reply()
    {
        await using Site site = await Site.StartAsync();
        BrokerConnection client = await site.ClientAsync();
        ResponseSocket rep = site.Poll(new ResponseSocket("@inproc://rep"));
        await using NetMQAttachment attachment = await site.AttachAsync(rep, Service);
        using var one = new RequestSocket(">inproc://rep");
        using var other = new RequestSocket(">inproc://rep");

        // No service yet: the request times out, and the next one is not blocked by it.
        one.SendFrame("lost");
        Assert.True(one.TryReceiveFrameString(Wait.Limit, out string? empty));
        Assert.Equal("", empty);

        using Subscription service = client.Subscribe("service", static (in MessageView m) => m.Respond([.. "re "u8, .. m.Body]));
        await client.FlushAsync(TestContext.Current.CancellationToken);
        for (int i = 0; i < 500; i++)
        {
            RequestSocket requester = i % 2 == 0 ? one : other;
            requester.SendFrame($"{i}");
            Assert.True(requester.TryReceiveFrameString(Wait.Limit, out string? reply));
            Assert.Equal($"re {i}", reply);
        }

        one.SendMoreFrame("a").SendFrame("b");
        NetMQMessage frames = new();
        Assert.True(one.TryReceiveMultipartMessage(Wait.Limit, ref frames!));
        Assert.True(attachment.IsAttached);
    }

    [Fact]
    public async Task A_router_passes_requests_of_many_clients_at_once()
    {
        await using Site site = await Site.StartAsync();
        BrokerConnection client = await site.ClientAsync();
        RouterSocket router = site.Poll(new RouterSocket("@inproc://router"));
        await using NetMQAttachment attachment = await site.AttachAsync(router, Service with { TimeToLive = TimeSpan.FromSeconds(30) });
        using Subscription service = client.Subscribe("service", static (in MessageView m) => m.Respond(m.Body));
        await client.FlushAsync(TestContext.Current.CancellationToken);
        using var req = new RequestSocket(">inproc://router");
        using var dealer = new DealerSocket(">inproc://router");
        for (int i = 0; i < 2000; i++)
        {
            dealer.SendMoreFrameEmpty().SendFrame(BitConverter.GetBytes(i));
        }

        req.SendFrame("request");
        Assert.True(req.TryReceiveFrameString(Wait.Limit, out string? reply));
        Assert.Equal("request", reply);
        var seen = new HashSet<int>();
        for (int i = 0; i < 2000; i++)
        {
            List<byte[]>? frames = null;
            Assert.True(dealer.TryReceiveMultipartBytes(Wait.Limit, ref frames!));
            Assert.Empty(frames[0]);
            Assert.True(seen.Add(BitConverter.ToInt32(frames[1])));
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Workers_behind_an_attached_socket_answer_requests_of_a_subject(bool dealer)
    {
        await using Site site = await Site.StartAsync();
        BrokerConnection client = await site.ClientAsync();
        NetMQSocket front = dealer ? new DealerSocket("@inproc://workers") : new RequestSocket("@inproc://workers");
        site.Poll(front);
        using var stop = new CancellationTokenSource();
        Task[] workers = [.. Enumerable.Range(0, 2).Select(_ => Task.Run(() =>
        {
            using var rep = new ResponseSocket(">inproc://workers");
            while (!stop.IsCancellationRequested)
            {
                if (rep.TryReceiveFrameString(TimeSpan.FromMilliseconds(50), out string? request))
                {
                    rep.SendFrame("done " + request);
                }
            }
        }))];
        await using NetMQAttachment attachment = await site.AttachAsync(front, new WorkerRouteOptions { Subject = "jobs.*" });
        Message first = default;
        await Wait.UntilAsync(async () =>
        {
            try
            {
                first = await client.RequestAsync("jobs.0", "first"u8.ToArray(), TimeSpan.FromSeconds(20));
                return true;
            }
            catch (NoRespondersException)
            {
                return false;
            }
        });
        Assert.Equal("done first"u8, first.Body.Span);
        Message[] replies = await Task.WhenAll(Enumerable.Range(0, 300).Select(i =>
            client.RequestAsync($"jobs.{i}", BitConverter.GetBytes(i + 0x20202020), TimeSpan.FromSeconds(60)).AsTask()));
        Assert.All(replies, static reply => Assert.StartsWith("done ", System.Text.Encoding.UTF8.GetString(reply.Body.Span), StringComparison.Ordinal));
        await stop.CancelAsync();
        await Wait.For(Task.WhenAll(workers));
        Assert.True(attachment.IsAttached);
    }

    [Fact]
    public async Task A_pair_exchanges_messages_with_two_subjects()
    {
        await using Site site = await Site.StartAsync();
        BrokerConnection client = await site.ClientAsync();
        PairSocket pair = site.Poll(new PairSocket("@inproc://pair"));
        using var program = new PairSocket(">inproc://pair");
        await using NetMQAttachment attachment = await site.AttachAsync(
            pair, new RawRouteOptions { Socket = RawSocket.Pair, ToSubject = "out", FromSubject = "in" });
        await using QueuedSubscription sent = client.SubscribeQueued("out");
        await client.FlushAsync(TestContext.Current.CancellationToken);
        program.SendFrame("to the subject");
        Message message = await sent.Reader.ReadAsync(TestContext.Current.CancellationToken);
        Assert.Equal("to the subject"u8, message.Body.Span);
        await Wait.UntilAsync(() =>
        {
            client.Publish("in", "from the subject"u8);
            return program.HasIn;
        });
        Assert.Equal("from the subject", program.ReceiveFrameString());
    }

    [Fact]
    public async Task A_socket_that_does_not_fit_its_route_is_refused_before_anything_starts()
    {
        await using Site site = await Site.StartAsync();
        using var rep = new ResponseSocket();
        using var stream = new StreamSocket();
        Assert.Contains("ResponseSocket", (await Assert.ThrowsAsync<NotSupportedException>(
            () => site.AttachAsync(rep, new PushPullRouteOptions { Subject = "work" }))).Message, StringComparison.Ordinal);
        Assert.Throws<NotSupportedException>(() => site.Bridge.Attach(site.Poller, stream, "inproc://x"));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            () => site.AttachAsync(rep, Service, new NetMQAttachmentOptions { BatchSize = 0 }));
        Assert.Empty(site.Bridge.Snapshot().Routes);
    }
}
