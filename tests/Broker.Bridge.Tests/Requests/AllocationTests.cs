using Broker.Bridge.Tests.Requests.Support;
using Broker.Transport;
using Broker.ZeroMq;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge.Tests.Requests;

/// <summary>Requests and replies do not allocate.</summary>
public sealed class AllocationTests
{
    private const int Portion = 200;
    private const int Messages = 40_000;

    // The smallest object for each request would be twice this limit. The tests' own waits, an occasional timer tick
    // and a block of a pool for a burst allocate less.
    private const long Allowance = 12 * Messages;

    // The route has tracing enabled, but no listener collects spans.
    [Theory]
    [InlineData(0, NoResponders.Drop, false)]
    [InlineData(0, NoResponders.Hold, false)]
    [InlineData(0, NoResponders.Hold, true)]
    [InlineData(1, NoResponders.Hold, false)]
    public async Task From_a_ZeroMQ_client_through_a_server_to_a_ZeroMQ_worker_and_back_nothing_is_allocated_for_a_request(
        int serverLoops, NoResponders otherwise, bool tracing)
    {
        await using RequestSite site = await RequestSite.StartAsync(
            serverLoops, tracing, RequestSite.Asking with { NoResponders = otherwise, MaxPendingPerClient = 10_000 }, RequestSite.Answering);
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        using var load = new PortionedLoad(Portion);
        LoopDealer worker = null!;
        await using LoopDealer works = worker = new LoopDealer(loops[0], (ZeroMqPeer _, in ZmtpMessage message) => worker.TrySend(message));
        await using var asks = new LoopDealer(loops[0], (ZeroMqPeer _, in ZmtpMessage _) =>
        {
            load.Count();
            return true;
        });
        worker.Connect(site.Endpoint("worker"));
        asks.Connect(site.Endpoint("request"));
        await Wait.UntilAsync(() => site.Workers.IsSubscribed && site.Requests.Peers == 1, "the worker and the client");
        byte[] body = new byte[64];
        Action portion = () =>
        {
            for (int i = 0; i < Portion; i++)
            {
                Assert.True(asks.TrySend(default, body));
            }
        };

        (long once, long twice) = load.Measure(Messages, rounds: 3, () => loops[0].Post(portion), () => $"{site.Requests}; {site.Workers}");
        Assert.InRange(twice - once, -Allowance, Allowance);
        Assert.InRange(once, 0, Allowance);
    }
}
