using Broker.Client.Tests.Support;
using Broker.Transport;

namespace Broker.Client.Tests.Barriers;

public sealed class BarrierTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task After_a_barrier_every_message_of_other_clients_reaches_the_new_subscription(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection publisher = await Patient.ConnectAsync(server.Options, Token);
        await using BrokerConnection connection = await Patient.ConnectAsync(server.Options, Token);
        for (int round = 0; round < 300; round++)
        {
            var counter = new Counter(10);
            TaskCompletionSource<bool> reached = Wait.Source<bool>();
            if (round % 2 == 0)
            {
                SubscribeThenAsk();
            }
            else
            {
                connection.Loop.Post(SubscribeThenAsk);
            }

            Assert.True(await Wait.For(reached));
            for (int i = 0; i < 10; i++)
            {
                publisher.Publish("b", default);
            }

            await counter.Complete;

            void SubscribeThenAsk()
            {
                // The loop writes this in the current iteration. It must not affect the barrier.
                connection.PublishWithStatus("unrelated"u8, default);
                connection.Subscribe("b", counter.Take);
                connection.Barrier(static (state, ok) => ((TaskCompletionSource<bool>)state!).SetResult(ok), reached);
            }
        }
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Barriers_of_many_threads_and_loops_come_after_what_their_callers_published(ServerKind kind, bool portable)
    {
        const int Rounds = 200;
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 2, ForcePortable = portable });
        await using BrokerConnection connection = await Patient.ConnectAsync(server.Options with { Loops = group }, Token);
        long[] got = new long[4];
        int early = 0;
        Subscription[] subscriptions = [.. Enumerable.Range(0, 4).Select(i => connection.Subscribe($"t.{i}", (in MessageView _) => got[i]++))];
        var answered = new CountdownEvent(4 * Rounds);
        void Round(int who, int round)
        {
            connection.PublishWithStatus("t.x"u8[..2].ToArray().Append((byte)('0' + who)).ToArray(), default);
            connection.Barrier((_, reached) =>
            {
                // Both run on the loop, so the message has been delivered before.
                if (!reached || got[who] < round + 1)
                {
                    early++;
                }

                answered.Signal();
            });
        }

        Thread[] threads = [.. Enumerable.Range(0, 2).Select(who => new Thread(() =>
        {
            for (int round = 0; round < Rounds; round++)
            {
                Round(who, round);
            }
        }))];
        Array.ForEach(threads, t => t.Start());
        for (int round = 0; round < Rounds; round++)
        {
            int n = round;
            group[0].Post(() => Round(2, n));
            group[1].Post(() => Round(3, n));
        }

        Array.ForEach(threads, t => t.Join());
        Assert.True(answered.Wait(Wait.Limit, Token));
        Assert.Equal(0, early);
        answered.Dispose();
        Assert.All(subscriptions, s => Assert.Equal(Rounds, s.Delivered));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_flush_covers_what_every_loop_has_published(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 2, ForcePortable = portable });
        await using BrokerConnection connection = await Patient.ConnectAsync(server.Options with { Loops = group }, Token);
        Subscription subscription = connection.Subscribe("f", (in MessageView _) => { });
        for (int round = 1; round <= 100; round++)
        {
            group[0].Post(() => connection.PublishWithStatus("f"u8, default));
            group[1].Post(() => connection.PublishWithStatus("f"u8, default));
            connection.PublishWithStatus("f"u8, default);
            await connection.FlushAsync(Token);
            Assert.Equal(round * 3, subscription.Delivered);
        }
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task An_exception_in_a_barriers_callback_is_reported(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        TaskCompletionSource<Exception> fault = Wait.Source<Exception>();
        await using BrokerConnection connection = await Patient.ConnectAsync(
            server.Options with { OnFault = (_, e) => fault.TrySetResult(e) }, Token);
        connection.Barrier((_, _) => throw new InvalidDataException());
        Assert.IsType<InvalidDataException>(await Wait.For(fault));
        await connection.PingAsync(Token);
    }
}
