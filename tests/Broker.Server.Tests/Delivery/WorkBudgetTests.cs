using System.Globalization;
using System.Text;
using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Delivery;

/// <summary>
/// The work of a client with many operations is divided: the other clients of its loop are served in between. All
/// clients are on one thread, so the order of their messages is determined.
/// </summary>
public sealed class WorkBudgetTests
{
    private const string Connect = """CONNECT {"verbose":false,"pedantic":false,"echo":true}""" + "\r\n";

    [Fact]
    public async Task A_flood_to_a_thousand_subscriptions_does_not_delay_other_clients_until_its_end()
        => await AssertOthersAreServedAsync(Subscribe(1_000, "SUB a {0}\r\n"), Repeat(500, "PUB a 16\r\n0123456789abcdef\r\n"));

    [Fact]
    public async Task Skipped_subscriptions_use_up_the_work_budget()
        => await AssertOthersAreServedAsync(
            Connect.Replace("\"echo\":true", "\"echo\":false", StringComparison.Ordinal) + Subscribe(5_000, "SUB a {0}\r\n"),
            Repeat(200, "PUB a 0\r\n\r\n"));

    [Fact]
    public async Task Skipped_members_of_a_queue_group_use_up_the_work_budget()
        => await AssertOthersAreServedAsync(
            Connect.Replace("\"echo\":true", "\"echo\":false", StringComparison.Ordinal) + Subscribe(5_000, "SUB a q {0}\r\n"),
            Repeat(200, "PUB a 0\r\n\r\n"));

    [Fact]
    public async Task Subscribing_and_unsubscribing_use_up_the_work_budget()
        => await AssertOthersAreServedAsync("", Subscribe(5_000, "SUB a.{0} {0}\r\nUNSUB {0}\r\n"));

    [Fact]
    public async Task Errors_use_up_the_work_budget()
        => await AssertOthersAreServedAsync("", Repeat(5_000, "SUB a..b 1\r\n"));

    [Fact]
    public async Task New_subjects_use_up_the_work_budget()
        => await AssertOthersAreServedAsync("", Subscribe(10_000, "PUB fresh.{0} 0\r\n\r\n"));

    [Fact]
    public async Task While_many_clients_wait_for_a_flush_an_iteration_publishes_little()
    {
        const int Crowd = 300;
        const int Size = 1_000;
        await using BrokerServer server = await Servers.StartAsync(o => o.LoopOptions = new EventLoopOptions { Loops = 1 });
        EventLoop loop = server.Loops[0];
        for (int i = 0; i < Crowd; i++)
        {
            Say(server.ConnectInProcess(loop, new InProcessClient()), Connect + "SUB a 1\r\n");
        }

        await Servers.UntilAsync(() => server.Snapshot().Subscriptions == Crowd, "the subscriptions");
        Connection publisher = server.ConnectInProcess(loop, new InProcessClient());
        var turns = new List<(bool IsBehind, long BytesOut)>();
        long all = 40L * Crowd * Size;
        loop.Post(() =>
        {
            Write(publisher, Connect + Repeat(40, $"PUB a {Size}\r\n{new string('x', Size)}\r\n"));
            Look();
        });
        await Servers.UntilAsync(() => server.Snapshot().BytesOut >= all && Volatile.Read(ref all) == 0, "the messages");
        // The first state of each pair applied to the work between the two.
        long[] behind = [.. turns.Zip(turns.Skip(1)).Where(pair => pair.First.IsBehind).Select(pair => pair.Second.BytesOut - pair.First.BytesOut)];
        Assert.InRange(behind.Length, 20, int.MaxValue);
        Assert.All(behind, bytes => Assert.InRange(bytes, 0, (256 * 1024) + (Crowd * (Size + 20))));

        void Look()
        {
            turns.Add((loop.IsBehind, server.Snapshot().BytesOut));
            if (turns[^1].BytesOut < all || loop.FlushBacklog > 0)
            {
                loop.Post(Look);
            }
            else
            {
                Volatile.Write(ref all, 0);
            }
        }
    }

    [Fact]
    public async Task Adding_and_removing_a_subscription_does_not_rebuild_a_large_route()
    {
        await using BrokerServer server = await Servers.StartAsync();
        using var client = RawClient.Open(server);
        client.Send(Subscribe(2_000, "SUB a q {0}\r\n") + "PUB a 0\r\n\r\n");
        client.Sync();
        long built = server.GlobalRouter.Count().Built;
        client.Send(Repeat(400, "SUB > x\r\nPUB a 0\r\n\r\nUNSUB x\r\nPUB a 0\r\n\r\n"));
        string heard = client.Sync();
        Assert.Equal(400, heard.Split("MSG a x 0\r\n").Length - 1);
        Assert.Equal(1_200, heard.Split("MSG a ").Length - 1);
        Assert.Equal(built, server.GlobalRouter.Count().Built);
    }

