using System.Globalization;
using System.Text;
using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Delivery;

/// <summary>
/// A message to very many subscribers is delivered in shares, and other connections of the loop are served in between.
/// </summary>
public sealed class DeliveryInSharesTests
{
    private const int Many = 40_000;

    [Theory]
    [InlineData("SUB a {0}\r\n")]
    [InlineData("SUB a g{0} {0}\r\n")]
    public async Task Others_are_served_between_two_shares(string subscribe)
    {
        await using BrokerServer server = await StartAsync();
        EventLoop loop = server.Loops[0];
        using RawClient crowd = Subscribe(server, Many, subscribe);
        var other = new InProcessClient();
        var busy = new InProcessClient();
        Connection otherEnd = server.ConnectInProcess(loop, other);
        Connection busyEnd = server.ConnectInProcess(loop, busy);
        await WarmUpAsync(server, crowd, loop, busyEnd);
        long before = server.Snapshot().MessagesOut;
        var served = new List<(int Pongs, long Delivered)>();
        await OnEachIterationAsync(
            loop,
            () =>
            {
                Write(busyEnd, "PUB a 4\r\nbody\r\nPING\r\n");
                Write(otherEnd, RawClient.Quiet);
            },
            () =>
            {
                served.Add((Count(other.Text, "PONG"), server.Snapshot().MessagesOut - before));
                Write(otherEnd, "PING\r\n");
                return served[^1].Delivered < Many;
            });
        // PONGs while the message had reached some subscribers and not all.
        (int Pongs, long Delivered)[] between = [.. served.Where(turn => turn.Delivered is > 0 and < Many)];
        Assert.InRange(between.Length, 3, 100);
        Assert.InRange(between[^1].Pongs - between[0].Pongs, 2, int.MaxValue);
        Assert.Equal(Enumerable.Range(0, Many), ReadSids(crowd, Many));
        Assert.Equal("", crowd.Sync());
        await Servers.UntilAsync(() => Count(busy.Text, "PONG") == 2, "the answer");
    }

    [Fact]
    public async Task Later_operations_of_the_publisher_wait()
    {
        await using BrokerServer server = await StartAsync();
        using RawClient crowd = Subscribe(server, Many, "SUB a {0}\r\n");
        crowd.Send("SUB b b\r\n");
        crowd.Sync();
        using var publisher = RawClient.Open(server);
        for (int round = 0; round < 3; round++)
        {
            publisher.Send("PUB a 1\r\n1\r\nPUB b 1\r\n1\r\nPUB a r 1\r\n2\r\nPUB b 1\r\n2\r\n");
            Assert.Equal("", publisher.Sync());
            for (int message = 1; message <= 2; message++)
            {
                Assert.Equal(Enumerable.Range(0, Many), ReadSids(crowd, Many, message));
                (string[] words, byte[] payload) = crowd.ReadMessage();
                Assert.Equal(("MSG b b 1", message), (string.Join(' ', words), payload[0] - '0'));
            }
        }

        Assert.Equal("", crowd.Sync());
        Assert.Equal(3 * 2 * (Many + 1), server.Snapshot().MessagesOut);
    }

