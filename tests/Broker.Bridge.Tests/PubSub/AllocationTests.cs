using System.Diagnostics;
using Broker.Bridge.Tests.PubSub.Support;
using Broker.Transport;
using Broker.ZeroMq;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge.Tests.PubSub;

/// <summary>Forwarded messages do not allocate.</summary>
public sealed class AllocationTests
{
    private const int Portion = 500;
    private const int Messages = 100_000;

    // The tests' own waits and an occasional timer allocate this much. It is less than a thousandth of what the
    // messages could allocate.
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
        // All messages that tested the connection have arrived if none arrives for a while.
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
