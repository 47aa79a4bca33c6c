using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Serving;

/// <summary>Tests pyzmq programs that use PLAIN and CURVE with a bridge whose keys are in files.</summary>
public sealed class SecuredBridgeTests : IDisposable
{
    // Each test appends its own lines, which print True for every expectation that is met.
    private const string Common = """
        import os, sys, time, zmq, zmq.auth, threading
        from zmq.utils.monitor import recv_monitor_message
        context = zmq.Context()
        failed = zmq.EVENT_HANDSHAKE_FAILED_AUTH | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
        def make(kind, **options):
            socket = context.socket(kind)
            socket.linger = 0
            for name, value in options.items():
                setattr(socket, name, value)
            return socket
        def client(kind, folder, name, **options):
            public, secret = zmq.auth.load_certificate(os.path.join(folder, name + '.key_secret'))
            server, _ = zmq.auth.load_certificate(os.path.join(folder, 'bridge.key'))
            return make(kind, curve_publickey=public, curve_secretkey=secret, curve_serverkey=server, **options)
        def server(kind, folder, name):
            public, secret = zmq.auth.load_certificate(os.path.join(folder, name + '.key_secret'))
            return make(kind, curve_publickey=public, curve_secretkey=secret, curve_server=True)
        def refused(socket, endpoint):
            monitor = socket.get_monitor_socket(failed)
            socket.connect(endpoint)
            return monitor.poll(120000) != 0
        def until_received(pub, sub, topic):
            while not sub.poll(20):
                pub.send_multipart([topic, b'try'])
            return sub.recv_multipart()[0] == topic
        """;

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("broker-keys-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task Who_has_a_certificate_that_the_bridge_knows_is_served_and_nobody_else()
    {
        await CertificatesAsync();
        Directory.CreateDirectory(At("known"));
        File.Copy(At("known-one.key"), At("known/one.key"));
        await using BrokerProcess broker = await StartAsync($$"""
            zeromq {
              publishers: "tcp://127.0.0.1:*", subscribers: "tcp://127.0.0.1:*"
              security { mechanism: curve, role: server, secret_key_file: "{{At("bridge.key_secret")}}", clients: "{{At("known")}}" }
            }
            """);

        await AssertTrueAsync(3, $$"""
            pub, sub = client(zmq.PUB, folder, 'known-one'), client(zmq.SUB, folder, 'known-one', subscribe=b'')
            pub.connect('{{broker.Publishers}}'); sub.connect('{{broker.Subscribers}}')
            print(until_received(pub, sub, b'weather.oslo'))
            print(refused(client(zmq.SUB, folder, 'stranger', subscribe=b''), '{{broker.Subscribers}}'))
            print(refused(make(zmq.PUB), '{{broker.Publishers}}'))
            """);
        Assert.DoesNotContain(await SecretAsync("bridge.key_secret"), broker.Process.Errors, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Programs_that_bind_as_curve_servers_are_connected_to_by_a_bridge_that_knows_their_key()
    {
        await CertificatesAsync();
        string pushers = FreePort.NextAddress();
        string pullers = FreePort.NextAddress();
        await using BrokerProcess broker = await StartAsync($$"""
            zeromq {
              routes: [ { pattern: pushpull, subject: work, pushers: "connect {{pushers}}", pullers: "connect {{pullers}}"
                security { mechanism: curve, role: client, secret_key_file: "{{At("bridge.key_secret")}}", server_key_file: "{{At("known-one.key")}}" } } ]
            }
            """);

        await AssertTrueAsync(1, $$"""
            push, pull = server(zmq.PUSH, folder, 'known-one'), server(zmq.PULL, folder, 'known-one')
            push.bind('{{pushers}}'); pull.bind('{{pullers}}')
            for i in range(1000): push.send(b'%d' % i)
            print([pull.recv() for i in range(1000)] == [b'%d' % i for i in range(1000)])
            """);
    }

    [Fact]
    public async Task Plain_is_spoken_by_a_bridge_that_asks_for_a_password_and_by_one_that_shows_one()
    {
        await File.WriteAllTextAsync(At("users"), "ada:first program\n", TestContext.Current.CancellationToken);
        await File.WriteAllTextAsync(At("password"), "first program\n", TestContext.Current.CancellationToken);
        string worker = FreePort.NextAddress();
        string clients = FreePort.NextAddress();
        await using BrokerProcess broker = await StartAsync($$"""
            zeromq {
              routes: [
                { pattern: request, endpoint: "{{clients}}", subject: ask, security { mechanism: plain, role: server, users_file: "{{At("users")}}" } }
                { pattern: worker, endpoint: "connect {{worker}}", subject: ask, security { mechanism: plain, role: client, user: ada, password_file: "{{At("password")}}" } }
              ]
            }
            """);

        // A PLAIN server of libzmq accepts every password without a ZAP handler, so the program starts one.
        await AssertTrueAsync(3, $$"""
            from zmq.auth.thread import ThreadAuthenticator
            auth = ThreadAuthenticator(context); auth.start()
            auth.configure_plain(domain='*', passwords={'ada': 'first program'})
            rep = make(zmq.REP, plain_server=True); rep.bind('{{worker}}')
            req = make(zmq.REQ, plain_username=b'ada', plain_password=b'first program'); req.connect('{{clients}}')
            req.send(b'2 + 2')
            print(rep.recv() == b'2 + 2'); rep.send(b'4')
            print(req.recv() == b'4')
            print(refused(make(zmq.REQ, plain_username=b'ada', plain_password=b'wrong'), '{{clients}}'))
            sys.stdout.flush(); auth.stop()
            """);
        Assert.DoesNotContain("first program", broker.Process.Errors, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_route_of_the_command_line_reads_the_same_keys()
    {
        await CertificatesAsync();
        await using BrokerProcess nats = await BrokerProcess.StartAsync(-1);
        string port = FreePort.NextAddress();
        await using PeerProcess bridge = BrokerProcess.RunCommand(
            "bridge", "-s", nats.Url, "--route",
            $"pattern: pubsub, publishers: \"{port}\", security {{ mechanism: curve, role: server, secret_key_file: \"{At("bridge.key_secret")}\" }}");
        await using Subscriber client = await Peers.Libnats.SubscribeAsync(nats.Url, "zmq.>");

        await using PeerProcess pub = await PythonPeers.StartCodeAsync($$"""
            {{Common}}
            pub = client(zmq.PUB, '{{_folder.FullName}}', 'stranger'); pub.connect('{{port}}')
            while True: pub.send_multipart([b'a', b'body']); time.sleep(0.02)
            """);
        Assert.Equal("body", (await client.ReadAsync()).PayloadText);
    }

    private string At(string name) => Path.Combine(_folder.FullName, name);

    private async Task<string> SecretAsync(string name)
        => (await File.ReadAllLinesAsync(At(name), TestContext.Current.CancellationToken)).Single(line => line.Contains("secret-key", StringComparison.Ordinal)).Split('"')[1];

    // The key files have the format of pyzmq's own tool.
    private Task CertificatesAsync() => AssertTrueAsync(1, """
        for name in ['bridge', 'known-one', 'stranger']: zmq.auth.create_certificates(folder, name)
        print(True)
        """);

    private async Task<BrokerProcess> StartAsync(string text)
    {
        await File.WriteAllTextAsync(At("broker.conf"), text, TestContext.Current.CancellationToken);
        return await BrokerProcess.StartAsync(-1, "-c", At("broker.conf"));
    }

    private async Task AssertTrueAsync(int times, string code)
    {
        await using PeerProcess python = await PythonPeers.StartCodeAsync($"{Common}\nfolder = '{_folder.FullName}'\n{code}");
        for (int i = 0; i < times; i++)
        {
            Assert.Equal("True", await python.ReadLineAsync());
        }
    }
}
