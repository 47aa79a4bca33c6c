using Broker.Client.Errors;
using Broker.Client.Publishing;
using Broker.Client.Subscriptions;
using Broker.Client.Tests.Support;
using Broker.Testing.Links;
using Broker.Transport;

namespace Broker.Client.Tests;

/// <summary>What networks do: cut, stall, half-close; and what is left behind by whoever stops waiting.</summary>
public sealed class FaultTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private static ClientOptions Options(FaultLink link) => new()
    {
        Servers = [$"nats://{link.Address}"],
        ConnectTimeout = Wait.Limit,
        ReconnectDelay = _ => TimeSpan.FromMilliseconds(1),
        DrainTimeout = TimeSpan.FromSeconds(5),
    };

    private static EventLoopGroup Loops(bool portable) => new(new EventLoopOptions { Loops = 1, ForcePortable = portable });

    // CONNECT, a SUB, messages and PINGs of the client; INFO, PONGs and messages of the server: a dialogue of some hundred bytes.
    // On the portable poller at some of them: every byte is another step there only for the parser, which is the same.
    [Theory]
    [InlineData(ServerKind.Broker, true, 420, false, 1)]
    [InlineData(ServerKind.Broker, false, 700, false, 1)]
    [InlineData(ServerKind.Nats, true, 420, false, 1)]
    [InlineData(ServerKind.Nats, false, 700, false, 1)]
    [InlineData(ServerKind.Broker, true, 420, true, 7)]
    [InlineData(ServerKind.Broker, false, 700, true, 11)]
    [InlineData(ServerKind.Nats, true, 420, true, 7)]
    [InlineData(ServerKind.Nats, false, 700, true, 11)]
    public async Task A_dialogue_that_is_cut_at_any_byte_goes_on_with_the_next_connect_and_accounts_for_every_message(
        ServerKind kind, bool ofClient, int bytes, bool portable, int step)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        using EventLoopGroup group = Loops(portable);
        for (int at = 0; at < bytes; at += step)
        {
            await using FaultLink link = server.OpenLink();
            // Not waited for: behind the end of the dialogue it does not come.
            _ = link.CutAfterAsync(at, ofClient ? LinkDirection.ToServer : LinkDirection.ToClient);
            await using BrokerConnection client = await Patient.ConnectAsync(
                Options(link) with { FirstConnect = FirstConnect.Retry, Loops = group }, Token);
            int seen = 0;
            int disorder = 0;
            client.Subscribe("a", (in MessageView m) =>
            {
                int number = BitConverter.ToInt32(m.Body);
                disorder += number > seen ? 0 : 1;
                seen = number;
            });
            for (int i = 1; i <= 5; i++)
            {
                client.Publish("a", BitConverter.GetBytes(i));
            }

            // The cut may come at any step; after it the next server answers.
            await Wait.UntilAsync(
                async () =>
                {
                    try
                    {
                        await Wait.For(client.FlushAsync(Token));
                        return true;
                    }
                    catch (ConnectionLostException)
                    {
                        return false;
                    }
                },
                $"an answer after the cut at {at}");

            ClientStatistics end = client.GetStatistics();
            Assert.Equal(5, end.MessagesOut);
            Assert.Equal(0, disorder);
            Assert.InRange(end.MessagesIn, 5 - end.Lost - end.Unconfirmed, 5 - end.Lost);
        }
    }

    [Theory]
    [InlineData(ServerKind.Broker, false, null)]
    [InlineData(ServerKind.Broker, false, LinkDirection.ToServer)]
    [InlineData(ServerKind.Broker, false, LinkDirection.ToClient)]
    [InlineData(ServerKind.Broker, true, null)]
    [InlineData(ServerKind.Broker, true, LinkDirection.ToServer)]
    [InlineData(ServerKind.Broker, true, LinkDirection.ToClient)]
    [InlineData(ServerKind.Nats, false, null)]
    [InlineData(ServerKind.Nats, false, LinkDirection.ToServer)]
    [InlineData(ServerKind.Nats, false, LinkDirection.ToClient)]
    [InlineData(ServerKind.Nats, true, null)]
    [InlineData(ServerKind.Nats, true, LinkDirection.ToServer)]
    [InlineData(ServerKind.Nats, true, LinkDirection.ToClient)]
    public async Task A_network_that_stalls_in_one_direction_or_both_is_found_out_by_the_questions_and_left(
        ServerKind kind, bool portable, LinkDirection? direction)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        using EventLoopGroup group = Loops(portable);
        await using FaultLink link = server.OpenLink();
        var lost = Wait.Source<Exception>();
        TaskCompletionSource found = Wait.Source();
        await using BrokerConnection client = await Patient.ConnectAsync(
            Options(link) with
            {
                Loops = group,
                PingInterval = TimeSpan.FromMilliseconds(50),
                MaxPingsOut = 2,
                OnDisconnected = (_, e) => lost.TrySetResult(e),
                OnReconnected = _ => found.TrySetResult(),
            },
            Token);
        link.Stall(direction);
        await Wait.For(lost);
        link.Resume(direction);
        await Wait.For(found);
        await Wait.UntilAsync(() => client.State == ConnectionState.Connected);
    }

    [Theory]
    [InlineData(ServerKind.Broker, false, LinkDirection.ToClient)]
    [InlineData(ServerKind.Broker, false, LinkDirection.ToServer)]
    [InlineData(ServerKind.Broker, true, LinkDirection.ToClient)]
    [InlineData(ServerKind.Broker, true, LinkDirection.ToServer)]
    [InlineData(ServerKind.Nats, false, LinkDirection.ToClient)]
    [InlineData(ServerKind.Nats, false, LinkDirection.ToServer)]
    [InlineData(ServerKind.Nats, true, LinkDirection.ToClient)]
    [InlineData(ServerKind.Nats, true, LinkDirection.ToServer)]
    public async Task A_direction_that_is_closed_alone_is_a_loss(ServerKind kind, bool portable, LinkDirection direction)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        using EventLoopGroup group = Loops(portable);
        await using FaultLink link = server.OpenLink();
        TaskCompletionSource found = Wait.Source();
        await using BrokerConnection client = await Patient.ConnectAsync(
            Options(link) with { Loops = group, OnReconnected = _ => found.TrySetResult() }, Token);
        await client.PingAsync(Token);
        link.HalfClose(direction);
        await Wait.For(found);
        await client.PingAsync(Token);
    }

    [Theory]
    [InlineData(ServerKind.Broker, 50, false)]
    [InlineData(ServerKind.Broker, 10, true)]
    [InlineData(ServerKind.Nats, 50, false)]
    [InlineData(ServerKind.Nats, 10, true)]
    public async Task Restarts_under_load_leave_no_message_outside(ServerKind kind, int restarts, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        using EventLoopGroup group = Loops(portable);
        using var found = new SemaphoreSlim(0);
        await using BrokerConnection client = await Patient.ConnectAsync(
            new()
            {
                Servers = [server.Url],
                Loops = group,
                MaxPendingBytes = 1024 * 1024,
                ReconnectDelay = _ => TimeSpan.FromMilliseconds(5),
                OnReconnected = _ => found.Release(),
            },
            Token);
        Subscription own = client.Subscribe("a", (in MessageView _) => { });
        long accepted = 0;
        bool stop = false;
        var publisher = new Thread(() =>
        {
            while (!Volatile.Read(ref stop))
            {
                if (client.TryPublish("a"u8, "0123456789"u8) == PublishStatus.Accepted)
                {
                    accepted++;
                }

                if (accepted % 64 == 0)
                {
                    Thread.Sleep(0);
                }
            }
        });
        publisher.Start();
        for (int i = 0; i < restarts; i++)
        {
            await server.RestartAsync();
            Assert.True(await found.WaitAsync(Wait.Limit, Token));
        }

        Volatile.Write(ref stop, true);
        publisher.Join();
        await Wait.For(client.FlushAsync(Token));
        ClientStatistics end = client.GetStatistics();
        Assert.Equal(accepted, end.MessagesOut);
        Assert.InRange(own.Delivered, accepted - end.Lost - end.Unconfirmed, accepted - end.Lost);
    }

    [Theory]
    [InlineData(true, false)]
    [InlineData(true, true)]
    [InlineData(false, false)]
    [InlineData(false, true)]
    public async Task Whoever_stops_waiting_leaves_no_block_request_barrier_or_writer_behind(bool cancelled, bool portable)
    {
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 2, ForcePortable = portable });
        using var server = new FakeServer(peer =>
        {
            // What is asked of it after the handshake stays unanswered, and after a while it takes no more.
            peer.ShakeHands();
            peer.ReadLine();
            Thread.Sleep(Timeout.Infinite);
        });
        for (int round = 0; round < 10; round++)
        {
            using var cancel = new CancellationTokenSource();
            BrokerConnection client = await Patient.ConnectAsync(
                new()
                {
                    Servers = [server.Url],
                    Loops = group,
                    ConnectTimeout = Wait.Limit,
                    WriteDeadline = Timeout.InfiniteTimeSpan,
                    MaxPendingBytes = 1024 * 1024,
                    MaxReconnectAttempts = 0,
                    DrainTimeout = TimeSpan.FromMilliseconds(1),
                },
                Token);
            QueuedSubscription queued = client.SubscribeQueued("q");
            await FillAsync(client);

            Task[] waiting =
            [
                // Nearly all that may wait: the kernel may still make room for some of it, when it is late with what it had.
                client.PublishAsync("a", new byte[1_000_000], cancellationToken: cancel.Token).AsTask(),
                client.PingAsync(cancel.Token),
                client.FlushAsync(cancel.Token),
                queued.Reader.WaitToReadAsync(cancel.Token).AsTask(),
                client.SubscribeQueued("d").DrainAsync(cancel.Token),
            ];
            if (cancelled)
            {
                await cancel.CancelAsync();
                foreach (Task task in waiting)
                {
                    await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Wait.For(task));
                }
            }

            await Wait.For(client.CloseAsync());
            foreach (Task task in waiting)
            {
                // Each has an outcome, whichever.
                await Wait.For(task.ContinueWith(static _ => { }, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default));
            }

            Assert.Equal(0, client.Core.Requester.Waiting);
            Assert.Equal(0, client.Core.Subscriber.Table.Count);
        }

        await Wait.UntilAsync(() => group.BufferedBytes == 0);
    }

    /// <summary>Publishes until there is no room, and there is none either when all that was being sent has been.</summary>
    private static async Task FillAsync(BrokerConnection client)
    {
        byte[] body = new byte[10_000];
        int full = 0;
        while (full < 3)
        {
            full++;
            while (client.TryPublish("full"u8, body) == PublishStatus.Accepted)
            {
                full = 0;
            }

            TaskCompletionSource turn = Wait.Source();
            client.Loop.Post(turn.SetResult);
            await Wait.For(turn);
        }
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_connect_that_is_cancelled_at_any_step_leaves_nothing_behind(ServerKind kind, bool portable)
    {
        using EventLoopGroup group = Loops(portable);
        await using AnyServer server = await AnyServer.StartAsync(kind);
        // INFO and the PONG of the server; CONNECT and the PING of the client. Behind its last byte nothing stalls, and it is connected.
        foreach ((LinkDirection direction, int bytes, int step) in ((LinkDirection, int, int)[])[(LinkDirection.ToClient, 420, 7), (LinkDirection.ToServer, 220, 5)])
        {
            for (int at = 0; at < bytes; at += step)
            {
                using var cancel = new CancellationTokenSource();
                await using FaultLink link = server.OpenLink();
                Task stalled = link.StallAfterAsync(at, direction);
                Task<BrokerConnection> connecting = Patient.ConnectAsync(
                    Options(link) with { Loops = group, DrainTimeout = TimeSpan.FromMilliseconds(1) }, cancel.Token);
                await Wait.For(Task.WhenAny(stalled, connecting));
                await cancel.CancelAsync();
                try
                {
                    await using BrokerConnection client = await Wait.For(connecting);
                }
                catch (OperationCanceledException)
                {
                    // As it was asked to.
                }
            }
        }

        await Wait.UntilAsync(() => group.BufferedBytes == 0);
    }
}
