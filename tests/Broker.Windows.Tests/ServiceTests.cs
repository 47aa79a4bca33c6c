using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.RegularExpressions;
using Broker.Client;

namespace Broker.Windows.Tests;

/// <summary>The broker for Windows as a service, with clients and ZeroMQ programs on Linux.</summary>
public sealed partial class ServiceTests(WindowsMachine windows) : IClassFixture<WindowsMachine>
{
    private const string ZeroMq = """
        zeromq {
          publishers: ["tcp://127.0.0.1:*"]
          subscribers: ["tcp://127.0.0.1:*"]
        }

        """;

    // Long deadlines, so that a stop ends only when everything is delivered.
    private const string Patient = "stop_deadline: \"100s\"\nwrite_deadline: \"100s\"\n";

    [Fact]
    public Task A_service_serves_clients_carries_ZeroMQ_both_ways_and_reloads() => windows.TestAsync(async () =>
    {
        string python = Programs.Find("python3") is null ? Programs.Require("python3") : "/usr/bin/python3";
        await using InstalledService service = await InstalledService.InstallAsync(windows, "carrier", Patient + ZeroMq);
        Assert.Contains("running (process ", await service.DoAsync("start"), StringComparison.Ordinal);
        (string nats, string publishers, string subscribers) = await service.AddressesAsync();

        await using BrokerConnection receiver = await BrokerConnection.ConnectAsync(Client(nats), TestContext.Current.CancellationToken);
        await using BrokerConnection sender = await BrokerConnection.ConnectAsync(Client(nats), TestContext.Current.CancellationToken);
        const int Messages = 100_000;
        long received = 0;
        long sum = 0;
        receiver.Subscribe("load.*", (in message) =>
        {
            sum += BitConverter.ToInt32(message.Body);
            Interlocked.Increment(ref received);
        });
        await receiver.PingAsync(TestContext.Current.CancellationToken);
        byte[] body = new byte[16];
        for (int i = 0; i < Messages; i++)
        {
            BitConverter.TryWriteBytes(body, i);
            await sender.PublishAsync(i % 2 == 0 ? "load.a" : "load.b", body, cancellationToken: TestContext.Current.CancellationToken);
        }

        await Wait.UntilAsync(() => Interlocked.Read(ref received) == Messages, () => $"{received} of {Messages} messages came");
        Assert.Equal((long)Messages * (Messages - 1) / 2, sum);

        // From ZeroMQ: the test waits for the bridge's subscription, so that no message is lost.
        var fromZeroMq = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        int carried = 0;
        receiver.Subscribe("zmq.weather.*", (in message) =>
        {
            string text = Encoding.UTF8.GetString(message.Body);
            if (++carried == 1000)
            {
                fromZeroMq.TrySetResult(text);
            }
        });
        await receiver.PingAsync(TestContext.Current.CancellationToken);
        await using var publisher = PeerProcess.Start("publisher", python, "-c", $"""
            import zmq, sys
            socket = zmq.Context().socket(zmq.XPUB)
            socket.linger = -1
            socket.sndhwm = 0
            socket.connect("{publishers}")
            socket.recv()
            for i in range(1000):
                socket.send_multipart([b"weather.oslo", b"%d" % i])
            print("DONE", flush=True)
            sys.stdin.read()
            """);
        await publisher.ReadLineWithAsync("DONE");
        Assert.Equal("999", await Wait.For(fromZeroMq));

        // To ZeroMQ: a message before the subscription is lost, so the test publishes repeatedly.
        await using var subscriber = PeerProcess.Start("subscriber", python, "-c", $"""
            import zmq
            socket = zmq.Context().socket(zmq.SUB)
            socket.connect("{subscribers}")
            socket.subscribe(b"news.")
            print(b"|".join(socket.recv_multipart()).decode(), flush=True)
            """);
        Task<string> line = subscriber.ReadLineAsync();
        await Wait.UntilAsync(
            () => line.IsCompleted, () => "nothing came: " + subscriber.Errors, () => sender.PublishWithStatus("zmq.news.today", "snow"u8));
        Assert.Equal("news.today|snow", await line);

        service.Configure(Patient + ZeroMq + "max_payload: 2000\n");
        await service.DoAsync("reload");
        await Wait.UntilAsync(() => InfoOf(nats).Contains("\"max_payload\":2000,", StringComparison.Ordinal), () => service.Log);

        Assert.Contains("carrier: stopped", await service.DoAsync("stop"), StringComparison.Ordinal);
        Assert.Contains("stopped: everything was delivered", service.Log, StringComparison.Ordinal);
    });

