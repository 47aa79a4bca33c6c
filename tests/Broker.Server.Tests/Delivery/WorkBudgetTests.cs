using System.Globalization;
using System.Text;
using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Delivery;

/// <summary>
/// A client that asks for much gets it, in parts: whoever is on the same loop is served between these. All are on one thread, so that
/// the order in which they hear is no accident.
/// </summary>
public sealed class WorkBudgetTests
{
    private const string Connect = """CONNECT {"verbose":false,"pedantic":false,"echo":true}""" + "\r\n";

    [Fact]
    public async Task A_flood_to_a_thousand_subscriptions_lets_others_in_between_its_messages()
        => await AssertOthersAreServedAsync(Subscribe(1_000, "SUB a {0}\r\n"), Repeat(500, "PUB a 16\r\n0123456789abcdef\r\n"));

    [Fact]
    public async Task Subscriptions_that_are_passed_over_count_although_nothing_is_sent()
        => await AssertOthersAreServedAsync(
            Connect.Replace("\"echo\":true", "\"echo\":false", StringComparison.Ordinal) + Subscribe(5_000, "SUB a {0}\r\n"),
            Repeat(200, "PUB a 0\r\n\r\n"));

    [Fact]
    public async Task Members_of_a_queue_group_that_are_passed_over_count()
        => await AssertOthersAreServedAsync(
            Connect.Replace("\"echo\":true", "\"echo\":false", StringComparison.Ordinal) + Subscribe(5_000, "SUB a q {0}\r\n"),
            Repeat(200, "PUB a 0\r\n\r\n"));

    [Fact]
    public async Task Subscribing_and_unsubscribing_count()
        => await AssertOthersAreServedAsync("", Subscribe(5_000, "SUB a.{0} {0}\r\nUNSUB {0}\r\n"));

    [Fact]
    public async Task Errors_count()
        => await AssertOthersAreServedAsync("", Repeat(5_000, "SUB a..b 1\r\n"));

    [Fact]
    public async Task Subjects_that_nobody_has_published_to_count()
        => await AssertOthersAreServedAsync("", Subscribe(10_000, "PUB fresh.{0} 0\r\n\r\n"));

    [Fact]
    public async Task A_subscription_that_comes_and_goes_does_not_build_a_route_to_many_anew()
    {
        await using BrokerServer server = await Servers.StartAsync();
        using RawClient client = RawClient.Open(server);
        client.Send(Subscribe(2_000, "SUB a q {0}\r\n") + "PUB a 0\r\n\r\n");
        client.Sync();
        long built = server.RouterOfAll.Count().Built;
        client.Send(Repeat(400, "SUB > x\r\nPUB a 0\r\n\r\nUNSUB x\r\nPUB a 0\r\n\r\n"));
        string heard = client.Sync();
        Assert.Equal(400, heard.Split("MSG a x 0\r\n").Length - 1);
        Assert.Equal(1_200, heard.Split("MSG a ").Length - 1);
        Assert.Equal(built, server.RouterOfAll.Count().Built);
    }

    [Fact]
    public async Task A_client_that_goes_with_many_subscriptions_takes_all_of_them_along()
    {
        await using BrokerServer server = await Servers.StartAsync();
        RawClient client = RawClient.Open(server);
        client.Send(Subscribe(20_000, "SUB a.{0} {0}\r\n"));
        client.Sync();
        Assert.Equal(20_000, server.Snapshot().Subscriptions);
        client.Dispose();
        await Servers.UntilAsync(() => server.Snapshot().Subscriptions == 0, "the end of its subscriptions");
    }

    // The flood ends with a PING of its own: it is answered last.
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
        await Servers.UntilAsync(() => busy.Pongs == 1 && other.Pongs == 1, "both to be connected");
        loop.Post(() =>
        {
            Write(busyEnd, flood + "PING\r\n");
            Write(otherEnd, "PING\r\n");
        });
        await Servers.UntilAsync(() => busy.Pongs == 2 && other.Pongs == 2, "both to be answered");
        Assert.Equal(["other", "busy"], order.TakeLast(2));
    }

    private static string Repeat(int count, string text) => string.Concat(Enumerable.Repeat(text, count));

    private static string Subscribe(int count, string format)
        => string.Concat(Enumerable.Range(0, count).Select(i => string.Format(CultureInfo.InvariantCulture, format, i)));

    private static void Say(Connection connection, string text) => connection.Loop.Post(() => Write(connection, text));

    private static void Write(Connection connection, string text)
    {
        OutboundStage stage = connection.GetStage(connection.Loop);
        // Whole lines to a block, in pieces that a link takes at once.
        stage.Write(Encoding.ASCII.GetBytes(text));
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
