using Broker.Client.Tests.Support;

namespace Broker.Client.Tests.Subscriptions;

/// <summary>The memory of many subscriptions that receive nothing.</summary>
public sealed class MemoryTests
{
    private const int Subscriptions = 100_000;
    private const int First = 1000;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    /// <summary>Counts the filter, the queue and the entry in the table, but not the memory of the server.</summary>
    [Theory]
    [InlineData(true, 400)]
    [InlineData(false, 250)]
    public async Task An_idle_subscription_uses_at_most_this_many_bytes(bool queued, int bytes)
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

        // The first subscriptions compile the code and fill the pools of the loop with buffers.
        for (int i = 0; i < First; i++)
        {
            all[i] = Subscribe(i);
        }

        await SentAsync();
        long before = MeasureLive();
        for (int i = First; i < all.Length; i++)
        {
            all[i] = Subscribe(i);
            if (i % 1000 == 0)
            {
                // Buffers of SUB commands that wait for a busy server would count as memory of the subscriptions.
                await SentAsync();
            }
        }

        await SentAsync();
        long taken = MeasureLive() - before;
        TestContext.Current.TestOutputHelper?.WriteLine($"{taken / (Subscriptions - First)} bytes");
        Assert.InRange(taken / (Subscriptions - First), 0, bytes);
        GC.KeepAlive(all);
        Assert.Equal(Subscriptions, client.Core.Subscriber.Table.Count);

        Task SentAsync() => Wait.UntilAsync(() => client.GetStatistics().PendingBytes == 0, "the SUB commands to have been sent");
    }

    [Fact]
    public async Task An_idle_connection_releases_the_memory_of_a_burst()
    {
        const int Burst = 60_000;
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        await using QueuedSubscription own = client.SubscribeQueued("a");
        for (int i = 0; i < Burst; i++)
        {
            await client.PublishAsync("a", "x", cancellationToken: Token);
        }

        await client.PingAsync(Token);
        Assert.InRange(own.Capacity, Burst, 4 * Burst);
        for (int i = 0; i < Burst; i++)
        {
            Assert.True(own.Reader.TryRead(out _));
        }

        await Wait.UntilAsync(() => own.Capacity == 0, "the queue to release its memory");
        client.Publish("a", "y");
        Assert.Equal("y", (await own.Reader.ReadAsync(Token)).Text);
    }

    // GetTotalMemory collects too, but it may stop when two results differ by less than a twentieth.
    private static long MeasureLive()
    {
        for (int i = 0; i < 4; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        return GC.GetTotalMemory(forceFullCollection: false);
    }
}