    [Fact]
    public Task What_is_queued_when_it_is_stopped_is_delivered_and_what_cannot_be_is_counted() => windows.TestAsync(async () =>
    {
        await using InstalledService service = await InstalledService.InstallAsync(windows, "drainer", Patient);
        await service.DoAsync("start");
        (string nats, _, _) = await service.AddressesAsync();
        using (SlowReader reader = await SlowReader.StartAsync(nats, 2_000, 8_000))
        {
            Task<string> stop = service.DoAsync("stop");
            Assert.Equal(2_000, await reader.ReadToEndAsync());
            await stop;
        }

        Assert.Contains("stopped: everything was delivered", service.Log, StringComparison.Ordinal);

        service.Configure("stop_deadline: \"1s\"\nwrite_deadline: \"100s\"\nmax_pending: 100000000\n");
        await service.DoAsync("start");
        (nats, _, _) = await service.AddressesAsync();
        using (SlowReader reader = await SlowReader.StartAsync(nats, 6_000, 8_000))
        {
            // The stop was requested, so Windows must not restart the service.
            Assert.Contains("drainer: stopped", await service.DoAsync("stop"), StringComparison.Ordinal);
        }

        Match counted = NotDelivered().Match(service.Log);
        Assert.True(counted.Success, service.Log);
        Assert.InRange(int.Parse(counted.Groups[1].Value, CultureInfo.InvariantCulture), 1, 6_000);
    });

    [Fact]
    public Task Each_cycle_through_the_service_control_manager_delivers_what_was_queued() => windows.TestAsync(async () =>
    {
        int cycles = int.Parse(Environment.GetEnvironmentVariable("BROKER_SERVICE_CYCLES") ?? "4", CultureInfo.InvariantCulture);
        await using InstalledService service = await InstalledService.InstallAsync(windows, "cycler", Patient);
        for (int cycle = 0; cycle < cycles; cycle++)
        {
            await service.NetAsync("start");
            (string nats, _, _) = await service.AddressesAsync();
            using SlowReader reader = await SlowReader.StartAsync(nats, 500, 8_000);
            Task stop = service.NetAsync("stop");
            Assert.Equal(500, await reader.ReadToEndAsync());
            await stop;
        }

        Assert.Equal(cycles, service.Log.Split("stopped: everything was delivered").Length - 1);
    });

    [Fact]
    public Task A_start_that_fails_ends_with_an_exit_code_that_recovery_sees() => windows.TestAsync(async () =>
    {
        using var taken = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        taken.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        taken.Listen();
        int port = ((IPEndPoint)taken.LocalEndPoint!).Port;
        await using InstalledService service = await InstalledService.InstallAsync(windows, "loser", "", "-p", port.ToString(CultureInfo.InvariantCulture));

        (int exitCode, string text) = await service.TryAsync("start");

        Assert.True(exitCode == 1, text);
        Assert.Contains("loser: stopped (exit code 1)", text, StringComparison.Ordinal);
        Assert.Contains("the address is already in use", service.Log, StringComparison.Ordinal);
        Assert.Equal(4, (await service.TryAsync("status")).ExitCode);
    });

