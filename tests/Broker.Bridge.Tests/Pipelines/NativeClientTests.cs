using System.Globalization;
using System.Text;
using Broker.Bridge.Tests.Pipelines.Support;
using Broker.Client;

namespace Broker.Bridge.Tests.Pipelines;

/// <summary>Native clients that implement the protocol of docs/push-pull.md themselves.</summary>
public sealed class NativeClientTests
{
    private const string S = Pipeline.Subject;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_native_egress_and_a_ZeroMQ_puller_share_the_work_of_ZeroMQ_pushers(bool foreign)
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign);
        pipeline.Reserves = false;
        ZeroMqBridge bridge = await pipeline.BridgeAsync(options => options with { Pullers = [] });
        ZeroMqBridge other = await pipeline.BridgeAsync(options => options with { Pushers = [] });
        await using var puller = new PyPuller(other.PullerEndpoint());
        BrokerConnection client = await pipeline.ClientAsync();
        int taken = 0;
        client.Subscribe($"{S}._out.native", (in MessageView message) =>
        {
            string headers = Encoding.ASCII.GetString(message.Headers);
            string link = Value(headers, "Zmq-Ingress");
            if (Value(headers, "Zmq-Seq") is { Length: > 0 } number)
            {
                Interlocked.Increment(ref taken);
                Acknowledge(client, link, number);
            }
            else
            {
                Acknowledge(client, link, Value(headers, "Zmq-Last"));
            }
        });
        client.Subscribe($"{S}._ingress", (in MessageView _) => Announce(client));
        await client.FlushAsync(TestContext.Current.CancellationToken);
        Announce(client);
        await Wait.UntilAsync(() => bridge.Route().Partners == 2, () => $"{bridge.Route()}");
        await using var pusher = new PyPusher(bridge.PusherEndpoint(), "p");
        await pusher.SendAsync(500);
        await Wait.UntilAsync(() => bridge.Route().Acknowledged == 500, () => $"{bridge.Route()}");
        await Wait.UntilAsync(async () => await puller.CountAsync() == 500 - Volatile.Read(ref taken), () => $"{taken} taken, {other.Route()}");
        Assert.InRange(Volatile.Read(ref taken), 1, 499);
        Assert.Equal(await puller.CountAsync(), await puller.DistinctAsync());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_native_ingress_reaches_ZeroMQ_pullers(bool foreign)
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign);
        pipeline.Reserves = false;
        ZeroMqBridge bridge = await pipeline.BridgeAsync(options => options with { Pushers = [] });
        await using var puller = new PyPuller(bridge.PullerEndpoint());
        BrokerConnection client = await pipeline.ClientAsync();
        TaskCompletionSource<string> egress = Wait.Source<string>();
        long acknowledged = 0;
        client.Subscribe(
            $"{S}._egress", (in MessageView message) => egress.TrySetResult(Value(Encoding.ASCII.GetString(message.Headers), "Zmq-Egress")));
        client.Subscribe(
            $"{S}._in.native.*",
            (in MessageView message) => Volatile.Write(
                ref acknowledged, long.Parse(Value(Encoding.ASCII.GetString(message.Headers), "Zmq-Ack"), CultureInfo.InvariantCulture)));
        client.Publish($"{S}._ingress", default, headers: "NATS/1.0\r\nZmq-Ingress: native\r\n\r\n"u8);
        string id = await Wait.For(egress);
        for (int i = 1; i <= 100; i++)
        {
            client.Publish(
                $"{S}._out.{id}", Encoding.ASCII.GetBytes($"n-{i}"), headers: Encoding.ASCII.GetBytes($"NATS/1.0\r\nZmq-Ingress: native.1\r\nZmq-Seq: {i}\r\n\r\n"));
        }

        await Wait.UntilAsync(() => Volatile.Read(ref acknowledged) == 100, () => $"{bridge.Route()}");
        await Wait.UntilAsync(async () => await puller.CountAsync() == 100, () => $"{bridge.Route()}");
        Assert.Equal(0, await puller.DisorderAsync());
    }

    private static void Announce(BrokerConnection client)
        => client.PublishWithStatus($"{S}._egress", default, headers: "NATS/1.0\r\nZmq-Egress: native\r\nZmq-Window: 100 100000\r\n\r\n"u8);

    private static void Acknowledge(BrokerConnection client, string link, string number) => client.PublishWithStatus(
        $"{S}._in.{link}", default, headers: Encoding.ASCII.GetBytes($"NATS/1.0\r\nZmq-Egress: native\r\nZmq-Ack: {number}\r\nZmq-Window: 100 100000\r\n\r\n"));

    private static string Value(string headers, string name)
    {
        string? line = headers.Split("\r\n").FirstOrDefault(l => l.StartsWith(name + ": ", StringComparison.Ordinal));
        return line?[(name.Length + 2)..] ?? "";
    }
}
