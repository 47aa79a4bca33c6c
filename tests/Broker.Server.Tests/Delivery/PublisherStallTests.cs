using System.Globalization;
using System.Text;
using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Delivery;

/// <summary>A publisher is slowed down while a subscriber reads too slowly.</summary>
public sealed class PublisherStallTests
{
    private const int Size = 1024;
    private const int MaxPending = 8 * 1024 * 1024;

    [Theory]
    [InlineData(1, Size)]
    [InlineData(2, Size)]
    [InlineData(2, 100 * 1024)]
    public async Task A_burst_reaches_a_subscriber_that_reads_steadily(int loops, int size)
    {
        await using BrokerServer server = await StartAsync(o => o.LoopOptions = new EventLoopOptions { Loops = loops });
        using RawClient reader = Subscribe(server, "SUB a 1\r\n");
        using var publisher = RawClient.Open(server);
        await ReceiveBurstAsync(server, publisher, reader, size);
    }

    [Fact]
    public async Task A_client_that_publishes_to_itself_faster_than_it_reads_receives_everything()
    {
        await using BrokerServer server = await StartAsync();
        using RawClient client = Subscribe(server, "SUB a 1\r\n");
        await ReceiveBurstAsync(server, client, client, Size);
    }

    [Fact]
    public async Task A_subscriber_that_reads_nothing_is_closed()
    {
        await using BrokerServer server = await StartAsync();
        using RawClient stuck = Subscribe(server, "SUB a 1\r\n");
        using var publisher = RawClient.Open(server);
        for (int i = 0; server.Snapshot().SlowConsumers == 0; i++)
        {
            Assert.True(i < 8 * MaxPending / Size, "The subscriber is not closed.");
            publisher.Send(Message("a", i, Size));
        }

        Assert.Equal("", publisher.Sync());
        Assert.True(server.Snapshot().Stalls > 0);
    }

