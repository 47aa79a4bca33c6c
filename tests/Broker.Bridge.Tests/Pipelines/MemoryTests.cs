using Broker.Bridge.Tests.Pipelines.Support;
using Broker.Transport;
using Broker.ZeroMq;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge.Tests.Pipelines;

/// <summary>
/// The memory that messages use: no allocation while they are forwarded, and one window while they are queued.
/// </summary>
public sealed class MemoryTests
{
    private const int Portion = 500;
    private const int Messages = 100_000;

    // The tests' own waits and timers allocate this much. It is less than a thousandth of what the messages could
    // allocate.
    private const long Allowance = 96 * 1024;

    [Fact]
    public async Task From_PUSH_through_the_server_to_PULL_nothing_is_allocated_for_a_message()
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign: false);
        ZeroMqBridge bridge = await pipeline.BridgeAsync(options => options with { Window = 4096, HighWaterMark = 1000 });
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        using var load = new PortionedLoad(Portion);
        await using var pull = new LoopPull(loops[0], (ZeroMqPeer _, in ZmtpMessage _) =>
        {
            load.Count();
            return true;
        });
        await using var push = new LoopPush(loops[0]);
        pull.Connect(bridge.PullerEndpoint());
        push.Connect(bridge.PusherEndpoint());
        byte[] body = new byte[64];
        int left = 0;
        Action send = () =>
        {
            while (left > 0 && push.TrySend(body))
            {
                left--;
            }
        };
        push.OnWritable = send;
        Action portion = () =>
        {
            left += Portion;
            send();
        };

        (long once, long twice) = load.Measure(Messages, rounds: 5, () => loops[0].Post(portion), () => $"{bridge.Route()}");
        Assert.InRange(twice - once, -Allowance, Allowance);
    }

    [Fact]
    public async Task While_PULLs_take_nothing_the_bridge_buffers_at_most_a_window()
    {
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign: false);
        ZeroMqBridge bridge = await pipeline.BridgeAsync(options => options with
        {
            Pushers = [new BridgeEndpoint(Bind: true, "tcp://127.0.0.1:0")],
            Window = 100_000,
            WindowBytes = 4 << 20,
            HighWaterBytes = 1 << 20,
        });

        // The test pushes 400 MB; the windows are 8 MB of it.
        await using var pusher = new PyPusher(bridge.PusherEndpoint(), "p", mark: 10, size: 100_000);
        await using var puller = new PyPuller(bridge.PullerEndpoint(), mark: 1, takes: false);
        await pusher.SendAsync(4000);
        await Wait.UntilAsync(() => bridge.Route() is { InFlight: > 0 } route && route.InFlight == route.Waiting, () => $"{bridge.Route()}");
        long last = -1;
        int same = 0;
        await Wait.UntilAsync(
            async () =>
            {
                long now = await pusher.SentAsync();
                same = now == last ? same + 1 : 0;
                last = now;
                return same == 50;
            },
            () => $"{bridge.Route()}");
        Assert.InRange(last, 1, 3999);
        Assert.InRange(bridge.Route().InFlight * 100_000, 1, (4 << 20) + 100_000);
        Assert.InRange(bridge.Loops.BufferedBytes, 0, 64L << 20);
    }
}
