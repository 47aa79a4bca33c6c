using System.IO.Compression;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Text;
using System.Xml.Linq;

namespace Broker.Packages.Tests;

/// <summary>The packages, as a user without the repository gets them.</summary>
public sealed partial class PackageTests(PackedPackages packages) : IClassFixture<PackedPackages>
{
    private const string ProjectUrl = "https://example.org/broker";

    public static TheoryData<string> Libraries =>
    [
        .. Directory.EnumerateDirectories(Path.Combine(Repository.Root, "src")).Select(f => Path.GetFileName(f)!)
            .Where(static n => n is not ("Broker.Cli" or "Broker.Templates") && IsPacked(Path.Combine(Repository.Root, "src", n, n + ".csproj"))),
    ];

    private static bool IsPacked(string project)
        => File.Exists(project) && !File.ReadAllText(project).Contains("<IsPackable>false</IsPackable>", StringComparison.Ordinal);

    // Broker.NetMQ refers to NetMQ, and Broker.NetMQ.Compatibility refuses NetMQ beside itself. Broker.Aspire is for
    // app hosts only.
    private static string[] LibrariesTogether => [.. Libraries.Select(static l => l.Data).Where(static l => l is not ("Broker.NetMQ" or "Broker.Aspire"))];

    [Theory]
    [MemberData(nameof(Libraries))]
    public void A_library_has_its_page_its_documentation_and_its_symbols(string name)
    {
        using ZipArchive package = ZipFile.OpenRead(Path.Combine(packages.Folder, $"{name}.{packages.Version}.nupkg"));
        string[] files = [.. package.Entries.Select(e => e.FullName)];
        Assert.Contains("README.md", files);
        Assert.Contains("icon.png", files);
        Assert.Contains($"lib/net10.0/{name}.dll", files);
        Assert.Contains($"lib/net10.0/{name}.xml", files);
        using Stream nuspec = package.Entries.Single(e => e.FullName == name + ".nuspec").Open();
        XElement metadata = XDocument.Load(nuspec).Root!.Elements().Single(e => e.Name.LocalName == "metadata");
        string Of(string element) => metadata.Elements().Single(e => e.Name.LocalName == element).Value;
        Assert.Equal(("Apache-2.0", "README.md", "icon.png"), (Of("license"), Of("readme"), Of("icon")));
        Assert.True(Of("description").Length > 20);
        Assert.Contains("CHANGELOG.md", Of("releaseNotes"), StringComparison.Ordinal);
        Assert.Contains("CHANGELOG.md", files);
        Assert.Equal(ProjectUrl, Of("projectUrl"));
        // All packages have the same version.
        Assert.All(
            metadata.Descendants().Where(e => e.Name.LocalName == "dependency" && e.Attribute("id")!.Value.StartsWith("Broker.", StringComparison.Ordinal)),
            d => Assert.Equal(packages.Version, d.Attribute("version")!.Value));
        using ZipArchive symbols = ZipFile.OpenRead(Path.Combine(packages.Folder, $"{name}.{packages.Version}.snupkg"));
        Assert.Contains($"lib/net10.0/{name}.pdb", symbols.Entries.Select(e => e.FullName));
    }

