using System.Collections.Concurrent;
using System.Text;
using System.Text.Json.Nodes;
using Broker.Bridge.Tests.Pipelines.Support;
using Broker.Client;

namespace Broker.Bridge.Tests.Pipelines;

/// <summary>PUSH and PULL programs of pyzmq with a JetStream work queue on Debian's nats-server.</summary>
public sealed class StreamTests : IDisposable
{
    private readonly DirectoryInfo _store = Directory.CreateTempSubdirectory("jetstream-");

    public void Dispose() => _store.Delete(recursive: true);

    [Fact]
    public async Task Every_message_comes_once_and_in_order()
    {
        await using Pipeline pipeline = await StartAsync();
        ZeroMqBridge bridge = await pipeline.BridgeAsync(WithStream);
        await using var pusher = new PyPusher(bridge.PusherEndpoint(), "p", frames: 2);
        await using var puller = new PyPuller(bridge.PullerEndpoint());
        await pusher.SendAsync(5000);
        await Wait.UntilAsync(async () => await puller.CountAsync() == 5000, () => $"{bridge.Route()}");
        Assert.Equal(0, await puller.DisorderAsync());
        await Wait.UntilAsync(() => bridge.Route().InFlight == 0, () => $"{bridge.Route()}");
        Assert.Equal(5000, bridge.Route().Acknowledged);
        Assert.Equal(5000, bridge.Route().Delivered);
        Assert.Equal(0, bridge.Route().DuplicatesDropped + bridge.Route().PossibleDuplicates);
    }

    [Fact]
    public async Task Nothing_that_the_stream_acknowledged_is_lost_when_bridge_and_server_restart()
    {
        await using Pipeline pipeline = await StartAsync();
        ZeroMqBridge ingress = await pipeline.BridgeAsync(options => WithStream(options) with { Pullers = [] });
        ZeroMqBridge egress = await pipeline.BridgeAsync(options => WithStream(options) with { Pushers = [] });
        await using var pusher = new PyPusher(ingress.PusherEndpoint(), "p", size: 100);

        // The PULL binds, so that each bridge finds it. Messages that a bridge has written to its connection are sent
        // before the connection closes.
        await using var puller = new PyPuller(endpoint: null);
        await puller.TakeAsync(takes: false);
        string pulls = await puller.EndpointAsync();
        const int Messages = 20_000;
        await pusher.SendAsync(Messages);
        await puller.TakeAsync();
        ZeroMqBridge next = await EgressAsync();
        for (int restart = 0; restart < 3; restart++)
        {
            long before = next.Route().Delivered;
            await Wait.UntilAsync(
                () => next.Route().Delivered > before + 500 || ingress.Route().Acknowledged == Messages, () => $"{ingress.Route()} {next.Route()}");
            if (restart % 2 == 0)
            {
                await pipeline.RestartServerAsync();
            }
            else
            {
                await pipeline.EndAsync(next, linger: Wait.Limit);
                next = await EgressAsync();
            }
        }

        await Wait.UntilAsync(async () => await puller.DistinctAsync() == Messages, () => $"{ingress.Route()} {next.Route()}");
        await Wait.UntilAsync(() => ingress.Route().InFlight == 0, () => $"{ingress.Route()}");
        Assert.Equal(Messages, ingress.Route().Acknowledged);
        await pipeline.EndAsync(egress);

        Task<ZeroMqBridge> EgressAsync() => pipeline.BridgeAsync(options => WithStream(options) with
        {
            Pushers = [],
            Pullers = [new BridgeEndpoint(Bind: false, pulls)],
        });
    }

    [Fact]
    public async Task Pushers_wait_while_a_stream_is_full_and_nothing_is_lost()
    {
        await using Pipeline pipeline = await StartAsync();
        ZeroMqBridge bridge = await pipeline.BridgeAsync(options => options with
        {
            Stream = new StreamQueueOptions { Stream = "WORK", MaxBytes = 1024 * 1024 },
        });
        await using var pusher = new PyPusher(bridge.PusherEndpoint(), "p", size: 1000);
        const int Messages = 10_000;
        await pusher.SendAsync(Messages);
        await Wait.UntilAsync(() => bridge.Route() is { Acknowledged: > 500, InFlight: > 0 }, () => $"{bridge.Route()}");
        await using var puller = new PyPuller(bridge.PullerEndpoint());
        await Wait.UntilAsync(async () => await puller.DistinctAsync() == Messages, () => $"{bridge.Route()}");
        Assert.Equal(Messages, await puller.CountAsync());
    }

