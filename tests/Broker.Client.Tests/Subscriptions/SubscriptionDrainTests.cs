using Broker.Client.Tests.Support;

namespace Broker.Client.Tests.Subscriptions;

/// <summary>A drain of all subscriptions of a connection that stays open.</summary>
public sealed class SubscriptionDrainTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_drain_of_the_subscriptions_delivers_what_is_on_its_way_and_leaves_the_connection_open(ServerKind kind, bool portable)
    {
        const int Messages = 10_000;
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection other = await Patient.ConnectAsync(server.Options, Token);
        await using BrokerConnection connection = await Patient.ConnectAsync(server.Options, Token);
        Subscription handled = connection.Subscribe("a", static (in MessageView _) => { });
        await using QueuedSubscription queued = connection.SubscribeQueued("a");
        other.Subscribe("echo", static (in MessageView m) => m.Respond(m.Body));
        await other.PingAsync(Token);
        await connection.RequestAsync("echo", default, Wait.Limit, cancellationToken: Token);
        Task<int> reads = CountAsync(queued);
        for (int i = 0; i < Messages; i++)
        {
            other.Publish("a", "0123456789"u8);
        }

        await other.FlushAsync(Token);
        await Wait.For(connection.DrainSubscriptionsAsync(Token));
        Assert.Equal(Messages, handled.Delivered);
        Assert.Equal(Messages, await Wait.For(reads));
        Assert.False(handled.IsActive);
        // Requests, publishes and new subscriptions work as before.
        await connection.RequestAsync("echo", default, Wait.Limit, cancellationToken: Token);
        var counter = new Counter(1);
        connection.Subscribe("b", counter.Take);
        connection.Publish("b", default);
        await counter.Complete;
    }

    [Fact]
    public async Task A_drain_of_the_subscriptions_does_not_wait_for_a_queue_that_nobody_reads()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection connection = await Patient.ConnectAsync(server.Options, Token);
        await using QueuedSubscription queued = connection.SubscribeQueued("a");
        connection.Publish("a", default);
        await Wait.For(connection.DrainSubscriptionsAsync(Token));
        Assert.Equal(1, await CountAsync(queued));
    }

    private static async Task<int> CountAsync(QueuedSubscription queued)
    {
        int count = 0;
        await foreach (Message _ in queued.ReadAllAsync(Token))
        {
            count++;
        }

        return count;
    }
}
