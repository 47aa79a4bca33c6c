using Broker.Client.Subscriptions;
using Broker.Client.Tests.Support;

namespace Broker.Client.Tests;

/// <summary>What many subscriptions take while nothing comes for them.</summary>
public sealed class MemoryTests
{
    private const int Subscriptions = 100_000;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    /// <summary>With its filter, its queue and its place in the table; what the server keeps is none of this.</summary>
    [Theory]
    [InlineData(true, 400)]
    [InlineData(false, 250)]
    public async Task An_idle_subscription_takes_no_more_than(bool queued, int bytes)
    {
        using var server = new FakeServer(peer =>
        {
            peer.ShakeHands();
            peer.Discard();
        });
        await using BrokerConnection client = await Patient.ConnectAsync(
            new() { Servers = [server.Url], DrainTimeout = TimeSpan.FromMilliseconds(50) }, Token);
        object[] all = new object[Subscriptions];
        MessageHandler handler = static (in _) => { };
        object Subscribe(int i) => queued ? client.SubscribeQueued($"idle.{i:d6}") : client.Subscribe($"idle.{i:d6}", handler);

        // The first compiles the code.
        all[0] = Subscribe(0);
        long before = GC.GetTotalMemory(forceFullCollection: true);
        for (int i = 1; i < all.Length; i++)
        {
            all[i] = Subscribe(i);
        }

        // What says it to the server is on its way no more.
        await Wait.UntilAsync(() => client.GetStatistics().PendingBytes == 0, "the server to have heard of all");
        long taken = GC.GetTotalMemory(forceFullCollection: true) - before;
        TestContext.Current.TestOutputHelper?.WriteLine($"{taken / (Subscriptions - 1)} bytes");
        Assert.InRange(taken / (Subscriptions - 1), 0, bytes);
        GC.KeepAlive(all);
        Assert.Equal(Subscriptions, client.Core.Subscriber.Table.Count);
    }
}
