using Broker.Client.Tests.Support;
using Broker.Transport;

namespace Broker.Client.Tests;

public sealed class ClosingTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Closing_sends_what_is_queued_by_threads_and_loops(ServerKind kind, bool portable)
    {
        const int Each = 50_000;
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection receiver = await Patient.ConnectAsync(server.Options, Token);
        var counter = new Counter(3 * Each);
        receiver.Subscribe("c", counter.Take);
        await receiver.PingAsync(Token);
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 2, ForcePortable = portable });
        BrokerConnection sender = await Patient.ConnectAsync(server.Options with { Loops = group }, Token);
        void Publish()
        {
            for (int i = 0; i < Each; i++)
            {
                Assert.Equal(PublishStatus.Accepted, sender.PublishWithStatus("c"u8, "0123456789"u8));
            }
        }

        using var done = new CountdownEvent(2);
        for (int i = 0; i < 2; i++)
        {
            group[i].Post(() =>
            {
                Publish();
                done.Signal();
            });
        }

        Publish();
        Assert.True(done.Wait(Wait.Limit, Token));
        await Wait.For(sender.CloseAsync());
        Assert.Equal(PublishStatus.Closed, sender.PublishWithStatus("c"u8, default));
        await counter.Complete;
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_drain_handles_the_messages_on_their_way_and_sends_what_their_handlers_publish(ServerKind kind, bool portable)
    {
        const int Messages = 100_000;
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection ends = await Patient.ConnectAsync(server.Options, Token);
        BrokerConnection middle = await Patient.ConnectAsync(server.Options, Token);
        var counter = new Counter(Messages);
        ends.Subscribe("out", counter.Take);
        Subscription subscription = middle.Subscribe("in", (in MessageView m) =>
            Assert.Equal(PublishStatus.Accepted, m.Connection.PublishWithStatus("out"u8, m.Body)));
        await middle.PingAsync(Token);
        for (int i = 0; i < Messages; i++)
        {
            ends.Publish("in", "0123456789"u8);
        }

        await ends.FlushAsync(Token);
        // The server has all messages, and the middle client has received few of them.
        await Wait.For(middle.DrainAsync(Token));
        Assert.Equal(Messages, subscription.Delivered);
        await counter.Complete;
        Assert.Equal(ConnectionState.Closed, middle.State);
        await middle.DrainAsync(Token);
    }

    [Fact]
    public async Task A_drain_from_a_server_that_does_not_answer_ends_at_its_timeout()
    {
        using var server = new FakeServer(peer =>
        {
            peer.ShakeHands();
            peer.Discard();
        });
        BrokerConnection connection = await Patient.ConnectAsync(
            server.Options with { DrainTimeout = TimeSpan.FromMilliseconds(200) }, Token);
        await Wait.For(connection.DrainAsync(Token));
        Assert.Equal(ConnectionState.Closed, connection.State);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task OnClosed_is_called_once_and_Close_may_be_called_from_anywhere(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        int told = 0;
        TaskCompletionSource closed = Wait.Source();
        BrokerConnection connection = await Patient.ConnectAsync(
            server.Options with
            {
                OnClosed = _ =>
                {
                    Interlocked.Increment(ref told);
                    closed.TrySetResult();
                },
            },
            Token);
        connection.Subscribe("bye", (in MessageView m) => _ = m.Connection.CloseAsync());
        connection.Publish("bye", default);
        await Wait.For(closed);
        await connection.CloseAsync();
        await connection.DisposeAsync();
        Assert.Equal(1, told);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_group_that_is_disposed_first_ends_its_connections(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        TaskCompletionSource closed = Wait.Source();
        var group = new EventLoopGroup(new EventLoopOptions { Loops = 1, ForcePortable = portable });
        BrokerConnection connection = await Patient.ConnectAsync(
            server.Options with { Loops = group, OnClosed = _ => closed.TrySetResult() }, Token);
        group.Dispose();
        await Wait.For(closed);
        await Wait.For(connection.CloseAsync());
        Assert.Equal(PublishStatus.Closed, connection.PublishWithStatus("a"u8, default));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Disposing_under_full_load_ends_everything(ServerKind kind, bool portable)
    {
        // The client floods itself. On a slow machine one side would close the connection before it is disposed.
        await using AnyServer server = await AnyServer.StartAsync(
            kind,
            o =>
            {
                o.WriteDeadline = TimeSpan.FromMinutes(5);
                o.MaxPending = 4_000_000_000;
            },
            "write_deadline: \"5m\"\nmax_pending: 4000000000",
            portable);
        for (int round = 0; round < 8; round++)
        {
            BrokerConnection connection = await Patient.ConnectAsync(
                server.Options with { MaxPendingBytes = 1024 * 1024, DrainTimeout = TimeSpan.FromSeconds(5), WriteDeadline = TimeSpan.FromMinutes(5) }, Token);
            connection.Subscribe("m", (in MessageView m) => m.Connection.PublishWithStatus("n"u8, m.Body));
            using var stop = new CancellationTokenSource();
            connection.Subscribe("silent", static (in MessageView _) => { });
            Task<Message> request = connection.RequestAsync("silent", default, Timeout.InfiniteTimeSpan, cancellationToken: Token).AsTask();
            Thread[] threads = [.. Enumerable.Range(0, 2).Select(_ => new Thread(() =>
            {
                while (!stop.IsCancellationRequested)
                {
                    connection.PublishWithStatus("m"u8, "body"u8);
                }
            }))];
            Array.ForEach(threads, t => t.Start());
            var pings = Task.Run(async () =>
            {
                while (true)
                {
                    await connection.PingAsync(Token);
                    connection.Subscribe("x", (in MessageView _) => { }).Dispose();
                }
            }, Token);
            await connection.FlushAsync(Token);
            Assert.False(request.IsCompleted);
            await Wait.For(connection.DisposeAsync().AsTask());
            await Assert.ThrowsAsync<ConnectionLostException>(() => Wait.For(request));
            await Assert.ThrowsAnyAsync<ConnectionLostException>(() => Wait.For(pings));
            await stop.CancelAsync();
            Array.ForEach(threads, t => t.Join());
            Assert.Equal(ConnectionState.Closed, connection.State);
        }
    }
}
