using System.Diagnostics;
using Broker.Bridge.Tests.PubSub.Support;
using Broker.Transport;
using Broker.ZeroMq;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge.Tests.PubSub;

/// <summary>Messages cost no memory on their way.</summary>
public sealed class AllocationTests
{
    private const int Portion = 500;
    private const int Messages = 100_000;

    // What the tests' own waiting takes, and the odd timer; less than a thousandth of the messages could use.
    private const long Allowance = 64 * 1024;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task From_ZeroMQ_through_the_server_to_ZeroMQ_nothing_is_allocated_for_a_message(bool keepsLast)
    {
        await using Site site = await Site.StartAsync(1, o => o with { LastValues = keepsLast ? new LastValueOptions() : null });
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        await using var publisher = new LoopPublisher(loops);
        long received = 0;
        long expected = 0;
        using var complete = new AutoResetEvent(false);
        await using var subscriber = new LoopSubscriber(loops, (ZeroMqPeer _, in ZmtpMessage _) =>
        {
            if (++received == Volatile.Read(ref expected))
            {
                complete.Set();
            }

            return true;
        });
        subscriber.Subscribe("alloc."u8);
        subscriber.Connect(site.Route.SubscriberEndpoints[0]);
        publisher.Connect(site.Route.PublisherEndpoints[0]);
        byte[] body = new byte[64];
        Action portion = () =>
        {
            for (int i = 0; i < Portion; i++)
            {
                publisher.Publish(loops[0], "alloc.t"u8, body);
            }
        };
        await Wait.UntilAsync(
            () => Volatile.Read(ref received) > 0, () => "nothing comes", () => loops[0].Post(() => publisher.Publish(loops[0], "alloc.t"u8, body)));
        await QuietAsync(() => Volatile.Read(ref received));

        // On threads of this test's own: nothing is awaited while it is counted.
        long Round(int messages)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            for (int sent = 0; sent < messages; sent += Portion)
            {
                Volatile.Write(ref expected, Volatile.Read(ref received) + Portion);
                loops[0].Post(portion);
                if (!complete.WaitOne(Wait.Limit))
                {
                    Assert.Fail($"{received} of {expected}; {site.Route.Snapshot()}");
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

    private static async Task QuietAsync(Func<long> count)
    {
        // Those that were sent to find out whether it works have all come when none does for a while.
        long last = -1;
        var since = Stopwatch.StartNew();
        await Wait.UntilAsync(
            () =>
            {
                if (count() != last)
                {
                    last = count();
                    since.Restart();
                }

                return since.ElapsedMilliseconds > 200;
            },
            () => "messages keep coming");
    }
}