    [Fact]
    public async Task All_subscriptions_of_a_disconnected_client_are_removed()
    {
        await using BrokerServer server = await Servers.StartAsync();
        var client = RawClient.Open(server);
        client.Send(Subscribe(20_000, "SUB a.{0} {0}\r\n"));
        client.Sync();
        Assert.Equal(20_000, server.Snapshot().Subscriptions);
        client.Dispose();
        await Wait.UntilAsync(() => server.Snapshot().Subscriptions == 0, "the subscriptions to be removed");
    }

    [Theory]
    [InlineData("SUB a {0}\r\n", 100_000)]
    [InlineData("SUB a q {0}\r\n", 1)]
    [InlineData("SUB a q{0} {0}\r\n", 100_000)]
    public async Task A_large_route_is_built_in_several_iterations(string subscribe, int heard)
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.LoopOptions = new EventLoopOptions { Loops = 1 });
        EventLoop loop = server.Loops[0];
        var client = new InProcessClient();
        Connection end = server.ConnectInProcess(loop, client);
        Say(end, Connect + Subscribe(100_000, subscribe) + "PING\r\n");
        await Servers.UntilAsync(() => client.Text.EndsWith("PONG\r\n", StringComparison.Ordinal), "the subscriptions");
        int turns = 0;
        long before = server.Snapshot().MessagesOut;
        loop.Post(() =>
        {
            Write(end, "PUB a 0\r\n\r\n");
            Look();
        });
        await Servers.UntilAsync(() => server.Snapshot().MessagesOut == before + heard, "the message");
        // One iteration processes about twenty thousand subscriptions.
        Assert.InRange(Volatile.Read(ref turns), 4, 40);

        void Look()
        {
            if (server.Snapshot().MessagesOut == before)
            {
                turns++;
                loop.Post(Look);
            }
        }
    }

    [Theory]
    [InlineData("\r\n")]
    [InlineData("\n")]
    [InlineData("\r\r\n")]
    public async Task A_repeated_CONNECT_first_removes_the_subscriptions_in_several_iterations(string newLine)
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.LoopOptions = new EventLoopOptions { Loops = 1 });
        EventLoop loop = server.Loops[0];
        var client = new InProcessClient();
        Connection end = server.ConnectInProcess(loop, client);
        Say(end, Connect + Subscribe(20_000, "SUB a.{0} {0}\r\n") + "PING\r\n");
        await Servers.UntilAsync(() => client.Text.EndsWith("PONG\r\n", StringComparison.Ordinal), "the subscriptions");
        List<int> left = await WatchEndAsync(
            server, 1, () => Write(end, Connect.TrimEnd() + newLine + "SUB a.7 x\r\nPUB a.7 0\r\n\r\nPUB a.8 0\r\n\r\nPING\r\n"));
        await Servers.UntilAsync(() => client.Text.Split("PONG\r\n").Length == 3, "the answer");
        Assert.EndsWith("PONG\r\nMSG a.7 x 0\r\n\r\nPONG\r\n", client.Text, StringComparison.Ordinal);
        AssertInParts(left);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_first_CONNECT_with_another_user_first_removes_the_subscriptions_in_several_iterations(bool isHashed)
    {
        // Another thread verifies a password hash.
        string password = isHashed ? "$2a$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW" : "secret";
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.LoopOptions = new EventLoopOptions { Loops = 1 };
            o.Users = [new User("nobody", "n"), new User("somebody", password)];
            o.NoAuthUser = "nobody";
            o.PasswordVerifier = new AnyHash();
        });
        EventLoop loop = server.Loops[0];
        var client = new InProcessClient();
        Connection end = server.ConnectInProcess(loop, client);
        Say(end, Subscribe(20_000, "SUB a.{0} {0}\r\n") + "PING\r\n");
        await Servers.UntilAsync(() => client.Text.EndsWith("PONG\r\n", StringComparison.Ordinal), "the subscriptions");
        List<int> left = await WatchEndAsync(
            server,
            1,
            () => Write(
                end,
                Connect.Replace("{", "{\"user\":\"somebody\",\"pass\":\"secret\",", StringComparison.Ordinal)
                    + "SUB a.7 x\r\nPUB a.7 0\r\n\r\nPUB a.8 0\r\n\r\nPING\r\n"));
        await Servers.UntilAsync(() => client.Text.Split("PONG\r\n").Length == 3, "the answer");
        Assert.EndsWith("PONG\r\nMSG a.7 x 0\r\n\r\nPONG\r\n", client.Text, StringComparison.Ordinal);
        AssertInParts(left);
    }

    [Fact]
    public async Task Clients_that_disconnect_together_lose_their_subscriptions_in_several_iterations()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.LoopOptions = new EventLoopOptions { Loops = 1 });
        EventLoop loop = server.Loops[0];
        Connection[] ends = [.. Enumerable.Range(0, 20).Select(_ => server.ConnectInProcess(loop, new InProcessClient()))];
        foreach (Connection end in ends)
        {
            Say(end, Connect + Subscribe(1_000, "SUB a.{0} {0}\r\n"));
        }

        await Servers.UntilAsync(() => server.Snapshot().Subscriptions == 20_000, "the subscriptions");
        AssertInParts(await WatchEndAsync(server, 0, () => Array.ForEach(ends, end => end.Close())));
    }

    // The numbers of subscriptions after each iteration, until there are no more than wanted.
    private static async Task<List<int>> WatchEndAsync(BrokerServer server, int wanted, Action begin)
    {
        EventLoop loop = server.Loops[0];
        var left = new List<int>();
        var over = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        loop.Post(() =>
        {
            begin();
            Look();

            void Look()
            {
                left.Add(server.Snapshot().Subscriptions);
                if (left[^1] > wanted)
                {
                    loop.Post(Look);
                }
                else
                {
                    over.SetResult();
                }
            }
        });
        await over.Task.WaitAsync(TimeSpan.FromMinutes(1), TestContext.Current.CancellationToken);
        return left;
    }

    private static void AssertInParts(List<int> left)
        => Assert.All(left.Zip(left.Skip(1)), turn => Assert.InRange(turn.First - turn.Second, -1, 3_000));

    // The flood ends with a PING, which is answered last.
    private static async Task AssertOthersAreServedAsync(string before, string flood)
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.LoopOptions = new EventLoopOptions { Loops = 1 });
        EventLoop loop = server.Loops[0];
        var order = new List<string>();
        var busy = new Listener("busy", order);
        var other = new Listener("other", order);
        Connection busyEnd = server.ConnectInProcess(loop, busy);
        Connection otherEnd = server.ConnectInProcess(loop, other);
        Say(busyEnd, (before.StartsWith("CONNECT", StringComparison.Ordinal) ? "" : Connect) + before + "PING\r\n");
        Say(otherEnd, Connect + "PING\r\n");
        await Wait.UntilAsync(() => busy.Pongs == 1 && other.Pongs == 1, "both to be connected");
        loop.Post(() =>
        {
            Write(busyEnd, flood + "PING\r\n");
            Write(otherEnd, "PING\r\n");
        });
        await Wait.UntilAsync(() => busy.Pongs == 2 && other.Pongs == 2, "both to be answered");
        Assert.Equal(["other", "busy"], order.TakeLast(2));
    }

    private static string Repeat(int count, string text) => string.Concat(Enumerable.Repeat(text, count));

    private static string Subscribe(int count, string format)
        => string.Concat(Enumerable.Range(0, count).Select(i => string.Format(CultureInfo.InvariantCulture, format, i)));

    private static void Say(Connection connection, string text) => connection.Loop.Post(() => Write(connection, text));

    private static void Write(Connection connection, string text)
    {
        LoopWriteBuffer stage = connection.GetWriteBuffer(connection.Loop);
        // Whole lines to a block, in parts that a link accepts at once.
        stage.Write(Encoding.ASCII.GetBytes(text));
    }

    private sealed class AnyHash : IPasswordVerifier
    {
        public bool IsValid(string hash) => true;

        public bool Verify(ReadOnlySpan<byte> password, string hash) => password.SequenceEqual("secret"u8);
    }

    private sealed class Listener(string name, List<string> order) : ConnectionHandler
    {
        private int _pongs;

        internal int Pongs => Volatile.Read(ref _pongs);

        public override int OnReceived(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
        {
            int at = 0;
            int end;
            while ((end = bytes[at..].IndexOf("\r\n"u8)) >= 0)
            {
                if (bytes.Slice(at, end).SequenceEqual("PONG"u8))
                {
                    order.Add(name);
                    Volatile.Write(ref _pongs, _pongs + 1);
                }

                at += end + 2;
            }

            return at;
        }

        public override void OnClosed(Connection connection, CloseReason reason, Exception? error)
        {
        }
    }
}
