using Broker.Bridge.Tests.PubSub.Support;
using Broker.Client;
using Broker.ZeroMq;

namespace Broker.Bridge.Tests.PubSub;

/// <summary>A failed start reports the reason and leaves nothing running.</summary>
public sealed class StartTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public static TheoryData<string> Faults => ["mapping", "socket", "client", "server", "taken", "endpoint"];

    [Theory]
    [MemberData(nameof(Faults))]
    public async Task A_start_that_fails_leaves_no_thread_and_no_listener(string fault)
    {
        await using Site site = await Site.StartAsync(1);
        string taken = site.Route.PublisherEndpoints[0];
        BridgeEndpoint any = new(true, "tcp://127.0.0.1:0");
        var route = new PubSubRouteOptions { Publishers = [any], Subscribers = [any] };
        var client = new ClientOptions { Servers = [site.Url] };
        route = fault switch
        {
            "mapping" => route with { Mapping = route.Mapping with { Prefix = "a..b" } },
            "socket" => route with { MaxPeers = 0 },
            "taken" => route with { Publishers = [new(true, taken)] },
            "endpoint" => route with { Subscribers = [any, new(true, "tcp://nonsense")] },
            _ => route,
        };
        client = fault switch
        {
            "client" => client with { MaxPingsOut = 0 },
            "server" => client with { Servers = ["nats://127.0.0.1:1"] },
            _ => client,
        };
        var options = new ZeroMqBridgeOptions { Client = client, RequireServer = true, Routes = [route] };
        Exception error = await Assert.ThrowsAnyAsync<Exception>(() => ZeroMqBridge.StartAsync(options, Token));
        Assert.True(error is ArgumentException or ClientException or ZeroMqBindException or FormatException, error.ToString());
        await Wait.UntilAsync(() => BridgeThreads() == 0, () => $"{BridgeThreads()} threads are left");
        await Wait.UntilAsync(() => site.Server!.Snapshot().Connections == 1, () => "a connection is left");
    }

    [Fact]
    public async Task Callbacks_of_the_caller_are_called_too()
    {
        using var server = NatsServer.StartAt(FreePort.Next());
        var told = new System.Collections.Concurrent.ConcurrentQueue<string>();
        await using ZeroMqBridge bridge = await ZeroMqBridge.StartAsync(
            new ZeroMqBridgeOptions
            {
                Client = new ClientOptions
                {
                    Servers = [server.Url],
                    ReconnectWait = TimeSpan.FromMilliseconds(20),
                    OnDisconnected = (_, _) => told.Enqueue("lost"),
                    OnReconnected = _ => told.Enqueue("back"),
                },
                Routes = [new PubSubRouteOptions { Publishers = [], Subscribers = [] }],
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
        await using Site site = await Site.StartAsync(0, client: o => o with { MaxReconnectAttempts = 0 }, remote: server);
        server.Kill();
        await Wait.UntilAsync(() => site.Log.Errors.Any(), () => "nothing is logged");
        Assert.Contains("does not connect again", Assert.Single(site.Log.Errors), StringComparison.Ordinal);

        // Nobody applies these changes any more, and they are not kept.
        using RawPeer raw = await RawPeer.ConnectAsync(site.Route.SubscriberEndpoints[0], "SUB");
        byte[] toggles = [.. Enumerable.Range(0, 1000).SelectMany(_ => (byte[])[.. RawPeer.Subscription("x", true), .. RawPeer.Subscription("x", false)])];
        for (int i = 0; i < 20; i++)
        {
            await raw.SendAsync(toggles);
        }

        await raw.SendAsync(RawPeer.Subscription("x", true));
        await Wait.UntilAsync(() => site.Route.Snapshot().Subscribers == 1, () => "no subscriber");
        Assert.InRange(site.Route.PendingInterestChanges, 0, 1);
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
            // The thread has ended meanwhile.
            return false;
        }
    }
}
