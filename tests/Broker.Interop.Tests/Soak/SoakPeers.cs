using System.Globalization;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Soak;

/// <summary>Runs libzmq in one process. Its SUB and XPUB sockets connect for one round of traffic.</summary>
internal sealed class SoakPeers : IAsyncDisposable
{
    // Only a received probe shows that the bridge knows a SUB. The topics of probes end in ".p" and are not counted.
    private const string Code = """
        import sys, time, zmq
        context = zmq.Context()
        for line in sys.stdin:
            publishers, subscribers, topic, subs, count, wordless = line.split()
            topic, count = topic.encode(), int(count)
            listening = []
            for _ in range(int(subs)):
                socket = context.socket(zmq.SUB)
                socket.linger = 0
                socket.rcvhwm = 0
                socket.subscribe(topic)
                socket.connect(subscribers)
                listening.append(socket)
            pub = context.socket(zmq.XPUB)
            pub.sndhwm = 0
            pub.connect(publishers)
            pub.recv()
            waiting = set(listening)
            while waiting:
                pub.send_multipart([topic + b'.p', b'probe'])
                time.sleep(0.01)
                for socket in list(waiting):
                    if socket.poll(0):
                        socket.recv_multipart()
                        waiting.discard(socket)
            print('ready', flush=True)
            right = True
            for socket in listening:
                heard = 0
                while heard < count:
                    frames = socket.recv_multipart()
                    if frames[0] != topic + b'.p':
                        right = right and frames == [topic + b'.n', b'n%d' % heard]
                        heard += 1
            print('heard', right, flush=True)
            for number in range(count):
                pub.send_multipart([topic + b'.z', b'z%d' % number])
            sys.stdin.readline()
            for socket in listening:
                if wordless == '0':
                    socket.unsubscribe(topic)
                socket.close()
            pub.close(linger=0)
            print('gone', flush=True)
        """;

    private readonly BrokerProcess _broker;
    private readonly PeerProcess _process;

    private SoakPeers(BrokerProcess broker, PeerProcess process)
    {
        _broker = broker;
        _process = process;
    }

    /// <summary>The number of rounds. Each opens one connection of a NATS client.</summary>
    internal long Rounds { get; private set; }

    internal static async Task<SoakPeers> StartAsync(BrokerProcess broker) => new(broker, await PythonPeers.StartCodeAsync(Code));

    /// <summary>
    /// Sends a number of messages from NATS to each SUB, and as many from an XPUB to NATS. All arrive in their order.
    /// </summary>
    internal async Task RoundAsync(Random random, string topic)
    {
        Rounds++;
        int count = random.Next(1, 200);
        string subject = "zmq." + topic;
        using SoakClient client = await SoakClient.OpenAsync(_broker);
        await client.SendAsync($"SUB {subject}.> 1\r\n");
        await client.FenceAsync();
        await _process.WriteLineAsync(string.Create(
            CultureInfo.InvariantCulture, $"{_broker.Publishers} {_broker.Subscribers} {topic} {random.Next(1, 6)} {count} {random.Next(2)}"));
        await ExpectAsync("ready");
        for (int i = 0; i < count; i++)
        {
            await client.PublishAsync($"{subject}.n", string.Create(CultureInfo.InvariantCulture, $"n{i}"));
        }

        await ExpectAsync("heard True");
        foreach (char side in "nz")
        {
            for (int i = 0; i < count; i++)
            {
                SoakMessage message = await ReadAsync(client, subject);
                Assert.Equal(string.Create(CultureInfo.InvariantCulture, $"{subject}.{side} {side}{i}"), $"{message.Subject} {message.Text}");
            }
        }

        await _process.WriteLineAsync("end");
        await ExpectAsync("gone");
        await client.SendAsync("UNSUB 1\r\n");
        await client.FenceAsync();
    }

    public ValueTask DisposeAsync() => _process.DisposeAsync();

    private async Task ExpectAsync(string line) => Assert.Equal(line, await _process.ReadLineAsync());

    private static async Task<SoakMessage> ReadAsync(SoakClient client, string subject)
    {
        while (true)
        {
            SoakMessage message = await client.ReadAsync();
            if (message.Subject != $"{subject}.p")
            {
                return message;
            }
        }
    }
}
