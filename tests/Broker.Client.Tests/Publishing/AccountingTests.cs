using System.Net;
using System.Text;
using Broker.Client.Tests.Support;
using Broker.Transport;

namespace Broker.Client.Tests.Publishing;

/// <summary>Every accepted message is counted as processed, lost or unconfirmed.</summary>
public sealed class AccountingTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    /// <summary>A client whose transport the test can close, and which does not reconnect.</summary>
    private static async Task<(BrokerConnection Client, Connection Transport)> ConnectAsync(FakeServer server, ClientOptions options)
    {
        Connection? transport = null;
        var end = IPEndPoint.Parse(server.Url["nats://".Length..]);
        BrokerConnection client = await Patient.ConnectAsync(
            options with
            {
                MaxReconnectAttempts = 0,
                ConnectTimeout = Wait.Limit,
                Dialer = new Dial(async (loop, handler, cancel) => transport = await Dialer.ConnectAsync(loop, end, handler, cancel)),
            },
            Token);
        return (client, transport!);
    }

    private static FakeServer Sink() => new(peer =>
    {
        peer.ShakeHands();
        peer.Discard();
    });

    private static void Publish(BrokerConnection client, int messages)
    {
        for (int i = 0; i < messages; i++)
        {
            Assert.Equal(PublishStatus.Accepted, client.PublishWithStatus("a"u8, "0123456789"u8));
        }
    }

    [Fact]
    public async Task What_the_loop_had_in_its_write_buffer_when_the_server_was_lost_is_counted_as_lost()
    {
        using FakeServer server = Sink();
        TaskCompletionSource closed = Wait.Source();
        (BrokerConnection client, Connection transport) = await ConnectAsync(server, new() { OnClosed = _ => closed.TrySetResult() });
        client.Loop.Post(() =>
        {
            Publish(client, 10);
            transport.Close();
        });
        await Wait.For(closed);
        await Wait.For(client.CloseAsync());
        ClientStatistics end = client.GetStatistics();
        Assert.Equal(10, end.MessagesOut);
        Assert.Equal(10, end.Lost);
        Assert.Equal(0, end.Unconfirmed);
        Assert.NotEqual(0, end.LostBytes);
    }

    [Fact]
    public async Task What_another_loop_and_other_threads_had_written_when_the_server_was_lost_is_counted_as_lost()
    {
        using FakeServer server = Sink();
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 2 });
        TaskCompletionSource closed = Wait.Source();
        TaskCompletionSource lost = Wait.Source();
        (BrokerConnection client, Connection transport) = await ConnectAsync(
            server, new() { Loops = group, OnClosed = _ => closed.TrySetResult(), OnDisconnected = (_, _) => lost.TrySetResult() });
        using var written = new ManualResetEventSlim();
        EventLoop other = client.Loop == group[0] ? group[1] : group[0];
        other.Post(() =>
        {
            Publish(client, 7);
            written.Set();
            // The iteration of this loop ends after the loss.
            Assert.True(lost.Task.Wait(Wait.Limit));
        });
        Assert.True(written.Wait(Wait.Limit, Token));
        using var begun = new ManualResetEventSlim();
        using var held = new ManualResetEventSlim();
        client.Loop.Post(() =>
        {
            begun.Set();
            Assert.True(held.Wait(Wait.Limit));
            transport.Close();
        });
        Assert.True(begun.Wait(Wait.Limit, Token));
        Publish(client, 5);
        held.Set();
        await Wait.For(closed);
        await Wait.For(client.CloseAsync());
        ClientStatistics end = client.GetStatistics();
        Assert.Equal(12, end.MessagesOut);
        Assert.Equal(12, end.Lost + end.Unconfirmed);
        // The loop was blocked, so nobody has sent the bytes of the thread, unless the thread did it itself.
        Assert.Equal(12, end.Lost);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Messages_sent_after_the_last_answer_are_unconfirmed_and_earlier_ones_are_not(bool onLoop)
    {
        const int Confirmed = 60;
        const int After = 40;
        TaskCompletionSource<int> received = Wait.Source<int>();
        using var server = new FakeServer(peer =>
        {
            peer.ShakeHands();
            int messages = 0;
            while (messages < Confirmed + After)
            {
                string line = peer.ReadLine();
                if (line == "PING")
                {
                    peer.Send("PONG\r\n");
                }

                messages += line.StartsWith("PUB ", StringComparison.Ordinal) ? 1 : 0;
            }

            peer.ReadLine();
            received.SetResult(messages);
        });
        TaskCompletionSource closed = Wait.Source();
        (BrokerConnection client, _) = await ConnectAsync(server, new() { OnClosed = _ => closed.TrySetResult() });
        async Task PublishAsync(int messages)
        {
            if (onLoop)
            {
                TaskCompletionSource done = Wait.Source();
                client.Loop.Post(() =>
                {
                    Publish(client, messages);
                    done.SetResult();
                });
                await Wait.For(done);
            }
            else
            {
                Publish(client, messages);
            }
        }

        await PublishAsync(Confirmed);
        await client.FlushAsync(Token);
        await PublishAsync(After);
        await Wait.For(received);
        await Wait.For(closed);
        await Wait.For(client.CloseAsync());
        ClientStatistics end = client.GetStatistics();
        Assert.Equal(Confirmed + After, end.MessagesOut);
        Assert.Equal(0, end.Lost);
        Assert.Equal(After, end.Unconfirmed);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_flush_before_a_close_leaves_nothing_unconfirmed(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        Publish(client, 1000);
        await client.FlushAsync(Token);
        await Wait.For(client.CloseAsync());
        Assert.Equal((1000L, 0L, 0L), (client.GetStatistics().MessagesOut, client.GetStatistics().Lost, client.GetStatistics().Unconfirmed));
    }

    [Fact]
    public async Task A_server_that_read_only_a_part_leaves_messages_lost_and_unconfirmed_and_the_sum_is_exact()
    {
        const int Taken = 1000;
        using var taken = new ManualResetEventSlim();
        using var full = new ManualResetEventSlim();
        using var server = new FakeServer(peer =>
        {
            peer.Socket.ReceiveBufferSize = 64 * 1024;
            peer.ShakeHands();
            for (int messages = 0; messages < Taken;)
            {
                messages += peer.ReadLine().StartsWith("PUB ", StringComparison.Ordinal) ? 1 : 0;
            }

            taken.Set();
            full.Wait(Wait.Limit);
        });
        TaskCompletionSource closed = Wait.Source();
        (BrokerConnection client, _) = await ConnectAsync(
            server, new() { MaxPendingBytes = 8 * 1024 * 1024, WriteDeadline = Wait.Limit, OnClosed = _ => closed.TrySetResult() });
        long accepted = 0;
        byte[] body = new byte[1000];
        while (client.PublishWithStatus("a"u8, body) == PublishStatus.Accepted)
        {
            accepted++;
        }

        Assert.True(taken.Wait(Wait.Limit, Token));
        full.Set();
        await Wait.For(closed);
        await Wait.For(client.CloseAsync());
        ClientStatistics end = client.GetStatistics();
        Assert.Equal(accepted, end.MessagesOut);
        Assert.Equal(accepted, end.Lost + end.Unconfirmed);
        Assert.InRange(end.Unconfirmed, Taken, accepted - 1);
        Assert.InRange(end.Lost, 1, accepted - Taken);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Through_restarts_under_load_every_accepted_message_is_delivered_or_reported(ServerKind kind, bool portable)
    {
        const int Restarts = 8;
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 2, ForcePortable = portable });
        using var found = new SemaphoreSlim(0);
        await using BrokerConnection client = await Patient.ConnectAsync(
            server.Options with
            {
                Loops = group,
                MaxPendingBytes = 1024 * 1024,
                ReconnectWait = TimeSpan.FromMilliseconds(20),
                ReconnectJitter = TimeSpan.Zero,
                OnReconnected = _ => found.Release(),
            },
            Token);
        // The answer to a PING comes after the messages before it, so every confirmed message has been delivered here.
        Subscription own = client.Subscribe("a", (in MessageView _) => { });
        long accepted = 0;
        bool stop = false;
        void Burst()
        {
            for (int i = 0; i < 20; i++)
            {
                if (client.PublishWithStatus("a"u8, "0123456789"u8) == PublishStatus.Accepted)
                {
                    Interlocked.Increment(ref accepted);
                }
            }
        }

        using var over = new CountdownEvent(2);
        void Again(EventLoop loop)
        {
            Burst();
            if (Volatile.Read(ref stop))
            {
                over.Signal();
            }
            else
            {
                loop.Post(() => Again(loop));
            }
        }

        for (int i = 0; i < 2; i++)
        {
            EventLoop loop = group[i];
            loop.Post(() => Again(loop));
        }

        for (int i = 0; i < Restarts; i++)
        {
            Burst();
            await client.PingAsync(Token);
            await server.KillAsync();
            Burst();
            await server.RestartAsync();
            Assert.True(await found.WaitAsync(Wait.Limit, Token));
        }

        Volatile.Write(ref stop, true);
        Assert.True(over.Wait(Wait.Limit, Token));
        await client.FlushAsync(Token);
        ClientStatistics end = client.GetStatistics();
        Assert.Equal(accepted, end.MessagesOut);
        Assert.InRange(own.Delivered, accepted - end.Lost - end.Unconfirmed, accepted - end.Lost);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_request_that_was_cancelled_or_timed_out_while_disconnected_is_not_sent_later(bool cancelled)
    {
        int clients = 0;
        using var away = new ManualResetEventSlim();
        TaskCompletionSource<List<string>> seen = Wait.Source<List<string>>();
        using var server = new FakeServer(peer =>
        {
            if (Interlocked.Increment(ref clients) == 1)
            {
                peer.ShakeHands();
                return;
            }

            away.Wait(Wait.Limit);
            peer.ShakeHands();
            var lines = new List<string>();
            do
            {
                lines.Add(peer.ReadLine());
            }
            while (lines[^1] != "PING");
            peer.Send("PONG\r\n");
            seen.SetResult(lines);
            peer.Discard();
        });
        TaskCompletionSource<Exception> lost = Wait.Source<Exception>();
        TaskCompletionSource found = Wait.Source();
        await using BrokerConnection client = await Patient.ConnectAsync(
            server.Options with
            {
                ConnectTimeout = Wait.Limit,
                DrainTimeout = TimeSpan.FromMilliseconds(100),
                OnDisconnected = (_, e) => lost.TrySetResult(e),
                OnReconnected = _ => found.TrySetResult(),
            },
            Token);
        await Wait.For(lost);
        client.Publish("before", default);
        using var cancel = new CancellationTokenSource();
        Task given = client.RequestAsync(
            "given.up", default, cancelled ? Wait.Limit : TimeSpan.FromMilliseconds(20), cancellationToken: cancel.Token).AsTask();
        Task waits = client.RequestAsync("still.waits", default, Wait.Limit, cancellationToken: Token).AsTask();
        if (cancelled)
        {
            await cancel.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Wait.For(given));
        }
        else
        {
            await Assert.ThrowsAsync<TimeoutException>(() => Wait.For(given));
        }

        client.Publish("after", default);
        away.Set();
        await Wait.For(found);
        await client.PingAsync(Token);
        string[] published = [.. (await Wait.For(seen)).Where(l => l.StartsWith("PUB", StringComparison.Ordinal)).Select(l => l.Split(' ')[1])];
        Assert.Equal(["before", "still.waits", "after"], published);
        Assert.Equal(1, client.GetStatistics().Lost);
        await Wait.For(client.CloseAsync());
        await Assert.ThrowsAsync<ConnectionLostException>(() => Wait.For(waits));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Cancelled_requests_free_space_in_a_full_buffer(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        TaskCompletionSource<Exception> lost = Wait.Source<Exception>();
        await using BrokerConnection client = await Patient.ConnectAsync(
            server.Options with
            {
                ReconnectBufferSize = 4096,
                DrainTimeout = TimeSpan.FromMilliseconds(100),
                OnDisconnected = (_, e) => lost.TrySetResult(e),
            },
            Token);
        await server.KillAsync();
        await Wait.For(lost);
        await Assert.ThrowsAsync<TimeoutException>(
            () => client.RequestAsync("a", new byte[3000], TimeSpan.FromMilliseconds(10), cancellationToken: Token).AsTask());
        Assert.Equal(PublishStatus.Accepted, client.PublishWithStatus("b"u8, new byte[3000]));
        Assert.Equal(PublishStatus.BufferFull, client.PublishWithStatus("b"u8, new byte[3000]));
    }

    [Theory]
    [InlineData(ServerKind.Broker, true)]
    [InlineData(ServerKind.Broker, false)]
    [InlineData(ServerKind.Nats, true)]
    [InlineData(ServerKind.Nats, false)]
    public async Task After_a_refusal_for_lack_of_space_OnWritable_is_always_called(ServerKind kind, bool onLoop)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        using var writable = new SemaphoreSlim(0);
        await using BrokerConnection client = await Patient.ConnectAsync(
            server.Options with { MaxPendingBytes = 20_000, OnWritable = _ => writable.Release() }, Token);
        byte[] body = Encoding.ASCII.GetBytes(new string('x', 1000));
        for (int round = 0; round < 50; round++)
        {
            TaskCompletionSource refused = Wait.Source();
            void Fill()
            {
                // One iteration's worth: the server reads it at once, so the client never has to wait.
                while (client.PublishWithStatus("a"u8, body) == PublishStatus.Accepted)
                {
                }

                refused.SetResult();
            }

            if (onLoop)
            {
                client.Loop.Post(Fill);
            }
            else
            {
                Fill();
            }

            await Wait.For(refused);
            Assert.True(await writable.WaitAsync(Wait.Limit, Token));
        }
    }

    [Theory]
    [InlineData(1000)]
    // Each message needs a block of its own, nearly half of which stays empty. Smaller messages that are sent in small
    // batches have the same effect.
    [InlineData(33_000)]
    public async Task OnWritable_is_called_when_the_waiting_memory_falls_to_half_of_the_limit_and_not_only_when_everything_is_sent(int size)
    {
        // Much more than the operating system buffers between the two.
        const int Limit = 32 * 1024 * 1024;
        // At least half of the memory contains data.
        const int Enough = Limit / 4;
        using var refused = new ManualResetEventSlim();
        using var told = new ManualResetEventSlim();
        BrokerConnection? publisher = null;
        using var server = new FakeServer(peer =>
        {
            peer.Socket.ReceiveBufferSize = 64 * 1024;
            peer.ShakeHands();
            refused.Wait(Wait.Limit);
            byte[] buffer = new byte[64 * 1024];
            while (publisher!.GetStatistics().PendingBytes > Enough && peer.Socket.Receive(buffer) > 0)
            {
            }

            told.Wait(Wait.Limit);
        });
        (publisher, _) = await ConnectAsync(
            server,
            new()
            {
                MaxPendingBytes = Limit,
                WriteDeadline = Timeout.InfiniteTimeSpan,
                DrainTimeout = TimeSpan.FromMilliseconds(100),
                OnWritable = client =>
                {
                    if (refused.IsSet && client.GetStatistics().PendingBytes is > 0 and <= Limit / 2)
                    {
                        told.Set();
                    }
                },
            });
        byte[] body = new byte[size];
        while (publisher.PublishWithStatus("a"u8, body) == PublishStatus.Accepted)
        {
        }

        refused.Set();
        Assert.True(told.Wait(Wait.Limit, Token));
        await Wait.For(publisher.CloseAsync());
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task After_a_refusal_by_a_full_buffer_OnWritable_is_called_with_the_next_server(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        TaskCompletionSource<Exception> lost = Wait.Source<Exception>();
        TaskCompletionSource writable = Wait.Source();
        await using BrokerConnection client = await Patient.ConnectAsync(
            server.Options with
            {
                ReconnectBufferSize = 1000,
                ReconnectWait = TimeSpan.FromMilliseconds(20),
                OnDisconnected = (_, e) => lost.TrySetResult(e),
                OnWritable = _ => writable.TrySetResult(),
            },
            Token);
        await server.KillAsync();
        await Wait.For(lost);
        Assert.Equal(PublishStatus.BufferFull, client.PublishWithStatus("a"u8, new byte[2000]));
        await server.RestartAsync();
        await Wait.For(writable);
        Assert.Equal(PublishStatus.Accepted, client.PublishWithStatus("a"u8, new byte[2000]));
    }
}