    [Fact]
    public Task A_service_that_cannot_be_is_not_installed_and_none_that_is_not_there_is_started() => windows.TestAsync(async () =>
    {
        (int exitCode, string text) = await windows.RunAsync(windows.Broker, "service", "install", "--service-name", "absent", "-c", "absent.conf");
        Assert.True(exitCode == 1, text);
        Assert.Contains("cannot read the configuration file absent.conf: there is no such file", text, StringComparison.Ordinal);
        Assert.Contains("the service was not installed; relative paths of a service begin in ", text, StringComparison.Ordinal);

        Assert.Equal(1, (await windows.RunAsync(windows.Broker, "service", "start", "--service-name", "absent")).ExitCode);
        Assert.Equal(1, (await windows.RunAsync(windows.Broker, "service", "status", "--service-name", "absent")).ExitCode);
        (exitCode, text) = await windows.RunAsync(windows.Broker, "service", "run");
        Assert.True(exitCode == 2, text);
        Assert.Contains("in a shell say broker serve", text, StringComparison.Ordinal);
    });

    [Fact]
    public Task Every_command_of_the_page_and_of_the_help_does_what_it_says() => windows.TestAsync(async () =>
    {
        string folder = Path.GetDirectoryName(windows.Broker)!;
        await File.WriteAllTextAsync(Path.Combine(folder, "broker.conf"), "listen: \"127.0.0.1:-1\"\n", TestContext.Current.CancellationToken);
        string page = await File.ReadAllTextAsync(Path.Combine(Repository.Root, "docs", "windows.md"), TestContext.Current.CancellationToken);
        foreach (string text in (string[])[page, await windows.SucceedAsync(windows.Broker, "service", "--help")])
        {
            string[] lines = [.. text.Split('\n').Select(l => l.TrimEnd()).Where(l => !l.Contains('[', StringComparison.Ordinal)).Where(l => l.StartsWith("    broker service ", StringComparison.Ordinal) || l.StartsWith("  broker service ", StringComparison.Ordinal))];
            Assert.True(lines.Length >= 6, text);
            foreach (string line in lines)
            {
                await windows.SucceedAsync(windows.Broker, [.. Words().Matches(line.Split(" #")[0]).Select(m => m.Value.Trim('"')).Skip(1)]);
            }
        }

        string install = await windows.SucceedAsync(windows.Broker, "service", "install", "--help");
        string[] installs = [.. install.Split('\n').Where(l => l.StartsWith("  broker service install -", StringComparison.Ordinal))];
        Assert.Equal(2, installs.Length);
        foreach (string line in installs)
        {
            string[] words = [.. Words().Matches(line.Trim()).Select(m => m.Value.Trim('"')).Skip(1)];
            string name = words.SkipWhile(w => w != "--service-name").Skip(1).FirstOrDefault() ?? "broker";
            Assert.Contains($"installed {name}: ", await windows.SucceedAsync(windows.Broker, words), StringComparison.Ordinal);
            await windows.SucceedAsync(windows.Broker, "service", "uninstall", "--service-name", name);
        }
    });

    [Fact]
    public Task The_sample_hosts_a_broker_and_a_bridge_as_a_service() => windows.TestAsync(async () =>
    {
        int port = FreePort.Next();
        string publishers = FreePort.NextAddress();
        await windows.SucceedAsync(
            "sc.exe", "create", "Sensors", "binPath=", $"\"Z:{windows.Sample.Replace('/', '\\')}\" --Broker:Listen:0=127.0.0.1:{port} --ZeroMqBridge:Routes:sensors:Publishers={publishers} --ZeroMqBridge:Routes:sensors:Subscribers=tcp://127.0.0.1:*",
            "start=", "demand");
        await windows.RunAsync("net.exe", "start", "Sensors");
        await using (BrokerConnection client = await BrokerConnection.ConnectAsync(
            Client($"nats://127.0.0.1:{port}") with { FirstConnect = FirstConnect.Background, MaxReconnectAttempts = -1 }, TestContext.Current.CancellationToken))
        {
            await Wait.UntilAsync(() => client.State == ConnectionState.Connected, "the service");
            await using var publisher = PeerProcess.Start("publisher", "/usr/bin/python3", "-c", $"""
                import zmq, sys
                socket = zmq.Context().socket(zmq.XPUB)
                socket.connect("{publishers}")
                socket.recv()
                for i in range(10):
                    socket.send_multipart([b"weather.oslo", b"4"])
                sys.stdin.read()
                """);
            string count = "";
            await Wait.UntilAsync(async () => (count = await CountAsync(client)) == "10", () => $"counted {count}");
        }

        await windows.RunAsync("net.exe", "stop", "Sensors");
        string text = "";
        await Wait.UntilAsync(async () => (text = (await windows.RunAsync("sc.exe", "query", "Sensors")).Text).Contains("STOPPED", StringComparison.Ordinal), () => text);
        Assert.Contains("WIN32_EXIT_CODE    : 0", text, StringComparison.Ordinal);
        await windows.SucceedAsync("sc.exe", "delete", "Sensors");
    });

