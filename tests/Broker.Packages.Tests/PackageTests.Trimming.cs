namespace Broker.Packages.Tests;

// Trimmed programs.
public sealed partial class PackageTests
{
    [Fact]
    public async Task A_trimmed_program_with_every_library_is_published_without_a_warning_and_runs()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "it is published for linux-x64");
        string[] libraries = LibrariesTogether;
        string program = await packages.PublishTrimmedAsync(
            "trimmed",
            "Microsoft.NET.Sdk.Web",
            """
            using System.Text;
            using Broker.AspNetCore;
            using Broker.Bridge;
            using Broker.Client;
            using Broker.Cryptography;
            using Broker.Hosting;
            using Broker.Server;
            using Broker.Testing;
            using Broker.ZeroMq;

            var builder = WebApplication.CreateSlimBuilder(
                ["--urls=http://127.0.0.1:0", "--Broker:Listen:0=127.0.0.1:0", "--Broker:MaxPayload=54321", "--BrokerClient:ConnectTimeout=00:01:00", "--BrokerClient:Tracing=true"]);
            builder.Services.AddBroker(static settings => settings.Configure(static options => options.UseCryptography())).AddBrokerClient()
                .AddZeroMqBridge(static (_, options) => options with
                {
                    Routes = [new PubSubRouteOptions
                    {
                        Publishers = [new BridgeEndpoint(Bind: true, "tcp://127.0.0.1:*")], Subscribers = [new BridgeEndpoint(Bind: true, "tcp://127.0.0.1:*")],
                    }],
                });
            builder.Services.AddHealthChecks().AddBroker();
            var app = builder.Build();
            var server = app.Services.GetRequiredService<BrokerServer>();
            app.MapBrokerMonitoring(server);
            app.MapBrokerWebSocket("/nats", server);
            app.MapHealthChecks("/ready");
            await app.StartAsync();

            // The program binds settings, writes pages and runs health checks, which usually need reflection.
            using var http = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
            Say("settings", (await http.GetStringAsync("/broker/varz")).Contains("\"max_payload\": 54321"));
            Say("metrics", (await http.GetStringAsync("/broker/metrics")).Contains("broker_connections "));
            Say("health", await http.GetStringAsync("/ready") == "Healthy");

            // One client in the host, one over TCP, one by WebSocket.
            var client = app.Services.GetRequiredService<BrokerConnection>();
            client.Subscribe("greet", static (in message) => message.Respond("hello"u8));
            foreach (string url in (string[])[$"nats://{server.EndPoints[0]}", app.Urls.First().Replace("http", "ws") + "/nats"])
            {
                await using var other = await BrokerConnection.ConnectAsync(new ClientOptions { Servers = [url], ConnectTimeout = TimeSpan.FromMinutes(1) });
                Say(url[..2], Encoding.UTF8.GetString((await other.RequestAsync("greet", default, TimeSpan.FromMinutes(1))).Body.Span) == "hello");
            }

            using var pull = new PullSocket();
            using var push = new PushSocket();
            push.Connect(pull.Bind("tcp://127.0.0.1:*"));
            push.Send("world");
            Say("ZeroMQ", pull.ReceiveString() == "world");
            await using var broker = await TestBroker.StartAsync();
            await using var recorder = await broker.RecordAsync("a");
            broker.Client.Publish("a", "tested"u8);
            await recorder.AssertTextsAsync("tested");
            await app.StopAsync();
            Console.WriteLine("done");

            static void Say(string what, bool holds) => Console.WriteLine($"{what}: {holds}");
            """,
            libraries);

        await using var run = PeerProcess.Start("trimmed", program);
        foreach (string what in (string[])["settings", "metrics", "health", "na", "ws", "ZeroMQ"])
        {
            Assert.Equal($"{what}: True", await run.ReadLineWithAsync(what + ": "));
        }

        await run.ReadLineWithAsync("done");
        Assert.True(await run.WaitForExitAsync() == 0, run.Errors);
    }
}
