using Broker.Client.Tests.Support;

namespace Broker.Client.Tests.Subscriptions;

public sealed class IdleTimeoutTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_subscription_ends_without_an_error_when_no_message_comes(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        var idle = new QueueOptions { IdleTimeout = TimeSpan.FromMilliseconds(200) };
        await using QueuedSubscription first = client.SubscribeQueued("a", idle with { IdleTimeout = TimeSpan.FromSeconds(2) });
        await using QueuedSubscription lasting = client.SubscribeQueued("a");
        client.Publish("a", "one");
        client.Publish("a", "two");
        var read = new List<string>();
        await foreach (Message message in first.ReadAllAsync(Token))
        {
            read.Add(message.Text);
        }

        Assert.Equal(["one", "two"], read);
        Assert.False(first.Subscription.IsActive);
        Assert.True(lasting.Subscription.IsActive);
        await Wait.For(first.Reader.Completion);
        await using HandlerBinding handler = client.Subscribe("a", static _ => { }, options: idle);
        await Wait.For(handler.Completion);
    }

    [Fact]
    public async Task Each_subscription_has_its_own_time()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        await using QueuedSubscription patient = client.SubscribeQueued("a", new QueueOptions { IdleTimeout = TimeSpan.FromMinutes(10) });
        await using QueuedSubscription hasty = client.SubscribeQueued("b", new QueueOptions { IdleTimeout = TimeSpan.FromMilliseconds(100) });
        await Wait.For(hasty.Reader.Completion);
        client.Publish("a", "x");
        Assert.Equal("x", (await patient.Reader.ReadAsync(Token)).Text);
        Assert.True(patient.Subscription.IsActive);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(20)]
    public async Task A_wrong_time_is_refused(int days)
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        ArgumentOutOfRangeException e = Assert.Throws<ArgumentOutOfRangeException>(
            () => client.SubscribeQueued("a", new QueueOptions { IdleTimeout = TimeSpan.FromDays(days) }));
        Assert.Contains("IdleTimeout must be above 0", e.Message, StringComparison.Ordinal);
    }
}