    [Fact]
    public async Task Messages_queued_for_a_lost_PULL_are_returned_to_the_stream()
    {
        await using Pipeline pipeline = await StartAsync();
        ZeroMqBridge bridge = await pipeline.BridgeAsync(WithStream);
        ZeroMqBridge other = await pipeline.BridgeAsync(options => WithStream(options) with { Pushers = [] });
        await using var pusher = new PyPusher(bridge.PusherEndpoint(), "p", size: 1000);
        const int Messages = 15_000;
        await using (new PyPuller(bridge.PullerEndpoint(), takes: false))
        {
            await pusher.SendAsync(Messages);
            await Wait.UntilAsync(() => bridge.Route() is { Acknowledged: Messages, Waiting: > 0 }, () => $"{bridge.Route()}");
        }

        await using var puller = new PyPuller(other.PullerEndpoint());
        await Wait.UntilAsync(
            async () => await puller.DistinctAsync() + bridge.Route().Delivered == Messages, () => $"{bridge.Route()} {other.Route()}");
        Assert.Equal(await puller.DistinctAsync(), await puller.CountAsync());
    }

    [Fact]
    public async Task Without_JetStream_pushers_wait_and_the_reason_is_logged()
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign: true);
        ZeroMqBridge bridge = await pipeline.BridgeAsync(WithStream);
        await using var pusher = new PyPusher(bridge.PusherEndpoint(), "p");
        await pusher.SendAsync(10);
        await Wait.UntilAsync(
            () => pipeline.Log.Warnings.Any(line => line.Contains("the stream WORK cannot be used", StringComparison.Ordinal)),
            () => string.Join('\n', pipeline.Log.Warnings));
        Assert.Equal(0, bridge.Route().Accepted);
    }

    // A server that was killed may be in this state: messages are delivered and not acknowledged, but no longer in the
    // stream. The server delivers them again before all others as long as the stream has an older message.
    [Fact]
    public async Task A_message_behind_lost_ones_is_delivered_without_another_publish()
    {
        const int Messages = 600;
        const int Taken = 402;
        await using Pipeline pipeline = await StartAsync();
        BrokerConnection client = await pipeline.ClientAsync();
        await AskAsync(client, "STREAM.CREATE.WORK", $$"""{"name":"WORK","subjects":["{{Pipeline.Subject}}"],"storage":"file"}""");
        await AskAsync(
            client, "CONSUMER.DURABLE.CREATE.WORK.zeromq",
            """{"stream_name":"WORK","config":{"durable_name":"zeromq","deliver_policy":"all","ack_policy":"explicit","ack_wait":3000000000}}""");
        for (int number = 1; number <= Messages; number++)
        {
            client.Publish(Pipeline.Subject, Encoding.ASCII.GetBytes($"p-{number}"));
        }

        ConcurrentQueue<string> acknowledgements = await TakeAsync(client, Taken);
        Assert.True(acknowledgements.TryPeek(out string? oldest));
        client.Publish(oldest, "+ACK"u8);
        await Wait.UntilAsync(async () => (int)(await AskAsync(client, "CONSUMER.INFO.WORK.zeromq"))["num_ack_pending"]! == Taken - 1, "the acknowledgement");
        await StopServerAsync(pipeline);
        string state = Assert.Single(Directory.GetFiles(_store.FullName, "o.dat", SearchOption.AllDirectories));
        byte[] before = await File.ReadAllBytesAsync(state, TestContext.Current.CancellationToken);
        await pipeline.RestartServerAsync();
        client = await pipeline.ClientAsync();
        for (int sequence = 2; sequence < Taken; sequence++)
        {
            await AskAsync(client, "STREAM.MSG.DELETE.WORK", $$"""{"seq":{{sequence}}}""");
        }

        await StopServerAsync(pipeline);
        await File.WriteAllBytesAsync(state, before, TestContext.Current.CancellationToken);
        await pipeline.RestartServerAsync();

        ZeroMqBridge bridge = await pipeline.BridgeAsync(options => WithStream(options) with { Pushers = [] });
        await using var puller = new PyPuller(bridge.PullerEndpoint());
        await Wait.UntilAsync(async () => await puller.DistinctAsync() == Messages - Taken + 1, () => $"{bridge.Route()}");
    }

    // A server that was killed may restart in this state: the stream has messages that its consumer regards as
    // acknowledged. In one case, the consumer also waits for acknowledgements of later messages that the stream no
    // longer has.
    [Theory]
    [InlineData(true, 0)]
    [InlineData(false, 0)]
    [InlineData(true, 20)]
    public async Task Skipped_messages_arrive_through_a_recreated_consumer_if_the_route_may_create_it(bool create, int awaited)
    {
        const int Messages = 100;
        await using Pipeline pipeline = await StartAsync();
        BrokerConnection client = await pipeline.ClientAsync();
        await AskAsync(client, "STREAM.CREATE.WORK", $$"""{"name":"WORK","subjects":["{{Pipeline.Subject}}"],"storage":"file","retention":"workqueue"}""");
        await AskAsync(
            client, "CONSUMER.DURABLE.CREATE.WORK.zeromq",
            """{"stream_name":"WORK","config":{"durable_name":"zeromq","deliver_policy":"all","ack_policy":"explicit","ack_wait":7000000000}}""");
        for (int number = 1; number <= Messages; number++)
        {
            client.Publish(Pipeline.Subject, Encoding.ASCII.GetBytes($"p-{number}"));
        }

        await Wait.UntilAsync(async () => await StoredAsync() == Messages, "the messages");
        await StopServerAsync(pipeline);
        string folder = Assert.Single(Directory.GetDirectories(_store.FullName, "msgs", SearchOption.AllDirectories));
        Dictionary<string, byte[]> before = Directory.GetFiles(folder).ToDictionary(file => file, File.ReadAllBytes);
        await pipeline.RestartServerAsync();
        client = await pipeline.ClientAsync();
        // A busy server may stop before it has written its consumer's acknowledgements. Then all is repeated.
        int tries = 0;
        do
        {
            Assert.InRange(++tries, 1, 10);
            for (int number = 1; number <= awaited; number++)
            {
                client.Publish(Pipeline.Subject, Encoding.ASCII.GetBytes($"gone-{number}"));
            }

            await Wait.UntilAsync(async () => await StoredAsync() == Messages + awaited, "the messages that go");
            foreach (string acknowledgement in (await TakeAsync(client, Messages + awaited)).Take(Messages))
            {
                client.Publish(acknowledgement, "+ACK"u8);
            }

            await Wait.UntilAsync(async () => await StoredAsync() == awaited, "the acknowledgements");
            await StopServerAsync(pipeline);
            Array.ForEach(Directory.GetFiles(folder), File.Delete);
            foreach ((string file, byte[] content) in before)
            {
                await File.WriteAllBytesAsync(file, content, TestContext.Current.CancellationToken);
            }

            await pipeline.RestartServerAsync();
            client = await pipeline.ClientAsync();
        }
        while ((long)(await AskAsync(client, "CONSUMER.INFO.WORK.zeromq"))["num_pending"]! != 0);

        Assert.Equal(Messages, await StoredAsync());
        ZeroMqBridge bridge = await pipeline.BridgeAsync(
            options => options with { Pushers = [], Stream = new StreamQueueOptions { Stream = "WORK", Create = create } });
        await using var puller = new PyPuller(bridge.PullerEndpoint());
        if (create)
        {
            await Wait.UntilAsync(async () => await puller.DistinctAsync() == Messages, () => $"{bridge.Route()}");
            Assert.Single(pipeline.Log.Warnings, line => line.Contains("the consumer zeromq has skipped 100 messages", StringComparison.Ordinal));
            Assert.Equal(7_000_000_000, (long)(await AskAsync(client, "CONSUMER.INFO.WORK.zeromq"))["config"]!["ack_wait"]!);
            await Wait.UntilAsync(async () => await StoredAsync() == 0, "the acknowledgements");
        }
        else
        {
            client.Publish(Pipeline.Subject, "q-1"u8);
            await Wait.UntilAsync(async () => await puller.DistinctAsync() == 1, () => $"{bridge.Route()}");
            Assert.Equal(Messages, await StoredAsync());
        }

        async Task<long> StoredAsync() => (long)(await AskAsync(client, "STREAM.INFO.WORK"))["state"]!["messages"]!;
    }

    [Theory]
    [InlineData("[]")]
    [InlineData("""{"error":1}""")]
    [InlineData("""{"error":{"description":1}}""")]
    [InlineData("nothing")]
    public async Task A_system_that_answers_nonsense_is_asked_again(string nonsense)
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign: false);
        BrokerConnection system = await pipeline.ClientAsync();
        int asked = 0;
        system.Subscribe("$JS.API.>", (in MessageView message) => message.Respond(Encoding.ASCII.GetBytes(asked++ == 0 ? nonsense : "{}")));
        system.Subscribe(Pipeline.Subject, static (in MessageView message) => message.Respond("""{"stream":"WORK","seq":1}"""u8));
        await system.FlushAsync(TestContext.Current.CancellationToken);
        ZeroMqBridge bridge = await pipeline.BridgeAsync(WithStream);
        await using var pusher = new PyPusher(bridge.PusherEndpoint(), "p");
        await pusher.SendAsync(10);

        await Wait.UntilAsync(() => bridge.Route().Acknowledged == 10, () => $"{bridge.Route()}");
    }

    [Theory]
    [InlineData("$JS.ACK.S.C.1.22.33.1700000000.44", 1, 22)]
    [InlineData("$JS.ACK.dom.hash.S.C.3.22.33.1700000000.44.rnd", 3, 22)]
    [InlineData("$JS.ACK.S.C.2.22.33.1700000000.44@work.orders", 2, 22)]
    public void The_reply_subject_contains_the_delivery_count_the_sequence_and_the_time(string subject, long delivered, long sequence)
    {
        Assert.True(DeliverySubject.TryParse(Encoding.ASCII.GetBytes(subject), out DeliverySubject delivery));
        Assert.Equal(new DeliverySubject(delivered, sequence, 1_700_000_000), delivery);
    }

    [Theory]
    [InlineData("")]
    [InlineData("$JS.ACK.")]
    [InlineData("$JS.ACK.S.C.1.22")]
    [InlineData("$JS.ACK.S.C.x.22.33.44.55")]
    [InlineData("$JS.ACK.S.C.1.22.33.x.55")]
    [InlineData("_INBOX.S.C.1.22.33.44.55.66")]
    public void Another_subject_is_none(string subject) => Assert.False(DeliverySubject.TryParse(Encoding.ASCII.GetBytes(subject), out _));

    private static PushPullRouteOptions WithStream(PushPullRouteOptions options)
        => options with { Stream = new StreamQueueOptions { Stream = "WORK", AckWait = TimeSpan.FromSeconds(5) } };

    // Takes this many messages from the consumer and acknowledges each one if required.
    private static async Task<ConcurrentQueue<string>> TakeAsync(BrokerConnection client, int messages)
    {
        var acknowledgements = new ConcurrentQueue<string>();
        client.Subscribe("taken", (in MessageView message) => acknowledgements.Enqueue(Encoding.ASCII.GetString(message.ReplyTo)));
        client.Publish("$JS.API.CONSUMER.MSG.NEXT.WORK.zeromq", Encoding.ASCII.GetBytes($"{messages}"), "taken");
        await Wait.UntilAsync(() => acknowledgements.Count == messages, () => $"{acknowledgements.Count}");
        return acknowledgements;
    }

    private static async Task<JsonNode> AskAsync(BrokerConnection client, string what, string body = "")
        => JsonNode.Parse((await client.RequestAsync(
            $"$JS.API.{what}", Encoding.ASCII.GetBytes(body), Wait.Limit, cancellationToken: TestContext.Current.CancellationToken)).Body.Span)!;

    // Stops the server with a signal, so that it writes its state to disk.
    private static async Task StopServerAsync(Pipeline pipeline)
    {
        pipeline.Remote!.Signal("TERM");
        await pipeline.Remote.Process.WaitForExitAsync();
    }

    private Task<Pipeline> StartAsync() => Pipeline.StartAsync(foreign: true, "-js", "-sd", _store.FullName);
}
