using Broker.Client.Tests.Support;
using Broker.Testing;
using Broker.Transport;

namespace Broker.Client.Tests;

/// <summary>Network faults (cut, stall, half-close), and waits that are abandoned.</summary>
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

    // The dialogue has a few hundred bytes: CONNECT, a SUB, messages and PINGs of the client, and INFO, PONGs and
    // messages of the server. With the portable poller only some cuts are tested, because each byte is another case
    // only for the parser, which is the same.
    [Theory]
    [InlineData(ServerKind.Broker, true, 420, false, 1)]
    [InlineData(ServerKind.Broker, false, 700, false, 1)]
    [InlineData(ServerKind.Nats, true, 420, false, 1)]
    [InlineData(ServerKind.Nats, false, 700, false, 1)]
    [InlineData(ServerKind.Broker, true, 420, true, 7)]
    [InlineData(ServerKind.Broker, false, 700, true, 11)]
    [InlineData(ServerKind.Nats, true, 420, true, 7)]
    [InlineData(ServerKind.Nats, false, 700, true, 11)]
    public async Task A_dialogue_that_is_cut_at_any_byte_continues_after_a_reconnect_and_accounts_for_every_message(
        ServerKind kind, bool ofClient, int bytes, bool portable, int step)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        using EventLoopGroup group = Loops(portable);
        for (int at = 0; at < bytes; at += step)
        {
            await using FaultLink link = server.OpenLink();
            // This is not awaited, because after the end of the dialogue the cut does not happen.
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

            // The cut may come at any step, and after it the next server answers.
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
    public async Task A_network_that_stalls_in_one_or_both_directions_is_detected_by_PINGs_and_abandoned(
        ServerKind kind, bool portable, LinkDirection? direction)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        using EventLoopGroup group = Loops(portable);
        await using FaultLink link = server.OpenLink();
        TaskCompletionSource<Exception> lost = Wait.Source<Exception>();
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
    public async Task Closing_one_direction_alone_counts_as_a_loss(ServerKind kind, bool portable, LinkDirection direction)
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
    public async Task Restarts_under_load_leave_no_message_uncounted(ServerKind kind, int restarts, bool portable)
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
                if (client.PublishWithStatus("a"u8, "0123456789"u8) == PublishStatus.Accepted)
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
    public async Task Abandoned_waits_leave_no_block_request_barrier_or_writer_behind(bool cancelled, bool portable)
    {
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 2, ForcePortable = portable });
        using var server = new FakeServer(peer =>
        {
            // After the handshake the server answers nothing, and after a while it reads nothing.
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
                // This leaves little space below the limit. The kernel may still accept some bytes late.
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
                // Each task has an outcome, whatever it is.
                await Wait.For(task.ContinueWith(static _ => { }, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default));
            }

            Assert.Equal(0, client.Core.Requester.Pending);
            Assert.Equal(0, client.Core.Subscriber.Table.Count);
        }

        await Wait.UntilAsync(() => group.BufferedBytes == 0);
    }

    /// <summary>Publishes until there is no space, also after everything that could be sent has been sent.</summary>
    private static async Task FillAsync(BrokerConnection client)
    {
        byte[] body = new byte[10_000];
        int full = 0;
        while (full < 3)
        {
            full++;
            while (client.PublishWithStatus("full"u8, body) == PublishStatus.Accepted)
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
        // INFO and PONG of the server, and CONNECT and PING of the client. After the last byte nothing stalls, and the
        // client is connected.
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
                    // The connect was cancelled, as requested.
                }
            }
        }

        await Wait.UntilAsync(() => group.BufferedBytes == 0);
    }
}