    [Fact]
    public Task The_sample_reloads_its_settings_and_ends_with_an_exit_code_when_its_worker_fails() => windows.TestAsync(async () =>
    {
        int port = FreePort.Next();
        string settings = Path.Combine(Path.GetDirectoryName(windows.Sample)!, "appsettings.json");
        string before = await File.ReadAllTextAsync(settings, TestContext.Current.CancellationToken);
        await windows.SucceedAsync(
            "sc.exe", "create", "Sensors", "binPath=", $"\"Z:{windows.Sample.Replace('/', '\\')}\" --Broker:Listen:0=127.0.0.1:{port} --ZeroMqBridge:Routes:sensors:Publishers=tcp://127.0.0.1:* --ZeroMqBridge:Routes:sensors:Subscribers=tcp://127.0.0.1:* --hostBuilder:reloadConfigOnChange=false",
            "start=", "demand");
        try
        {
            await windows.RunAsync("net.exe", "start", "Sensors");
            await using BrokerConnection client = await BrokerConnection.ConnectAsync(
                Client($"nats://127.0.0.1:{port}") with { FirstConnect = FirstConnect.Background, MaxReconnectAttempts = -1 }, TestContext.Current.CancellationToken);
            await Wait.UntilAsync(() => client.State == ConnectionState.Connected, "the service");

            await File.WriteAllTextAsync(settings, before.Replace("\"Listen\"", "\"MaxPayload\": 2000, \"Listen\"", StringComparison.Ordinal), TestContext.Current.CancellationToken);
            // Only PARAMCHANGE reloads: the host does not watch the file.
            await windows.SucceedAsync(windows.Broker, "service", "reload", "--service-name", "Sensors");
            await Wait.UntilAsync(() => InfoOf($"nats://127.0.0.1:{port}").Contains("\"max_payload\":2000,", StringComparison.Ordinal), "the reload");

            string text = "";
            // The worker subscribes after its server listens, so the test publishes until the service has stopped.
            await Wait.UntilAsync(
                async () =>
                {
                    client.PublishWithStatus("sensors.fault", "the valve is stuck"u8);
                    return (text = (await windows.RunAsync("sc.exe", "query", "Sensors")).Text).Contains("STOPPED", StringComparison.Ordinal);
                },
                () => text);
            Assert.Matches(@"WIN32_EXIT_CODE\s+: 1066", text);
            Assert.Matches(@"SERVICE_EXIT_CODE\s+: 1\b", text);
        }
        finally
        {
            await File.WriteAllTextAsync(settings, before, CancellationToken.None);
            await windows.RunAsync("sc.exe", "delete", "Sensors");
        }
    });

    [GeneratedRegex(@"stopped: (\d+) messages were not delivered")]
    private static partial Regex NotDelivered();

    [GeneratedRegex("\"[^\"]*\"|[^ ]+")]
    private static partial Regex Words();

    private static ClientOptions Client(string url) => new() { Servers = [url], ConnectTimeout = Wait.Limit };

    // The worker starts after its server does.
    private static async Task<string> CountAsync(BrokerConnection client)
    {
        try
        {
            return Encoding.ASCII.GetString((await client.RequestAsync("sensors.count", default, Wait.Limit, cancellationToken: TestContext.Current.CancellationToken)).Body.Span);
        }
        catch (NoRespondersException)
        {
            return "nothing yet";
        }
    }

    private static string InfoOf(string nats)
    {
        using var socket = new TcpClient();
        socket.Connect(IPEndPoint.Parse(nats["nats://".Length..]));
        using var reader = new StreamReader(socket.GetStream(), Encoding.ASCII);
        return reader.ReadLine() ?? "";
    }
}
