
namespace Broker.ZeroMq.Tests.Sockets;

/// <summary>Measures the memory of the whole process, so no other test may run meanwhile.</summary>
[Collection(Alone.Name)]
public sealed class SubscriptionMemoryTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    [Fact]
    public async Task A_peer_with_very_many_subscriptions_uses_the_memory_that_is_counted_and_it_is_freed()
    {
        const int Many = 60_000;
        const long Most = Many * 2L * (250 + 11);
        await using var rig = new Rig();
        ZeroMqEndpoint endpoint = rig.Publisher().Bind(AnyPort);
        long before = GC.GetTotalMemory(forceFullCollection: true);
        long after = 0;
        long least = long.MaxValue;
        // Memory of earlier tests is freed meanwhile, a part of it every ten seconds, but not in every round.
        for (int i = 0; i < 20 && least > Most; i++)
        {
            long during;
            using (RawPeer peer = new RawPeer(endpoint).Handshake("SUB").Send(SubscriptionShareTests.Subscriptions("topic/", Many)))
            {
                await rig.InterestAsync($"+topic/{Many - 1}");
                during = GC.GetTotalMemory(forceFullCollection: true);
            }

            await SubscriptionShareTests.LastGoneAsync(rig, "-topic/", Many);
            rig.Interest.TakeAll();
            after = GC.GetTotalMemory(forceFullCollection: true);
            least = Math.Min(least, during - after);
        }

        Assert.InRange(least, 1, Most);
        Assert.InRange(after - before, long.MinValue, 8 << 20);
    }
}