    [Fact]
    public async Task A_subscriber_that_leaves_or_comes_between_two_shares_receives_nothing_and_nobody_receives_it_twice()
    {
        await using BrokerServer server = await StartAsync();
        EventLoop loop = server.Loops[0];
        using RawClient crowd = Subscribe(server, Many, "SUB a {0}\r\n");
        var leaving = new InProcessClient();
        var closing = new InProcessClient();
        Connection leavingEnd = server.ConnectInProcess(loop, leaving);
        Connection closingEnd = server.ConnectInProcess(loop, closing);
        Connection busyEnd = server.ConnectInProcess(loop, new InProcessClient());
        Say(leavingEnd, RawClient.Quiet + "SUB a old\r\nPING\r\n");
        Say(closingEnd, RawClient.Quiet + "SUB a x\r\nPING\r\n");
        await Servers.UntilAsync(() => server.Snapshot().Subscriptions == Many + 2, "the subscriptions");
        await WarmUpAsync(server, crowd, loop, busyEnd);
        await Servers.UntilAsync(() => leaving.Text.Contains("MSG a old") && closing.Text.Contains("MSG a x"), "the first message");
        long before = server.Snapshot().MessagesOut;
        bool hasChanged = false;
        await OnEachIterationAsync(
            loop,
            () => Write(busyEnd, "PUB a 4\r\nbody\r\n"),
            () =>
            {
                long delivered = server.Snapshot().MessagesOut - before;
                if (delivered > 0 && !hasChanged)
                {
                    Assert.InRange(delivered, 1, Many / 2);
                    hasChanged = true;
                    Write(leavingEnd, "UNSUB old\r\nSUB a new\r\nPING\r\n");
                    closingEnd.Close();
                }

                return delivered < Many;
            });
        await closing.Closed.WaitAsync(TimeSpan.FromMinutes(1), TestContext.Current.CancellationToken);
        Assert.Equal(Enumerable.Range(0, Many), ReadSids(crowd, Many));
        Assert.Equal("", crowd.Sync());
        Assert.Equal(before + Many, server.Snapshot().MessagesOut);
        await Servers.UntilAsync(() => Count(leaving.Text, "PONG") == 2, "the answer");
        Assert.Equal((1, 0), (Count(leaving.Text, "MSG a old"), Count(leaving.Text, "MSG a new")));
        Assert.Equal(1, Count(closing.Text, "MSG a x"));
    }

    [Theory]
    [InlineData(false, 4)]
    [InlineData(true, 4)]
    [InlineData(false, 1_000)]
    [InlineData(true, 1_000)]
    public async Task A_publisher_that_ends_between_two_shares_does_not_end_the_delivery(bool isReset, int size)
    {
        await using BrokerServer server = await StartAsync();
        using RawClient crowd = Subscribe(server, Many, "SUB a {0}\r\n");
        var publisher = RawClient.Open(server);
        publisher.Sync();
        if (isReset)
        {
            publisher.Socket.LingerState = new(enable: true, 0);
        }

        bool hasEnded = false;
        await OnEachIterationAsync(
            server.Loops[0],
            () => publisher.Send($"PUB a {size}\r\n{new string('x', size)}\r\n"),
            () =>
            {
                long delivered = server.Snapshot().MessagesOut;
                if (delivered > 0 && !hasEnded)
                {
                    hasEnded = true;
                    Assert.InRange(delivered, 1, Many / 2);
                    publisher.Dispose();
                }

                return delivered < Many;
            });
        Assert.Equal(Enumerable.Range(0, Many), ReadSids(crowd, Many));
        Assert.Equal("", crowd.Sync());
        await Servers.UntilAsync(() => server.Snapshot().Connections == 1, "the end of the publisher");
        await Servers.UntilAsync(() => server.Loops.ReceiveBudget.UsedBytes == 0, "the memory to be released");
    }

    [Fact]
    public async Task A_large_message_is_counted_while_it_is_delivered()
    {
        const int Few = 100;
        await using BrokerServer server = await StartAsync();
        EventLoop loop = server.Loops[0];
        using RawClient crowd = Subscribe(server, Few, "SUB a {0}\r\n");
        using var publisher = RawClient.Open(server);
        publisher.Sync();
        long most = 0;
        long before = server.Snapshot().MessagesOut;
        publisher.Send("PUB a 1000000\r\n");
        Task watched = OnEachIterationAsync(
            loop,
            () => { },
            () =>
            {
                if (server.Snapshot().MessagesOut > before)
                {
                    most = Math.Max(most, server.Loops.ReceiveBudget.UsedBytes);
                }

                return server.Snapshot().MessagesOut < before + Few;
            });
        publisher.Send(new string('x', 1_000_000) + "\r\n");
        Assert.Equal(Enumerable.Range(0, Few), ReadSids(crowd, Few));
        await watched;
        Assert.InRange(most, 1_000_000, 4_000_000);
        Assert.Equal("", publisher.Sync());
        await Servers.UntilAsync(() => server.Loops.ReceiveBudget.UsedBytes == 0, "the copy to be released");
        Assert.Equal((long)Few * 1_000_000, server.Inspect().PayloadBytesOut);
    }