    [Fact]
    public async Task Only_clients_that_publish_to_the_slow_subscriber_are_slowed_down()
    {
        await using BrokerServer server = await StartAsync();
        using RawClient slow = Subscribe(server, "SUB a 1\r\n");
        using RawClient reader = Subscribe(server, "SUB b 1\r\n");
        using var publisher = RawClient.Open(server);
        using var bystander = RawClient.Open(server);
        Congest(server, publisher, "a");
        for (int i = 0; i < 1000; i++)
        {
            bystander.Send(Message("b", i, Size));
            publisher.Send(Message("a", i, 16));
            Assert.Equal(i, Number(reader.ReadMessage().Payload));
        }

        ConnectionPage page = await server.InspectConnectionsAsync(
            new ConnectionQuery(), TestContext.Current.CancellationToken);
        Assert.Single(page.Connections, static c => c.Stalls > 0);
        Assert.Equal(server.Snapshot().Stalls, page.Connections.Sum(static c => c.Stalls));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_publisher_may_disconnect_while_its_messages_wait(bool isReset)
    {
        const int Count = 2_000;
        const int First = 1_000_000;
        await using BrokerServer server = await StartAsync();
        using RawClient reader = Subscribe(server, "SUB a 1\r\n");
        var publisher = RawClient.Open(server);
        Congest(server, publisher, "a");
        publisher.Send(string.Concat(Enumerable.Range(First, Count).Select(static i => Message("a", i, Size))));
        if (isReset)
        {
            publisher.Socket.LingerState = new(enable: true, 0);
        }

        long stalls = server.Snapshot().Stalls;
        publisher.Dispose();
        if (!isReset)
        {
            await Servers.UntilAsync(() => server.Snapshot().Stalls > stalls, "the publisher to be slowed down after its end");
        }

        await Servers.UntilAsync(() => server.Snapshot().Connections == 1, "the end of the publisher");
        // After a reset the system has discarded what the server had not read.
        long received = server.Snapshot().MessagesIn;
        using var next = RawClient.Open(server);
        next.Send(Message("a", First + Count, Size));
        next.Sync();
        List<int> numbers = [];
        while (numbers.LastOrDefault() != First + Count)
        {
            numbers.Add(Number(reader.ReadMessage().Payload));
        }

        Assert.Equal(received + 1, numbers.Count);
        int waited = numbers.Count(static number => number >= First) - 1;
        Assert.Equal(Enumerable.Range(First, waited), numbers.TakeLast(waited + 1).Take(waited));
        Assert.Equal(isReset ? waited : Count, waited);
        Assert.Equal((0, 0), (server.Snapshot().SlowConsumers, server.Snapshot().Dropped));
    }

    [Theory]
    [InlineData("PUB a {1}\r\n{0}\r\n")]
    [InlineData("PUB a reply.{0} {1}\r\n{0}\r\n")]
    [InlineData("HPUB a 12 {2}\r\nNATS/1.0\r\n\r\n{0}\r\n")]
    public async Task A_group_chooses_members_that_read_while_there_are_some(string form)
    {
        const int Count = 2000;
        await using BrokerServer server = await StartAsync(o => o.LoopOptions = new EventLoopOptions { Loops = 1 });
        using RawClient slow = Subscribe(server, "SUB own 1\r\nSUB a g 2\r\n");
        using RawClient first = Subscribe(server, "SUB a g 1\r\n");
        using RawClient second = Subscribe(server, "SUB a g 1\r\n");
        using var publisher = RawClient.Open(server, RawClient.WithHeaders);
        Congest(server, publisher, "own");
        long stalls = server.Snapshot().Stalls;
        long waiting = await WaitingAsync();
        for (int from = 0; from < Count; from += 100)
        {
            string batch = string.Concat(Enumerable.Range(from, 100).Select(i => string.Format(
                CultureInfo.InvariantCulture, form, i.ToString("D8", CultureInfo.InvariantCulture), 8, 20)));
            publisher.Send(batch);
        }

        Assert.Equal("", publisher.Sync());
        int received = 0;
        await Servers.UntilAsync(() => (received += Lines(first) + Lines(second)) == Count, "all messages");
        Assert.Equal(waiting, await WaitingAsync());
        Assert.Equal(stalls, server.Snapshot().Stalls);

        async Task<long> WaitingAsync()
        {
            ConnectionPage page = await server.InspectConnectionsAsync(
                new ConnectionQuery(), TestContext.Current.CancellationToken);
            return page.Connections.Max(static c => c.PendingBytes);
        }

        static int Lines(RawClient member) => member.Sync().Split("MSG ").Length - 1;
    }

    [Fact]
    public async Task A_group_whose_members_all_read_too_slowly_slows_its_publisher_down()
    {
        await using BrokerServer server = await StartAsync();
        using RawClient first = Subscribe(server, "SUB own1 1\r\nSUB a g 2\r\n");
        using RawClient second = Subscribe(server, "SUB own2 1\r\nSUB a g 2\r\n");
        using var publisher = RawClient.Open(server);
        Congest(server, publisher, "own1");
        Congest(server, publisher, "own2");
        Congest(server, publisher, "a");
    }

    [Fact]
    public async Task An_import_slows_the_publisher_of_the_other_account_down()
    {
        await using BrokerServer server = await StartAsync(static o =>
        {
            o.Accounts =
            [
                new AccountOptions("A") { Users = [new User("a", "a")], Exports = [new StreamExport("x")] },
                new AccountOptions("B") { Users = [new User("b", "b")], Imports = [new StreamImport("A", "x") { To = "y" }] },
            ];
        });
        using RawClient slow = Subscribe(
            server, "SUB y 1\r\n", "CONNECT {\"verbose\":false,\"user\":\"b\",\"pass\":\"b\"}\r\n");
        using var publisher = RawClient.Open(server, "CONNECT {\"verbose\":false,\"user\":\"a\",\"pass\":\"a\"}\r\n");
        Congest(server, publisher, "x");
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_target_of_the_application_slows_its_publishers_down_if_it_wants(bool wants)
    {
        await using BrokerServer server = await StartAsync();
        using MessageTarget target = server.AddTarget(
            new Ignoring(), new MessageTargetOptions { MaxPendingBytes = MaxPending, StallFastPublishers = wants });
        target.Subscribe("x");
        target.IsPaused = true;
        using var publisher = RawClient.Open(server);
        if (wants)
        {
            Congest(server, publisher, "x");
            Assert.Equal(0, target.DroppedMessages);
            return;
        }

        for (int i = 0; target.DroppedMessages == 0; i++)
        {
            Assert.True(i < 4 * MaxPending / Size, "Nothing is dropped.");
            publisher.Send(Message("x", i, Size));
        }

        Assert.Equal("", publisher.Sync());
        Assert.Equal(0, server.Snapshot().Stalls);
    }

    [Fact]
    public async Task A_reload_switches_it_off_for_connected_clients()
    {
        await using BrokerServer server = await StartAsync();
        using RawClient slow = Subscribe(server, "SUB a 1\r\n");
        using var publisher = RawClient.Open(server);
        Congest(server, publisher, "a");
        await server.ReloadAsync(static o => o.StallFastPublishers = false);
        await Servers.UntilAsync(
            () =>
            {
                long stalls = server.Snapshot().Stalls;
                Publish(publisher, "a");
                return server.Snapshot().Stalls == stalls;
            },
            "the publisher to be slowed down no more");
    }

    [Theory]
    [InlineData(SlowConsumerPolicy.DropNewest)]
    [InlineData(SlowConsumerPolicy.DropOldest)]
    public async Task A_publisher_is_not_slowed_down_if_messages_are_dropped_instead(SlowConsumerPolicy policy)
    {
        await using BrokerServer server = await StartAsync(o => o.SlowConsumers = policy);
        using RawClient slow = Subscribe(server, "SUB a 1\r\n");
        using var publisher = RawClient.Open(server);
        for (int i = 0; server.Snapshot().Dropped == 0; i++)
        {
            Assert.True(i < 8 * MaxPending / Size, "Nothing is dropped.");
            publisher.Send(Message("a", i, Size));
        }

        Assert.Equal("", publisher.Sync());
        Assert.Equal(0, server.Snapshot().Stalls);
    }

    private static Task<BrokerServer> StartAsync(Action<BrokerServerOptions>? configure = null)
        => Servers.StartAsync(o =>
        {
            o.MaxPending = MaxPending;
            // Only the number of bytes decides.
            o.WriteDeadline = Timeout.InfiniteTimeSpan;
            configure?.Invoke(o);
        });

    private static RawClient Subscribe(BrokerServer server, string subscribe, string connect = RawClient.Quiet)
    {
        var client = RawClient.Open(server, connect, receiveBuffer: 8192);
        client.Send(subscribe);
        client.Sync();
        return client;
    }

    private static async Task ReceiveBurstAsync(BrokerServer server, RawClient publisher, RawClient reader, int size)
    {
        int count = 6 * MaxPending / size;
        var burst = Task.Run(
            () =>
            {
                for (int i = 0; i < count; i++)
                {
                    publisher.Send(Message("a", i, size));
                }
            },
            TestContext.Current.CancellationToken);
        await Servers.UntilAsync(() => server.Snapshot().Stalls > 0, "the publisher to be slowed down");
        for (int i = 0; i < count; i++)
        {
            (_, byte[] payload) = reader.ReadMessage();
            Assert.Equal((size, i), (payload.Length, Number(payload)));
        }

        await burst;
        Assert.Equal((0, 0), (server.Snapshot().SlowConsumers, server.Snapshot().Dropped));
    }

    // Publishes until the server slows the publisher down.
    private static void Congest(BrokerServer server, RawClient publisher, string subject)
    {
        long stalls = server.Snapshot().Stalls;
        for (int batches = 0; server.Snapshot().Stalls == stalls; batches++)
        {
            Assert.True(batches < 4 * MaxPending / (64 * Size), "The publisher is not slowed down.");
            Publish(publisher, subject);
        }

        // The first PONG is sent before the messages of its iteration.
        Assert.Equal("", publisher.Sync());
    }

    private static void Publish(RawClient publisher, string subject)
    {
        publisher.Send(string.Concat(Enumerable.Range(0, 64).Select(i => Message(subject, i, Size))));
        Assert.Equal("", publisher.Sync());
    }

    private static string Message(string subject, int number, int size)
        => string.Create(CultureInfo.InvariantCulture, $"PUB {subject} {size}\r\n{number.ToString("D8", CultureInfo.InvariantCulture).PadRight(size, 'x')}\r\n");

    private static int Number(byte[] payload)
        => int.Parse(Encoding.Latin1.GetString(payload.AsSpan(0, 8)), CultureInfo.InvariantCulture);

    private sealed class Ignoring : IMessageTargetHandler
    {
        public void OnMessages(MessageBatch batch)
        {
        }
    }
}
