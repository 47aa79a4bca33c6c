using System.Net.Sockets;
using System.Threading.Channels;
using Broker.Client.Tests.Support;
using Broker.Transport;

namespace Broker.Client.Tests.Servers;

/// <summary>Limits, the forms of receiving and the loss of a server, over every transport.</summary>
public sealed class TransportFailureTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [ClassData(typeof(EveryWay))]
    public async Task Pending_bytes_are_limited_and_OnWritable_is_called(Way way, ServerKind kind, bool portable)
    {
        const int Limit = 256 * 1024;
        const int Messages = 5_000;
        await using TransportSite site = await StartAsync(way, kind, losable: false);
        using EventLoopGroup group = Loops(portable);
        using var writable = new SemaphoreSlim(0);
        await using BrokerConnection client = await Patient.ConnectAsync(
            site.Options with { Loops = group, MaxPendingBytes = Limit, OnWritable = _ => writable.Release() }, Token);
        Subscription own = client.Subscribe("a", static (in MessageView _) => { });
        byte[] body = new byte[1000];
        long accepted = 0;
        for (int round = 0; round < 5; round++)
        {
            TaskCompletionSource refused = Wait.Source();
            client.Loop.Post(() =>
            {
                // Nothing is sent before the iteration is over.
                PublishStatus status;
                while ((status = client.PublishWithStatus("a"u8, body)) == PublishStatus.Accepted)
                {
                    accepted++;
                }

                Assert.Equal(PublishStatus.PendingLimit, status);
                Assert.InRange(client.GetStatistics().PendingBytes, 0, Limit);
                refused.SetResult();
            });
            await Wait.For(refused);
            Assert.True(await writable.WaitAsync(Wait.Limit, Token));
        }

        for (int i = 0; i < Messages; i++)
        {
            await client.PublishAsync("a", body, cancellationToken: Token);
        }

        await client.FlushAsync(Token);
        Assert.Equal(accepted + Messages, own.Delivered);
        Assert.Equal((0L, 0L), (client.GetStatistics().Lost, client.GetStatistics().Unconfirmed));
    }

    [Theory]
    [ClassData(typeof(EveryWay))]
    public async Task A_lost_server_is_found_again_and_every_message_is_accounted_for(Way way, ServerKind kind, bool portable)
    {
        const int Losses = 5;
        await using TransportSite site = await StartAsync(way, kind, losable: true);
        using EventLoopGroup group = Loops(portable);
        using var found = new SemaphoreSlim(0);
        await using BrokerConnection client = await Patient.ConnectAsync(
            site.Options with
            {
                Loops = group,
                MaxPendingBytes = 1024 * 1024,
                ReconnectDelay = static _ => TimeSpan.FromMilliseconds(10),
                OnReconnected = _ => found.Release(),
            },
            Token);
        // Every confirmed message has been delivered: it came back before the answer to the later PING.
        Subscription own = client.Subscribe("a", static (in MessageView _) => { });
        long accepted = 0;
        bool stop = false;
        var publisher = Task.Run(
            async () =>
            {
                byte[] body = new byte[100];
                while (!Volatile.Read(ref stop))
                {
                    for (int i = 0; i < 50; i++)
                    {
                        accepted += client.PublishWithStatus("a"u8, body) == PublishStatus.Accepted ? 1 : 0;
                    }

                    // This pause prevents that a client becomes a slow consumer of its own messages, over the slowest
                    // transport on a busy machine.
                    await Task.Delay(1, Token);
                }
            },
            Token);
        for (int i = 0; i < Losses; i++)
        {
            await client.PingAsync(Token);
            await site.LoseAsync();
            Assert.True(await found.WaitAsync(Wait.Limit, Token));
        }

        Volatile.Write(ref stop, true);
        await Wait.For(publisher);
        await client.FlushAsync(Token);
        ClientStatistics end = client.GetStatistics();
        Assert.Equal(accepted, end.MessagesOut);
        Assert.InRange(own.Delivered, accepted - end.Lost - end.Unconfirmed, accepted - end.Lost);
        Assert.InRange(end.Reconnects, Losses, long.MaxValue);
    }

    [Theory]
    [ClassData(typeof(EveryWay))]
    public async Task Every_form_of_receiving_and_requesting_works(Way way, ServerKind kind, bool portable)
    {
        await using TransportSite site = await StartAsync(way, kind, losable: false);
        using EventLoopGroup group = Loops(portable);
        await using BrokerConnection client = await Patient.ConnectAsync(site.Options with { Loops = group }, Token);
        var numbers = new EncodedConnection(client, TextEncoder.Instance);
        await using QueuedSubscription newest = client.SubscribeQueued("n", new() { MaxMessages = 10, WhenFull = FullQueuePolicy.DropOldest });
        await using QueuedSubscription ends = client.SubscribeQueued("n", new() { MaxMessages = 10, WhenFull = FullQueuePolicy.End });
        var received = Channel.CreateUnbounded<int>();
        await using ChannelBinding binding = numbers.BindReceive("n", received.Writer);
        await using IAsyncEnumerator<int> read = numbers.ReadAsync<int>("n", cancellationToken: Token).GetAsyncEnumerator(Token);
        ValueTask<bool> first = read.MoveNextAsync();
        await using HandlerBinding answers = numbers.Subscribe<int>("double", (n, m) => numbers.Respond(m, 2 * n));
        var sent = Channel.CreateUnbounded<int>();
        for (int i = 0; i < 100; i++)
        {
            sent.Writer.TryWrite(i);
        }

        sent.Writer.Complete();
        await Wait.For(numbers.BindSendAsync("n", sent.Reader, Token));
        await client.PingAsync(Token);
        Assert.Equal((10, 90L), (newest.GetStatistics().Pending, newest.GetStatistics().Dropped));
        await Assert.ThrowsAsync<SlowConsumerException>(async () =>
        {
            await foreach (Message message in ends.ReadAllAsync(Token))
            {
                Assert.Equal("n", message.Subject);
            }
        });
        Assert.True(await Wait.For(first.AsTask()));
        for (int i = 0; i < 100; i++)
        {
            Assert.Equal((i, i), (await Wait.For(received.Reader.ReadAsync(Token).AsTask()), read.Current));
            Assert.True(i == 99 || await Wait.For(read.MoveNextAsync().AsTask()));
        }

        Assert.Equal(42, await numbers.RequestAsync<int, int>("double", 21, Wait.Limit, cancellationToken: Token));
        Assert.Single(await client.GatherAsync("double", "4"u8.ToArray(), new() { MaxReplies = 1, Deadline = Wait.Limit }, cancellationToken: Token));
    }

    private static EventLoopGroup Loops(bool portable) => new(new EventLoopOptions { Loops = 1, ForcePortable = portable });

    private static Task<TransportSite> StartAsync(Way way, ServerKind kind, bool losable)
    {
        Assert.SkipUnless(way != Way.Unix || Socket.OSSupportsUnixDomainSockets, "the system has no Unix sockets");
        return TransportSite.StartAsync(way, kind, losable);
    }
}
