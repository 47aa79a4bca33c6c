
namespace Broker.ZeroMq.Tests.Sockets;

/// <summary>Measures the memory of the whole process, so no other test may run meanwhile.</summary>
[Collection(Alone.Name)]
public sealed class SubscriptionMemoryTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    [Fact]
    public Task A_peer_with_very_many_subscriptions_uses_the_memory_that_is_counted_and_it_is_freed()
        => MeasureAsync("topic/", 60_000, most: 60_000 * 2L * (250 + 11));

    [Fact]
    public Task The_octets_of_a_prefix_are_in_memory_once()
        => MeasureAsync(new string('x', 4000) + "/", 1000, most: 1000 * (4000 + 2 * 250L));

    // Subscribes to prefixes, and compares the memory that is freed afterwards with a limit.
    private static async Task MeasureAsync(string start, int count, long most)
    {
        await using var rig = new Rig();
        ZeroMqEndpoint endpoint = rig.Publisher().Bind(AnyPort);
        long before = GC.GetTotalMemory(forceFullCollection: true);
        long after = 0;
        long least = long.MaxValue;
        // Memory of earlier tests is freed meanwhile, a part of it every ten seconds, but not in every round.
        for (int i = 0; i < 20 && least > most; i++)
        {
            long during;
            using (RawPeer peer = new RawPeer(endpoint).Handshake("SUB").Send(SubscriptionShareTests.Subscriptions(start, count)))
            {
                await rig.InterestAsync($"+{start}{count - 1}");
                during = GC.GetTotalMemory(forceFullCollection: true);
            }

            await SubscriptionShareTests.LastGoneAsync(rig, "-" + start, count);
            rig.Interest.TakeAll();
            after = GC.GetTotalMemory(forceFullCollection: true);
            least = Math.Min(least, during - after);
        }

        Assert.InRange(least, 1, most);
        Assert.InRange(after - before, long.MinValue, 8 << 20);
    }
}
