using System.Buffers.Binary;
using System.Net;
using Broker.Bridge.Tests.Pipelines.Support;
using Broker.Bridge.Tests.PubSub.Support;
using Broker.Bridge.Tests.Requests.Support;
using Broker.Client;
using Broker.Testing;
using Broker.Transport;

namespace Broker.Bridge.Tests.Requests;

/// <summary>A server that reads nothing: clients wait, and their waiting uses no processor time.</summary>
public sealed class StalledServerTests
{
    private const int BodySize = 64 * 1024;
    private const int MostPendingBytes = 16 * BodySize;

    [Fact]
    public async Task While_the_server_takes_nothing_clients_are_asked_once()
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign: false, apart: true);
        await using var link = FaultLink.Open(IPEndPoint.Parse(new Uri(pipeline.Url).Authority));
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        await using ZeroMqBridge bridge = await ZeroMqBridge.StartAsync(
            new ZeroMqBridgeOptions
            {
                Client = new ClientOptions
                {
                    Servers = [$"nats://{link.Address}"],
                    Loops = loops,
                    WhileDisconnected = PublishWhileDisconnected.Drop,
                    MaxPendingBytes = MostPendingBytes,
                    WriteDeadline = TimeSpan.FromHours(1),
                },
                Routes = [RequestSite.Asking],
            },
            TestContext.Current.CancellationToken);
        var route = (RequestRoute)bridge.Find("request")!;
        link.Stall(LinkDirection.ToServer);
        using RawPeer first = await ClientAsync();
        using RawPeer second = await ClientAsync();
        using RawPeer third = await ClientAsync();
        await Wait.UntilAsync(() => bridge.Snapshot().Client.PendingBytes > MostPendingBytes - (2 * BodySize), () => $"{bridge.Snapshot().Client}");

        // Waits until the kernel's buffers are full; then nothing changes.
        await Wait.UntilAsync(
            async () =>
            {
                uint before = route.LastGeneration;
                await TurnAsync(loops[0], 100);
                return route.LastGeneration == before;
            },
            () => $"{route.LastGeneration}: {bridge.Snapshot().Routes[0]}");
        Assert.NotNull(bridge.Snapshot().Server);
        link.Resume();
        await bridge.CloseAsync(TimeSpan.Zero);

        async Task<RawPeer> ClientAsync()
        {
            RawPeer client = await RawPeer.ConnectAsync(bridge.Snapshot()["request"]!.Endpoints[0], "DEALER");
            byte[] message = new byte[9 + BodySize];
            message[0] = 2;
            BinaryPrimitives.WriteInt64BigEndian(message.AsSpan(1), BodySize);
            _ = FloodAsync(client.AnswerHeartbeats(), message);
            return client;
        }
    }

    private static async Task FloodAsync(RawPeer client, byte[] message)
    {
        try
        {
            while (true)
            {
                await client.SendAsync(message);
            }
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException or InvalidOperationException or OperationCanceledException)
        {
            // The test has ended.
        }
    }

    private static Task TurnAsync(EventLoop loop, int times)
    {
        TaskCompletionSource<bool> done = Wait.Source<bool>();
        loop.Post(Turn);
        return done.Task;

        void Turn()
        {
            if (--times == 0)
            {
                done.SetResult(true);
            }
            else
            {
                loop.Post(Turn);
            }
        }
    }
}