    [Fact]
    public async Task A_console_program_has_server_client_and_sockets_of_the_packages()
    {
        string program = await packages.BuildAsync(
            "console",
            "Microsoft.NET.Sdk",
            """
            using Broker.Bridge;
            using Broker.Client;
            using Broker.Cryptography;
            using Broker.Leaf;
            using Broker.Server;
            using Broker.Testing;
            using Broker.ZeroMq;

            await using BrokerServer server = await BrokerServer.StartAsync(options => options.UseCryptography().Listen(0));
            await using BrokerConnection client = await BrokerConnection.ConnectAsync(
                new ClientOptions { Dialer = server.CreateDialer(), ConnectTimeout = TimeSpan.FromMinutes(1) });
            client.Subscribe("greet", static (in message) => message.Respond("hello"u8));
            var answer = await client.RequestAsync("greet", default, TimeSpan.FromMinutes(1));
            Console.WriteLine(System.Text.Encoding.UTF8.GetString(answer.Body.Span));
            using var pull = new PullSocket();
            using var push = new PushSocket();
            push.Connect(pull.Bind("tcp://127.0.0.1:*"));
            push.Send("world");
            Console.WriteLine(pull.ReceiveString());
            await using var leaf = LeafNodes.Start(server, new LeafNodeOptions());
            Console.WriteLine(new PubSubRouteOptions().Pattern + typeof(ZeroMqBridge).Name.Length);
            await using var broker = await TestBroker.StartAsync();
            await using var recorder = await broker.RecordAsync("a");
            broker.Client.Publish("a", "tested"u8);
            await recorder.AssertTextsAsync("tested");
            """,
            "Broker.Server",
            "Broker.Client",
            "Broker.Bridge",
            "Broker.Cryptography",
            "Broker.Leaf",
            "Broker.Testing");

        await using var run = PeerProcess.Start("console", "dotnet", program);
        Assert.Equal("hello", await run.ReadLineAsync());
        Assert.Equal("world", await run.ReadLineAsync());
        Assert.True(await run.WaitForExitAsync() == 0, run.Errors);
    }

    [Fact]
    public async Task A_worker_service_has_a_server_and_a_client_by_three_lines()
    {
        string program = await packages.BuildAsync(
            "worker",
            "Microsoft.NET.Sdk.Worker",
            """
            using Broker.Client;
            using Broker.Hosting;

            var builder = Host.CreateApplicationBuilder(["--Broker:Listen:0=127.0.0.1:0", "--BrokerClient:ConnectTimeout=00:01:00"]);
            builder.Services.AddBroker().AddBrokerClient().AddHostedService<Worker>();
            await builder.Build().RunAsync();

            internal sealed class Worker(BrokerConnection client, IHostApplicationLifetime lifetime) : BackgroundService
            {
                protected override async Task ExecuteAsync(CancellationToken stoppingToken)
                {
                    client.Subscribe("greet", static (in message) => message.Respond("hello"u8));
                    var answer = await client.RequestAsync("greet", default, TimeSpan.FromMinutes(1), cancellationToken: stoppingToken);
                    Console.WriteLine("answer: " + System.Text.Encoding.UTF8.GetString(answer.Body.Span));
                    lifetime.StopApplication();
                }
            }
            """,
            "Broker.Hosting",
            "Microsoft.Extensions.Hosting/10.0.14");

        await using var run = PeerProcess.Start("worker", "dotnet", program);
        await run.ReadLineWithAsync("answer: hello");
        Assert.True(await run.WaitForExitAsync() == 0, run.Errors);
    }

    [Fact]
    public async Task A_worker_of_the_SDKs_own_template_adds_the_package()
    {
        string program = await packages.BuildSdkTemplateAsync(
            "worker",
            "Plain.Worker",
            """
            using Broker.Client;

            var builder = Host.CreateApplicationBuilder(["--Broker:Listen:0=127.0.0.1:0", "--BrokerClient:ConnectTimeout=00:01:00"]);
            builder.Services.AddBroker().AddBrokerClient();
            using IHost host = builder.Build();
            await host.StartAsync();
            Console.WriteLine("connected: " + host.Services.GetRequiredService<BrokerConnection>().State);
            await host.StopAsync();
            """,
            "Broker.Hosting");

        await using var run = PeerProcess.Start("worker", "dotnet", program);
        await run.ReadLineWithAsync("connected: ");
        Assert.True(await run.WaitForExitAsync() == 0, run.Errors);
    }

