using System.Text;
using Broker.Client.Tests.Support;
using Broker.Server;
using Broker.Transport;

namespace Broker.Client.Tests.Subscriptions;

public sealed class SubscribeTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private static Task<BrokerConnection> Connect(AnyServer server, Action<Subscription?, Exception>? onFault = null)
        => Patient.ConnectAsync(server.Options with { OnFault = onFault }, Token);

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Wildcards_match_the_subjects_that_they_should(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection connection = await Connect(server);
        var log = new List<string>();
        void Log(in MessageView m) => log.Add($"{m.Subscription.Filter}:{Encoding.UTF8.GetString(m.Subject)}");
        connection.Subscribe("a.*", Log);
        connection.Subscribe("a.>", Log);
        connection.Subscribe("*.b", Log);
        connection.Publish("a.b", default);
        connection.Publish("a.b.c", default);
        connection.Publish("x.b", default);
        await connection.PingAsync(Token);
        log.Sort(StringComparer.Ordinal);
        Assert.Equal(["*.b:a.b", "*.b:x.b", "a.*:a.b", "a.>:a.b", "a.>:a.b.c"], log);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_queue_group_shares_the_messages(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection connection = await Connect(server);
        Subscription[] members = [.. Enumerable.Range(0, 3).Select(_ => connection.Subscribe("work", (in MessageView _) => { }, "workers"))];
        Subscription alone = connection.Subscribe("work", (in MessageView _) => { });
        for (int i = 0; i < 3000; i++)
        {
            connection.Publish("work", default);
        }

        await connection.PingAsync(Token);
        Assert.Equal(3000, members.Sum(m => m.Delivered));
        Assert.All(members, m => Assert.NotEqual(0, m.Delivered));
        Assert.Equal(3000, alone.Delivered);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task The_state_reaches_a_static_handler(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection connection = await Connect(server);
        TaskCompletionSource<string> got = Wait.Source<string>();
        connection.Subscribe(
            "s", static (in MessageView m) => ((TaskCompletionSource<string>)m.Subscription.State!).TrySetResult("got"), state: got);
        connection.Publish("s", default);
        Assert.Equal("got", await Wait.For(got));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task After_unsubscribing_on_the_loop_no_message_comes(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection connection = await Connect(server);
        Subscription subscription = connection.Subscribe("a", (in MessageView m) =>
        {
            if (m.Subscription.Delivered == 10)
            {
                m.Subscription.Dispose();
            }
        });
        for (int i = 0; i < 1000; i++)
        {
            connection.Publish("a", default);
        }

        await connection.PingAsync(Token);
        Assert.Equal(10, subscription.Delivered);
        Assert.False(subscription.IsActive);
        subscription.Unsubscribe();
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_late_message_for_an_ended_subscription_does_not_reach_its_successor(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection connection = await Connect(server);
        int wrong = 0;
        for (int round = 0; round < 200; round++)
        {
            Subscription old = connection.Subscribe("old", (in MessageView _) => { });
            for (int i = 0; i < 50; i++)
            {
                connection.Publish("old", default);
            }

            old.Unsubscribe();
            using Subscription next = connection.Subscribe("new", (in MessageView _) => Interlocked.Increment(ref wrong));
        }

        await connection.PingAsync(Token);
        Assert.Equal(0, wrong);
    }

    [Theory]
    [InlineData(ServerKind.Broker, true)]
    [InlineData(ServerKind.Broker, false)]
    [InlineData(ServerKind.Nats, true)]
    [InlineData(ServerKind.Nats, false)]
    public async Task A_maximum_ends_a_subscription_exactly(ServerKind kind, bool early)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await using BrokerConnection connection = await Connect(server);
        Subscription subscription = connection.Subscribe("a", (in MessageView _) => { });
        if (early)
        {
            subscription.AutoUnsubscribe(7);
        }

        for (int i = 0; i < 20; i++)
        {
            connection.Publish("a", default);
        }

        await connection.PingAsync(Token);
        if (!early)
        {
            Assert.Equal(20, subscription.Delivered);
            // Fewer than have arrived, so the subscription ends at once.
            subscription.AutoUnsubscribe(7);
            await connection.PingAsync(Token);
        }

        Assert.Equal(early ? 7 : 20, subscription.Delivered);
        Assert.False(subscription.IsActive);
    }

    [Fact]
    public async Task A_maximum_that_has_been_reached_ends_a_subscription_before_the_call_returns()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection connection = await Connect(server);
        Subscription subscription = connection.Subscribe("a", (in MessageView _) => { });
        QueuedSubscription queued = connection.SubscribeQueued("a");
        TaskCompletionSource<bool> held = Wait.Source<bool>();
        using var release = new ManualResetEventSlim();
        using Subscription holds = connection.Subscribe("hold", (in MessageView _) =>
        {
            held.SetResult(true);
            release.Wait(Wait.Limit);
        });
        for (int i = 0; i < 20; i++)
        {
            connection.Publish("a", default);
        }

        connection.Publish("hold", default);
        await Wait.For(held.Task);
        subscription.AutoUnsubscribe(20);
        queued.AutoUnsubscribe(20);
        (bool, bool) active = (subscription.IsActive, queued.Subscription.IsActive);
        release.Set();
        Assert.Equal((false, false), active);
        await connection.PingAsync(Token);
        Assert.Equal(20, subscription.Delivered);

        // The messages that had arrived can still be read.
        int read = 0;
        await foreach (Message message in queued.ReadAllAsync(Token))
        {
            read++;
        }

        Assert.Equal(20, read);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task An_exception_in_a_handler_is_reported_and_has_no_other_effect(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        var faults = new List<(Subscription?, string)>();
        await using BrokerConnection connection = await Connect(server, (s, e) => faults.Add((s, e.Message)));
        var counter = new Counter(100);
        Subscription faulty = connection.Subscribe("a", (in MessageView m) => throw new InvalidDataException("bad"));
        connection.Subscribe("a", counter.Take);
        for (int i = 0; i < 100; i++)
        {
            connection.Publish("a", default);
        }

        await counter.Complete;
        await connection.PingAsync(Token);
        Assert.Equal(Enumerable.Repeat(((Subscription?)faulty, "bad"), 100), faults);
        Assert.Equal(100, connection.GetStatistics().Faults);
        Assert.Equal(ConnectionState.Connected, connection.State);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_slow_handler_delays_messages_and_loses_none(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        // A handler that blocks also blocks its event loop, so it gets a loop of its own.
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1, ForcePortable = portable });
        await using BrokerConnection connection = await Patient.ConnectAsync(server.Options with { Loops = loops }, Token);
        await using BrokerConnection publisher = await Connect(server);
        var counter = new Counter(20_000);
        using var go = new ManualResetEventSlim();
        connection.Subscribe("a", (in MessageView m) =>
        {
            go.Wait(Wait.Limit);
            counter.Take(m);
        });
        await connection.PingAsync(Token);
        for (int i = 0; i < 20_000; i++)
        {
            publisher.Publish("a", new byte[100]);
        }

        await publisher.FlushAsync(Token);
        Assert.Equal(0, counter.Count);
        go.Set();
        await counter.Complete;
    }

    [Theory]
    [InlineData(ServerKind.Broker, "")]
    [InlineData(ServerKind.Broker, "a b")]
    [InlineData(ServerKind.Broker, "a..b")]
    [InlineData(ServerKind.Broker, ">.a")]
    [InlineData(ServerKind.Nats, "")]
    [InlineData(ServerKind.Nats, "a b")]
    [InlineData(ServerKind.Nats, "a..b")]
    [InlineData(ServerKind.Nats, ">.a")]
    public async Task An_invalid_filter_is_refused(ServerKind kind, string filter)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await using BrokerConnection connection = await Connect(server);
        Assert.Throws<ArgumentException>(() => connection.Subscribe(filter, (in MessageView _) => { }));
        Assert.Throws<ArgumentException>(() => connection.Subscribe("a", (in MessageView _) => { }, "q q"));
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_denied_subscription_is_reported_with_the_servers_text(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(
            kind,
            o => o.Users = [new User("a", "b", new Permissions { Subscribe = new SubjectPermissions { Deny = ["secret"] } })],
            "authorization { users = [ { user: a, password: b, permissions: { subscribe: { deny: [\"secret\"] } } } ] }");
        TaskCompletionSource<string> said = Wait.Source<string>();
        await using BrokerConnection connection = await Patient.ConnectAsync(
            server.Options with { User = "a", Password = "b", OnServerError = (_, text) => said.TrySetResult(text) }, Token);
        connection.Subscribe("secret", (in MessageView _) => { });
        Assert.StartsWith("Permissions Violation for Subscription", await Wait.For(said), StringComparison.Ordinal);
        await connection.PingAsync(Token);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Subscribing_after_the_close_is_refused(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        BrokerConnection connection = await Connect(server);
        Subscription before = connection.Subscribe("a", (in MessageView _) => { });
        await connection.CloseAsync();
        Assert.False(before.IsActive);
        before.Unsubscribe();
        before.AutoUnsubscribe(1);
        Assert.Throws<ConnectionLostException>(() => connection.Subscribe("a", (in MessageView _) => { }));
    }
}
