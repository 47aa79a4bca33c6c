using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Serving;

/// <summary>Tests the bridge in place of a zmq_proxy between XSUB and XPUB, with unchanged programs.</summary>
public sealed class ForwarderTests
{
    private const string Proxy = """
        import sys, zmq
        context = zmq.Context()
        xsub, xpub = context.socket(zmq.XSUB), context.socket(zmq.XPUB)
        """;

    // For each line of input, the programs publish until every subscriber has received a new message of every
    // publisher. They print whether exactly those arrived, and which subscriptions the XPUB received.
    private const string Programs = """
        import sys, zmq
        context = zmq.Context()
        def make(kind, endpoint):
            socket = context.socket(kind)
            socket.linger = 0
            socket.connect(endpoint)
            return socket
        def run(publishers, subscribers):
            pubs = {b'pub': make(zmq.PUB, publishers), b'xpub': make(zmq.XPUB, publishers)}
            subs = [make(zmq.SUB, subscribers), make(zmq.XSUB, subscribers)]
            subs[0].subscribe(b'weather.')
            subs[1].send(b'\x01weather.')
            number = 0
            for line in sys.stdin:
                first, got, heard = number, set(), set()
                while len(got) < 4:
                    number += 1
                    for name, pub in pubs.items():
                        pub.send_multipart([b'weather.' + name, b'%d' % number, b''])
                        pub.send_multipart([b'other.' + name, b'%d' % number])
                    while pubs[b'xpub'].poll(0):
                        heard.add(pubs[b'xpub'].recv())
                    for index, sub in enumerate(subs):
                        while sub.poll(5):
                            topic, value, rest = sub.recv_multipart()
                            if int(value) > first:
                                got.add((index, topic))
                print(sorted(got) == [(i, t) for i in (0, 1) for t in (b'weather.pub', b'weather.xpub')], sorted(heard), flush=True)
        """;

    [Fact]
    public async Task Programs_of_a_proxy_find_the_bridge_in_its_place_without_being_started_anew()
    {
        string publishers = FreePort.NextAddress();
        string subscribers = FreePort.NextAddress();
        PeerProcess proxy = await PythonPeers.StartCodeAsync($"{Proxy}\nxsub.bind('{publishers}'); xpub.bind('{subscribers}')\nzmq.proxy(xsub, xpub)");
        await using PeerProcess programs = await PythonPeers.StartCodeAsync($"{Programs}\nrun('{publishers}', '{subscribers}')");
        await programs.WriteLineAsync("go");
        Assert.Equal("True [b'\\x01weather.']", await programs.ReadLineAsync());
        await proxy.DisposeAsync();

        await using BrokerProcess broker = await BrokerProcess.StartWithZeroMqAsync($"bind {publishers}", $"bind {subscribers}");
        await using Subscriber client = await Peers.Libnats.SubscribeAsync(broker.Url, "zmq.weather.xpub");

        // The bridge does not know the subscriptions of NATS clients, so it subscribes to all topics at the publishers.
        // The XPUB may receive that subscription after the first messages have arrived: a connecting libzmq socket
        // keeps the old subscriptions while the other side is away.
        string line;
        int rounds = 0;
        do
        {
            await programs.WriteLineAsync("go");
            line = await programs.ReadLineAsync();
            Assert.StartsWith("True ", line, StringComparison.Ordinal);
        }
        while (!line.Contains("b'\\x01'", StringComparison.Ordinal) && ++rounds < 100);
        Assert.Contains("b'\\x01'", line, StringComparison.Ordinal);
        await programs.WriteLineAsync("go");
        Assert.StartsWith("True ", await programs.ReadLineAsync(), StringComparison.Ordinal);
        Assert.Equal("zmq.weather.xpub", (await client.ReadAsync()).Subject);
    }

    [Fact]
    public async Task What_topics_names_is_all_that_publishers_are_asked_for()
    {
        string publishers = FreePort.NextAddress();
        string subscribers = FreePort.NextAddress();
        DirectoryInfo folder = Directory.CreateTempSubdirectory("broker-forwarder-");
        try
        {
            string file = Path.Combine(folder.FullName, "broker.conf");
            await File.WriteAllTextAsync(
                file,
                $"zeromq {{ routes: [ {{ pattern: pubsub, publishers: \"{publishers}\", subscribers: \"{subscribers}\", topics: \"weather.\" }} ] }}",
                TestContext.Current.CancellationToken);
            await using BrokerProcess broker = await BrokerProcess.StartAsync(-1, "-c", file);
            await using PeerProcess programs = await PythonPeers.StartCodeAsync($"{Programs}\nrun('{publishers}', '{subscribers}')");

            await programs.WriteLineAsync("go");

            Assert.Equal("True [b'\\x01weather.']", await programs.ReadLineAsync());
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }
}