    [Fact]
    public async Task A_web_application_maps_the_pages_of_its_server()
    {
        string program = await packages.BuildAsync(
            "web",
            "Microsoft.NET.Sdk.Web",
            """
            using Broker.AspNetCore;
            using Broker.Hosting;
            using Broker.Server;

            var builder = WebApplication.CreateBuilder(["--urls=http://127.0.0.1:0", "--Broker:Listen:0=127.0.0.1:0"]);
            builder.Services.AddBroker().AddHealthChecks().AddBroker();
            var app = builder.Build();
            var server = app.Services.GetRequiredService<BrokerServer>();
            app.UseWebSockets();
            app.MapGet("/", () => "mine");
            app.MapGet("/healthz", () => "mine");
            app.MapBrokerMonitoring(server);
            app.MapBrokerWebSocket("/nats", server);
            app.MapHealthChecks("/ready");
            await app.StartAsync();
            using var http = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
            Console.WriteLine("page: " + (await http.GetStringAsync("/broker/varz")).Contains("server_id"));
            Console.WriteLine("own: " + await http.GetStringAsync("/") + " " + await http.GetStringAsync("/healthz"));
            Console.WriteLine("health: " + await http.GetStringAsync("/ready"));
            await app.StopAsync();
            """,
            "Broker.Hosting",
            "Broker.AspNetCore");

        await using var run = PeerProcess.Start("web", "dotnet", program);
        await run.ReadLineWithAsync("page: True");
        await run.ReadLineWithAsync("own: mine mine");
        await run.ReadLineWithAsync("health: Healthy");
        Assert.True(await run.WaitForExitAsync() == 0, run.Errors);
    }

    [Fact]
    public async Task The_tool_serves_and_carries_a_message_from_ZeroMQ_to_NATS()
    {
        string broker = await packages.InstallToolAsync();
        await using var ports = new TemporaryPorts();
        await using var serve = PeerProcess.Start(
            "serve", broker, Runtime,
            ["serve", "-q", "-p", "-1", "--zeromq-publishers", "tcp://127.0.0.1:*", "--zeromq-subscribers", "tcp://127.0.0.1:*", "--ports_file_dir", ports.Folder]);
        PortsFile addresses = await PortsFile.WaitAsync(ports.Folder, serve);
        await using var sub = PeerProcess.Start("sub", broker, Runtime, ["sub", "-s", addresses.Nats[0], "--count", "1", "--raw", "zmq.weather.*"]);
        await Wait.UntilAsync(() => sub.Errors.Contains("subscribed to ", StringComparison.Ordinal) || sub.HasExited, "the subscription");

        await using var pub = PeerProcess.Start(
            "pub", broker, Runtime, ["zmq", "pub", "--timeout", "2m", "--connect", addresses.Publishers[0], "weather.oslo", "4 degrees"]);

        Assert.True(await pub.WaitForExitAsync() == 0, pub.Errors);
        Assert.Equal("4 degrees", await sub.ReadLineAsync());
        Assert.True(await sub.WaitForExitAsync() == 0, sub.Errors);
    }