    [Fact]
    public async Task Late_subscribers_of_a_large_route_receive_it_once()
    {
        await using BrokerServer server = await StartAsync();
        using RawClient crowd = Subscribe(server, 300, "SUB a {0}\r\n");
        using var publisher = RawClient.Open(server);
        publisher.Send("PUB a 1\r\n0\r\n");
        publisher.Sync();
        Assert.Equal(Enumerable.Range(0, 300), ReadSids(crowd, 300, 0));
        crowd.Send(string.Concat(Enumerable.Range(300, Many - 300).Select(i => $"SUB a {(i % 2 == 0 ? $"g{i} " : "")}{i}\r\n")));
        crowd.Sync();
        publisher.Send("PUB a 1\r\n1\r\nPUB a 1\r\n2\r\n");
        Assert.Equal("", publisher.Sync());
        for (int message = 1; message <= 2; message++)
        {
            Assert.Equal(Enumerable.Range(0, Many), ReadSids(crowd, Many, message).Order());
        }

        Assert.Equal("", crowd.Sync());
    }

    [Fact]
    public async Task A_verbose_and_pedantic_publisher_gets_one_answer_for_each_operation()
    {
        await using BrokerServer server = await StartAsync();
        using RawClient crowd = Subscribe(server, Many, "SUB a {0}\r\n");
        using var publisher = RawClient.Open(server, "CONNECT {\"verbose\":true,\"pedantic\":true}\r\n");
        publisher.Send("PUB a 1\r\n1\r\nPUB b 1\r\n1\r\nPUB a r 1\r\n2\r\n");
        Assert.Equal("+OK\r\n+OK\r\n+OK\r\n+OK\r\n", publisher.Sync());
        Assert.Equal(Enumerable.Range(0, Many), ReadSids(crowd, Many, 1));
        Assert.Equal(Enumerable.Range(0, Many), ReadSids(crowd, Many, 2));
    }

    [Fact]
    public async Task A_requester_without_another_subscriber_is_told_so_once()
    {
        await using BrokerServer server = await StartAsync();
        using RawClient client = Subscribe(
            server, 200_000, "SUB a {0}\r\n", RawClient.WithHeaders.Replace("}", ",\"echo\":false}", StringComparison.Ordinal));
        client.Send("SUB inbox i\r\nPUB a inbox 4\r\nbody\r\nPUB a inbox 4\r\nbody\r\n");
        string status = "HMSG inbox i 16 16\r\nNATS/1.0 503\r\n\r\n\r\n";
        Assert.Equal(status + status, client.Sync());
        Assert.Equal(0, server.Snapshot().MessagesOut);
    }

    [Fact]
    public async Task Imports_of_streams_and_services_are_delivered_in_shares()
    {
        await using BrokerServer server = await StartAsync(o => o.Accounts =
            [
                new AccountOptions("A")
                {
                    Users = [new User("a", "a")],
                    Exports = [new StreamExport("s"), new ServiceExport("q")],
                    Mappings = [new SubjectMapping("m", "s")],
                },
                new AccountOptions("B")
                {
                    Users = [new User("b", "b")],
                    Imports = [new StreamImport("A", "s") { To = "t" }, new ServiceImport("A", "q")],
                },
            ]);
        const string A = "CONNECT {\"verbose\":false,\"user\":\"a\",\"pass\":\"a\"}\r\n";
        const string B = "CONNECT {\"verbose\":false,\"user\":\"b\",\"pass\":\"b\"}\r\n";
        using RawClient service = Subscribe(server, Many, "SUB q {0}\r\n", A);
        using RawClient importer = Subscribe(server, Many, "SUB t {0}\r\n", B);
        using var owner = RawClient.Open(server, A);
        using var asker = RawClient.Open(server, B);
        owner.Send("PUB s 1\r\n1\r\nPUB m 1\r\n2\r\n");
        Assert.Equal("", owner.Sync());
        Assert.Equal(Enumerable.Range(0, Many), ReadSids(importer, Many, 1).Order());
        Assert.Equal(Enumerable.Range(0, Many), ReadSids(importer, Many, 2).Order());
        Assert.Equal(2 * Many, server.Inspect().PayloadBytesOut);
        asker.Send("SUB i i\r\nPUB q i 1\r\n1\r\nPUB q i 1\r\n2\r\n");
        Assert.Equal("", asker.Sync());
        Assert.Equal(Enumerable.Range(0, Many), ReadSids(service, Many, 1));
        Assert.Equal(Enumerable.Range(0, Many), ReadSids(service, Many, 2));
        Assert.Equal(("", ""), (importer.Sync(), service.Sync()));
        Assert.Equal(4 * Many, server.Snapshot().MessagesOut);
    }

