using Broker.Bridge.PubSub;
using Broker.Bridge.Tests.PubSub.Support;
using Broker.Client;
using Broker.Client.Errors;
using Broker.Client.Tests.Support;
using Broker.ZeroMq.Endpoints;

namespace Broker.Bridge.Tests.PubSub;

/// <summary>Failed starts say why and leave nothing behind.</summary>
public sealed class StartTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public static TheoryData<string> Faults => ["mapping", "socket", "client", "server", "taken", "endpoint"];

    [Theory]
    [MemberData(nameof(Faults))]
    public async Task A_start_that_fails_leaves_no_thread_and_no_listener(string fault)
    {
        await using Site site = await Site.StartAsync(1);
        string taken = site.Bridge.PublisherEndpoints[0];
        BridgeEndpoint any = new(true, "tcp://127.0.0.1:0");
        var good = new PubSubBridgeOptions { Client = new ClientOptions { Servers = [site.Url] }, Publishers = [any], Subscribers = [any], RequireServer = true };
        PubSubBridgeOptions options = fault switch
        {
            "mapping" => good with { Mapping = good.Mapping with { Prefix = "a..b" } },
            "socket" => good with { MaxPeers = 0 },
            "client" => good with { Client = good.Client with { MaxPingsOut = 0 } },
            "server" => good with { Client = good.Client with { Servers = ["nats://127.0.0.1:1"] } },
            "taken" => good with { Publishers = [new(true, taken)] },
            _ => good with { Subscribers = [any, new(true, "tcp://nonsense")] },
        };
        Exception error = await Assert.ThrowsAnyAsync<Exception>(() => PubSubBridge.StartAsync(options, Token));
        Assert.True(error is ArgumentException or ClientException or ZeroMqBindException or FormatException, error.ToString());
        await Wait.UntilAsync(() => BridgeThreads() == 0, () => $"{BridgeThreads()} threads are left");
        await Wait.UntilAsync(() => site.Server!.Snapshot().Connections == 1, () => "a connection is left");
    }

    [Fact]
    public async Task Callbacks_of_the_caller_are_called_too()
    {
        using NatsServer server = NatsServer.Start();
        var told = new System.Collections.Concurrent.ConcurrentQueue<string>();
        await using PubSubBridge bridge = await PubSubBridge.StartAsync(
            new PubSubBridgeOptions
            {
                Client = new ClientOptions
                {
                    Servers = [server.Url],
                    ReconnectWait = TimeSpan.FromMilliseconds(20),
                    OnDisconnected = (_, _) => told.Enqueue("lost"),
                    OnReconnected = _ => told.Enqueue("back"),
                },
                Publishers = [],
                Subscribers = [],
            },
            Token);
        server.Restart();
        await Wait.UntilAsync(() => told.Contains("back"), () => string.Join(',', told));
        Assert.Equal(["lost", "back"], told);
    }

    [Fact]
    public async Task A_NATS_side_that_ends_for_good_is_logged_as_an_error()
    {
        var server = NatsServer.Start();
        await using Site site = await Site.StartAsync(0, o => o with { Client = o.Client with { MaxReconnectAttempts = 0 } }, remote: server);
        server.Kill();
        await Wait.UntilAsync(() => site.Log.Errors.Any(), () => "nothing is logged");
        Assert.Contains("for good", Assert.Single(site.Log.Errors), StringComparison.Ordinal);

        // Nobody takes them any more, and they are not kept.
        using RawPeer raw = await RawPeer.ConnectAsync(site.Bridge.SubscriberEndpoints[0], "SUB");
        byte[] toggles = [.. Enumerable.Range(0, 1000).SelectMany(_ => (byte[])[.. RawPeer.Subscription("x", true), .. RawPeer.Subscription("x", false)])];
        for (int i = 0; i < 20; i++)
        {
            await raw.SendAsync(toggles);
        }

        await raw.SendAsync(RawPeer.Subscription("x", true));
        await Wait.UntilAsync(() => site.Bridge.Snapshot().Subscribers == 1, () => "no subscriber");
        Assert.InRange(site.Bridge.InterestChanges, 0, 1);
    }

    private static int BridgeThreads() => Directory.GetDirectories("/proc/self/task").Count(IsBridgeThread);

    private static bool IsBridgeThread(string task)
    {
        try
        {
            return File.ReadAllText(Path.Combine(task, "comm")).StartsWith("bridge loop", StringComparison.Ordinal);
        }
        catch (IOException)
        {
            // It has ended meanwhile.
            return false;
        }
    }
}
