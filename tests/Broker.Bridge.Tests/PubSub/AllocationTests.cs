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
        using var load = new PortionedLoad(Portion);
        await using var subscriber = new LoopSubscriber(loops, (ZeroMqPeer _, in ZmtpMessage _) =>
        {
            load.Count();
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
            () => load.Received > 0, () => "nothing comes", () => loops[0].Post(() => publisher.Publish(loops[0], "alloc.t"u8, body)));
        await QuietAsync(() => load.Received);

        (long once, long twice) = load.Measure(Messages, rounds: 3, () => loops[0].Post(portion), () => $"{site.Route.Snapshot()}");
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