    [Fact]
    public async Task A_worker_of_the_template_takes_what_ZeroMQ_and_NATS_programs_publish()
    {
        string broker = await packages.InstallToolAsync();
        string program = await packages.BuildTemplateAsync("broker-worker", "Made.Worker");
        string publishers = FreePort.NextAddress();
        await using var run = PeerProcess.Start(
            "worker", "dotnet",
            program, "--contentRoot", Path.GetDirectoryName(program)!, "--Broker:Listen:0=127.0.0.1:0", "--Broker:AuthTimeout=00:02:00",
            "--BrokerClient:ConnectTimeout=00:01:00", $"--ZeroMqBridge:Routes:events:Publishers={publishers}",
            "--ZeroMqBridge:Routes:events:Subscribers=tcp://127.0.0.1:*");

        string listening = await run.ReadLineWithAsync("Listening at 127.0.0.1:");

        using var client = new TcpClient();
        await client.ConnectAsync(IPEndPoint.Parse(listening[(listening.LastIndexOf(' ') + 1)..].Trim()), TestContext.Current.CancellationToken);
        await run.ReadLineWithAsync("Application started");
        using var reader = new StreamReader(client.GetStream());
        async Task SayAsync(string text) => await client.GetStream().WriteAsync(Encoding.ASCII.GetBytes(text), TestContext.Current.CancellationToken);
        await SayAsync("CONNECT {\"verbose\":false,\"headers\":true,\"no_responders\":true}\r\nSUB answers 1\r\n");
        string? line = null;
        // The worker subscribes when the host has started. Before that there is no responder.
        await Wait.UntilAsync(
            async () =>
            {
                await SayAsync("PUB work.it answers 2\r\nhi\r\n");
                do
                {
                    line = await reader.ReadLineAsync(TestContext.Current.CancellationToken);
                }
                while (line is not null && !line.StartsWith("MSG answers", StringComparison.Ordinal) && !line.StartsWith("HMSG answers", StringComparison.Ordinal));

                return line is null || line.StartsWith("MSG", StringComparison.Ordinal);
            },
            "an answer");
        Assert.Equal("done", await reader.ReadLineAsync(TestContext.Current.CancellationToken));
        await run.ReadLineWithAsync("work.it: hi");

        // It waits for a subscriber. The bridge subscribes for the worker.
        await using var pub = PeerProcess.Start("pub", broker, Runtime, ["zmq", "pub", "--timeout", "2m", "--connect", publishers, "work.oven", "hot"]);
        await run.ReadLineWithAsync("zmq.work.oven: hot");
        Assert.True(await pub.WaitForExitAsync() == 0, pub.Errors);
        if (!OperatingSystem.IsWindows())
        {
            await run.SignalAsync("TERM");
            Assert.True(await run.WaitForExitAsync() == 0, run.Errors);
        }
    }

    [Fact]
    public async Task A_program_of_the_template_serves_and_answers()
    {
        string program = await packages.BuildTemplateAsync("broker-embedded", "Made.Embedded");
        await using var run = PeerProcess.Start("embedded", "dotnet", program, "0");
        string address = (await run.ReadLineWithAsync("NATS clients connect to nats://")).Split("nats://")[1].Split(',')[0];

        using var client = new TcpClient();
        await client.ConnectAsync(IPEndPoint.Parse(address), TestContext.Current.CancellationToken);
        await client.GetStream().WriteAsync("CONNECT {\"verbose\":false}\r\nSUB answers 1\r\nPUB greet.ada answers 2\r\nhi\r\n"u8.ToArray(), TestContext.Current.CancellationToken);

        await run.ReadLineWithAsync("greet.ada: hi");
        using var reader = new StreamReader(client.GetStream());
        Assert.StartsWith("INFO ", await reader.ReadLineAsync(TestContext.Current.CancellationToken), StringComparison.Ordinal);
        Assert.Equal("MSG answers 1 5", await reader.ReadLineAsync(TestContext.Current.CancellationToken));
        Assert.Equal("hello", await reader.ReadLineAsync(TestContext.Current.CancellationToken));
        if (!OperatingSystem.IsWindows())
        {
            // Not SIGINT: a shell starts background programs with SIGINT ignored.
            await run.SignalAsync("TERM");
            Assert.True(await run.WaitForExitAsync() == 0, run.Errors);
        }
    }

    // The root of the runtime that runs this test: three folders above its assemblies.
    private static (string, string) Runtime => ("DOTNET_ROOT", Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "../../..")));

    private sealed class TemporaryPorts : IAsyncDisposable
    {
        private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("ports-");

        public string Folder => _folder.FullName;

        public ValueTask DisposeAsync()
        {
            _folder.Delete(recursive: true);
            return ValueTask.CompletedTask;
        }
    }
}
