using System.Text;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Serving;

/// <summary>
/// Tests that unmodified ZeroMQ programs and official NATS clients exchange messages through the broker.
/// </summary>
public sealed class BridgeTests
{
    public static TheoryData<string, string> AllPeers { get; } = new()
    {
        { "pyzmq", "nats.js" },
        { "libzmq", "nats.c" },
        { "zeromq.js", "nats.js" },
        { "pyzmq", "nats.c" },
        { "NetMQ", "nats.c" },
    };

    [Theory]
    [MemberData(nameof(AllPeers))]
    public async Task A_zeromq_publisher_reaches_a_nats_client_and_a_zeromq_subscriber(string zeroMq, string nats)
    {
        await using BrokerProcess broker = await BrokerProcess.StartWithZeroMqAsync();
        await using Subscriber client = await Peers.Nats(nats).SubscribeAsync(broker.Url, "zmq.weather.*");
        await using Subscriber sub = await Peers.ZeroMq(zeroMq).SubscribeAsync(broker.Subscribers, "weather");
        await using Publisher pub = await Peers.ZeroMq(zeroMq).PublishAsync(broker.Publishers);
        await pub.SendUntilReceivedAsync("weather.oslo", client, sub);

        await pub.SendAsync("weather.oslo", "4 degrees");

        Message atClient = await client.ReadAsync();
        Assert.Equal("zmq.weather.oslo", atClient.Subject);
        Assert.Equal("4 degrees", atClient.PayloadText);
        Assert.Equal(["weather.oslo", "4 degrees"], Texts(await sub.ReadAsync()));
    }

    [Theory]
    [MemberData(nameof(AllPeers))]
    public async Task A_nats_client_reaches_a_zeromq_subscriber_and_another_client(string zeroMq, string nats)
    {
        await using BrokerProcess broker = await BrokerProcess.StartWithZeroMqAsync();
        await using Subscriber sub = await Peers.ZeroMq(zeroMq).SubscribeAsync(broker.Subscribers, "weather");
        await using Subscriber client = await Peers.Nats(nats).SubscribeAsync(broker.Url, "zmq.>");
        await using Publisher pub = await Peers.Nats(nats).PublishAsync(broker.Url);
        await pub.SendUntilReceivedAsync("zmq.weather.bergen", sub, client);

        await pub.SendAsync("zmq.weather.bergen", "rain");

        Assert.Equal(["weather.bergen", "rain"], Texts(await sub.ReadAsync()));
        Assert.Equal("rain", (await client.ReadAsync()).PayloadText);
    }

    [Theory]
    [InlineData("pyzmq")]
    [InlineData("libzmq")]
    [InlineData("zeromq.js")]
    [InlineData("NetMQ")]
    public async Task Zeromq_programs_that_bind_are_connected_to(string zeroMq)
    {
        string publishers = FreePort.NextAddress();
        string subscribers = FreePort.NextAddress();
        await using Publisher pub = await Peers.ZeroMq(zeroMq).PublishAsync(publishers, "bind");
        await using Subscriber sub = await Peers.ZeroMq(zeroMq).SubscribeAsync(subscribers, "weather", "bind");
        await using BrokerProcess broker = await BrokerProcess.StartWithZeroMqAsync($"connect {publishers}", $"connect {subscribers}");
        await using Subscriber client = await Peers.NatsJs.SubscribeAsync(broker.Url, "zmq.weather.>");
        await pub.SendUntilReceivedAsync("weather.oslo", client, sub);

        await pub.SendAsync("weather.oslo", "4");

        Assert.Equal("4", (await client.ReadAsync()).PayloadText);
        Assert.Equal(["weather.oslo", "4"], Texts(await sub.ReadAsync()));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(5)]
    public async Task A_message_keeps_its_frames(int count)
    {
        await using BrokerProcess broker = await BrokerProcess.StartWithZeroMqAsync();
        await using Subscriber sub = await Peers.Libzmq.SubscribeAsync(broker.Subscribers, "t");
        await using Publisher pub = await Peers.Python.PublishAsync(broker.Publishers);
        await pub.SendUntilReceivedAsync("t", sub);
        byte[][] frames = [.. Enumerable.Range(0, count).Select(i => i == 0 ? "t one word"u8.ToArray() : new byte[i * 300])];

        await pub.SendAsync(frames);

        Assert.Equal(frames, (await sub.ReadAsync()).Frames);
    }

