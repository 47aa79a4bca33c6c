using System.Net;
using System.Net.Sockets;
using Broker.Bridge.Tests.Pipelines.Support;

namespace Broker.Bridge.Tests.Pipelines;

/// <summary>Peers that disconnect in the middle of a message.</summary>
public sealed class HostilePusherTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Of_a_pusher_killed_after_one_frame_of_three_nothing_is_accepted_and_nothing_is_stuck(bool foreign)
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign);
        ZeroMqBridge bridge = await pipeline.BridgeAsync();
        await using var puller = new PyPuller(bridge.PullerEndpoint());
        await Wait.UntilAsync(() => bridge.Route().Pullers == 1, "the puller");
        using (var socket = new Socket(SocketType.Stream, ProtocolType.Tcp))
        {
            await socket.ConnectAsync(IPEndPoint.Parse(bridge.PusherEndpoint()["tcp://".Length..]), TestContext.Current.CancellationToken);
            byte[] greeting = new byte[64];
            greeting[0] = 0xFF;
            greeting[9] = 0x7F;
            greeting[10] = 3;
            "NULL"u8.CopyTo(greeting.AsSpan(12));
            await socket.SendAsync(greeting, TestContext.Current.CancellationToken);
            await socket.SendAsync(
                (byte[])[4, 26, 5, .. "READY"u8, 11, .. "Socket-Type"u8, 0, 0, 0, 4, .. "PUSH"u8], TestContext.Current.CancellationToken);
            await Wait.UntilAsync(() => bridge.Route().Pushers == 1, "the handshake");
            await socket.SendAsync((byte[])[1, 3, .. "one"u8], TestContext.Current.CancellationToken);
        }

        await Wait.UntilAsync(() => bridge.Route().Pushers == 0, "the end of the pusher");
        await using var pusher = new PyPusher(bridge.PusherEndpoint(), "p");
        await pusher.SendAsync(100);
        await Wait.UntilAsync(async () => await puller.CountAsync() == 100, () => $"{bridge.Route()}");
        Assert.Equal(100, bridge.Route().Accepted);
    }
}
