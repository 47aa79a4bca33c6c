using Broker.Bridge.Tests.Requests.Support;
using Broker.Transport;
using Broker.ZeroMq;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge.Tests.Requests;

/// <summary>Requests cost no memory on their way and back.</summary>
public sealed class AllocationTests
{
    private const int Portion = 200;
    private const int Messages = 40_000;

    // The smallest object for each request would be twice that. What the tests' own waiting takes, a tick of the clock now and then, and a
    // block of a pool that a burst needs are less.
    private const long Allowance = 12 * Messages;

    // Nobody listens to its spans, where it would make them.
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
        long answered = 0;
        long expected = 0;
        using var complete = new AutoResetEvent(false);
        LoopDealer worker = null!;
        await using LoopDealer works = worker = new LoopDealer(loops[0], (ZeroMqPeer _, in ZmtpMessage message) => worker.TrySend(message));
        await using var asks = new LoopDealer(loops[0], (ZeroMqPeer _, in ZmtpMessage _) =>
        {
            if (++answered == Volatile.Read(ref expected))
            {
                complete.Set();
            }

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

        // On threads of this test's own: nothing is awaited while it is counted.
        long Round(int messages)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            for (int sent = 0; sent < messages; sent += Portion)
            {
                Volatile.Write(ref expected, Volatile.Read(ref answered) + Portion);
                loops[0].Post(portion);
                if (!complete.WaitOne(Wait.Limit))
                {
                    Assert.Fail($"{answered} of {expected}; {site.Requests}; {site.Workers}");
                }
            }

            return GC.GetTotalAllocatedBytes(precise: true) - before;
        }

        // Compiles the code and fills the pools.
        Round(Messages);
        Round(Messages);
        // Other threads of the process allocate too: the best of a few rounds is its own.
        long once = Enumerable.Range(0, 3).Min(_ => Round(Messages));
        long twice = Enumerable.Range(0, 3).Min(_ => Round(2 * Messages));
        Assert.InRange(twice - once, -Allowance, Allowance);
        Assert.InRange(once, 0, Allowance);
    }
}