    [Theory]
    [InlineData("a\r\nPUB x 1", "zmq.a=0D=0APUB=20x=201")]
    [InlineData("a\0b", "zmq.a=00b")]
    [InlineData("a b", "zmq.a=20b")]
    [InlineData("a.b", "zmq.a.b")]
    [InlineData("a.*.b", "zmq.a.=2A.b")]
    [InlineData("a.>", "zmq.a.=3E")]
    [InlineData("a..b", "zmq.a.=.b")]
    [InlineData("", "zmq.=")]
    [InlineData("\u00e6", "zmq.=C3=A6")]
    public async Task A_topic_of_any_bytes_is_a_safe_subject_and_comes_back_as_it_was(string topic, string subject)
    {
        await using BrokerProcess broker = await BrokerProcess.StartWithZeroMqAsync();
        await using Subscriber client = await Peers.Libnats.SubscribeAsync(broker.Url, "zmq.>");
        await using Subscriber sub = await Peers.Libzmq.SubscribeAsync(broker.Subscribers, topic);
        await using Publisher pub = await Peers.Python.PublishAsync(broker.Publishers);
        await pub.SendUntilReceivedAsync(topic, client, sub);

        await pub.SendAsync(topic, "body");

        Message atClient = await client.ReadAsync();
        Assert.Equal(subject, atClient.Subject, ignoreCase: true);
        Assert.Equal("body", atClient.PayloadText);
        Assert.Equal([topic, "body"], Texts(await sub.ReadAsync()));
    }

    [Fact]
    public async Task A_prefix_of_a_token_matches_as_zeromq_matches()
    {
        await using BrokerProcess broker = await BrokerProcess.StartWithZeroMqAsync();
        await using Subscriber sub = await Peers.Python.SubscribeAsync(broker.Subscribers, "a.b");
        await using Publisher pub = await Peers.ZeroMqJs.PublishAsync(broker.Publishers);
        await pub.SendUntilReceivedAsync("a.b", sub);

        foreach (string topic in (string[])["a.b", "a", "a.bc", "a.c", "x.a.b", "a.b.c"])
        {
            await pub.SendAsync(topic, "body");
        }

        Assert.Equal("a.b", Texts(await sub.ReadAsync())[0]);
        Assert.Equal("a.bc", Texts(await sub.ReadAsync())[0]);
        Assert.Equal("a.b.c", Texts(await sub.ReadAsync())[0]);
    }

    [Fact]
    public async Task A_subscriber_that_comes_late_loses_only_what_came_before()
    {
        await using BrokerProcess broker = await BrokerProcess.StartWithZeroMqAsync();
        await using Subscriber early = await Peers.Python.SubscribeAsync(broker.Subscribers, "t");
        await using Publisher pub = await Peers.Libzmq.PublishAsync(broker.Publishers);
        await pub.SendUntilReceivedAsync("t", early);
        await pub.SendAsync("t", "before");
        Assert.Equal(["t", "before"], Texts(await early.ReadAsync()));

        await using Subscriber late = await Peers.Libzmq.SubscribeAsync(broker.Subscribers, "t");
        await pub.SendUntilReceivedAsync("t", late);
        await pub.SendAsync("t", "after");

        Assert.Equal(["t", "after"], Texts(await late.ReadAsync()));
        Assert.Equal(["t", "after"], Texts(await early.ReadAsync()));
    }

    [Fact]
    public async Task Live_peers_go_on_after_the_broker_is_restarted()
    {
        // These ports remain reserved while the broker is down.
        (int port, string? publishers, string? subscribers) = (FreePort.Next(), FreePort.NextAddress(), FreePort.NextAddress());
        BrokerProcess broker = await BrokerProcess.StartWithZeroMqAsync($"bind {publishers}", $"bind {subscribers}", port);
        try
        {
            await using Subscriber client = await Peers.Libnats.SubscribeAsync(broker.Url, "zmq.>");
            await using Subscriber sub = await Peers.Python.SubscribeAsync(broker.Subscribers, "t");
            await using Publisher pub = await Peers.Libzmq.PublishAsync(broker.Publishers);
            await pub.SendUntilReceivedAsync("t", client, sub);

            await broker.DisposeAsync();
            broker = await BrokerProcess.StartWithZeroMqAsync($"bind {publishers}", $"bind {subscribers}", port);

            await pub.SendUntilReceivedAsync("t", client, sub);
            await pub.SendAsync("t", "again");
            Assert.Equal(["t", "again"], Texts(await sub.ReadAsync()));
            Assert.Equal("again", (await client.ReadAsync()).PayloadText);
        }
        finally
        {
            await broker.DisposeAsync();
        }
    }

    [Fact]
    public async Task A_remote_nats_server_is_bridged_too()
    {
        using var server = NatsServer.Start();
        DirectoryInfo folder = Directory.CreateTempSubdirectory("bridge-");
        try
        {
            string file = Path.Combine(folder.FullName, "bridge.conf");
            await File.WriteAllTextAsync(
                file,
                $"zeromq {{\n  publishers: \"tcp://127.0.0.1:*\"\n  subscribers: \"tcp://127.0.0.1:*\"\n  url: \"{server.Url}\"\n}}\n",
                TestContext.Current.CancellationToken);
            await using BrokerProcess broker = await BrokerProcess.StartAsync(-1, "-c", file);
            await using Subscriber client = await Peers.NatsJs.SubscribeAsync(server.Url, "zmq.t");
            await using Publisher pub = await Peers.Python.PublishAsync(broker.Publishers);

            await pub.SendUntilReceivedAsync("t", client);
            await pub.SendAsync("t", "body");

            Assert.Equal("body", (await client.ReadAsync()).PayloadText);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    private static string[] Texts(Message message) => [.. message.Frames.Select(Encoding.UTF8.GetString)];
}