    [Fact]
    public async Task A_slow_subscriber_that_only_a_later_share_meets_slows_the_publisher_down()
    {
        await using BrokerServer server = await StartAsync(o =>
        {
            o.MaxPending = 64 * 1024 * 1024;
            o.WriteDeadline = Timeout.InfiniteTimeSpan;
        });
        const string Large = "PUB slow 1000000\r\n";
        using RawClient crowd = Subscribe(server, 200, "SUB a {0}\r\n");
        using RawClient slow = Subscribe(server, 1, "SUB slow s\r\nSUB a {0}\r\n");
        using var publisher = RawClient.Open(server);
        using var filler = RawClient.Open(server);
        for (int i = 0; i < 48 && server.Snapshot().Stalls == 0; i++)
        {
            filler.Send(Large + new string('x', 1_000_000) + "\r\n");
            Assert.Equal("", filler.Sync());
        }

        Assert.NotEqual(0, server.Snapshot().Stalls);
        long stalls = server.Snapshot().Stalls;
        // Each is larger than what is handled between two delays.
        string message = "PUB a 50000\r\n" + new string('y', 50_000) + "\r\n";
        publisher.Send(message);
        Assert.Equal("", publisher.Sync());
        Assert.Equal(Enumerable.Range(0, 200), ReadSids(crowd, 200));
        Assert.Equal(stalls + 1, server.Snapshot().Stalls);
    }

    private static Task<BrokerServer> StartAsync(Action<BrokerServerOptions>? configure = null)
        => Servers.StartAsync(o =>
        {
            o.LoopOptions = new EventLoopOptions { Loops = 1 };
            o.MaxPending = 256 * 1024 * 1024;
            configure?.Invoke(o);
        });

    private static RawClient Subscribe(BrokerServer server, int count, string subscribe, string connect = RawClient.Quiet)
    {
        var client = RawClient.Open(server, connect);
        client.Send(string.Concat(Enumerable.Range(0, count).Select(i => string.Format(CultureInfo.InvariantCulture, subscribe, i))));
        Assert.Equal("", client.Sync());
        return client;
    }

    // Builds the route, so that the next message is not delayed by that.
    private static async Task WarmUpAsync(BrokerServer server, RawClient crowd, EventLoop loop, Connection publisher)
    {
        int count = server.Snapshot().Subscriptions;
        long before = server.Snapshot().MessagesOut;
        loop.Post(() => Write(publisher, RawClient.Quiet + "PUB a 4\r\nbody\r\nPING\r\n"));
        await Servers.UntilAsync(() => server.Snapshot().MessagesOut == before + count, "the first message");
        Assert.Equal(Enumerable.Range(0, Many), ReadSids(crowd, Many));
    }

    // The sids of so many messages, which have the payload "body" or a digit.
    private static int[] ReadSids(RawClient client, int count, int? digit = null)
    {
        int[] sids = new int[count];
        for (int i = 0; i < count; i++)
        {
            (string[] words, byte[] payload) = client.ReadMessage();
            sids[i] = int.Parse(words[2], CultureInfo.InvariantCulture);
            if (digit is not null)
            {
                Assert.Equal(digit, payload[0] - '0');
            }
        }

        return sids;
    }

    private static async Task OnEachIterationAsync(EventLoop loop, Action begin, Func<bool> next)
    {
        var over = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        loop.Post(() =>
        {
            begin();
            loop.Post(Continue);
        });
        await over.Task.WaitAsync(TimeSpan.FromMinutes(1), TestContext.Current.CancellationToken);

        void Continue()
        {
            try
            {
                if (next())
                {
                    loop.Post(Continue);
                }
                else
                {
                    over.SetResult();
                }
            }
            catch (Exception e)
            {
                over.SetException(e);
            }
        }
    }

    private static int Count(string text, string part) => text.Split(part).Length - 1;

    private static void Say(Connection connection, string text) => connection.Loop.Post(() => Write(connection, text));

    private static void Write(Connection connection, string text)
        => connection.GetWriteBuffer(connection.Loop).Write(Encoding.ASCII.GetBytes(text));
}
