using System.Globalization;
using System.Text;
using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Delivery;

/// <summary>After a PONG, the client's earlier changes apply to messages from other loops too.</summary>
public sealed class ConfirmedInterestTests
{
    private const int Rounds = 300;

    [Theory]
    [InlineData(1, false)]
    [InlineData(2, false)]
    [InlineData(3, false)]
    [InlineData(3, true)]
    public async Task After_a_confirmed_UNSUB_no_publisher_reaches_the_subscription(int loops, bool portable)
    {
        await using BrokerServer server = await Servers.StartAsync(
            o => o.LoopOptions = new EventLoopOptions { Loops = loops, ForcePortable = portable });
        using var stop = new CancellationTokenSource();
        byte[] batch = Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat("PUB news 4\r\nnews\r\n", 100)));
        // There are as many publishers as loops, so that each loop has one.
        Task[] publishers = [.. Enumerable.Range(0, loops).Select(_ => Task.Factory.StartNew(
            () => Flood(server, batch, stop.Token), stop.Token, TaskCreationOptions.LongRunning, TaskScheduler.Default))];
        using var subscriber = RawClient.Open(server);
        int received = 0;

        // Some messages arrive meanwhile, depending on when the publishers run.
        long end = Environment.TickCount64 + (long)Wait.Limit.TotalMilliseconds;
        for (int round = 1; round <= Rounds || (received == 0 && Environment.TickCount64 < end); round++)
        {
            subscriber.Send($"SUB news {round}\r\nPING\r\n");
            received += CountUpTo("PONG\r\n", subscriber, round);
            subscriber.Send($"UNSUB {round}\r\nPING\r\n");
            received += CountUpTo("PONG\r\n", subscriber, round);
        }

        // A message that was on its way to the last subscription would arrive before this one.
        Assert.Equal("", subscriber.Sync());
        Assert.NotEqual(0, received);
        await stop.CancelAsync();
        await Task.WhenAll(publishers);
    }

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    public async Task Answers_have_the_order_of_the_operations_however_these_are_split(int loops)
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.LoopOptions = new EventLoopOptions { Loops = loops });
        using var client = RawClient.Open(server, "CONNECT {\"verbose\":true,\"pedantic\":false}\r\n");
        Assert.Equal("+OK\r\n", client.ReadLine());
        byte[] dialogue = "SUB a 1\r\nPING\r\nPUB a 1\r\nx\r\nUNSUB 1\r\nPING\r\nPING\r\nSUB a 2\r\nPING\r\n"u8.ToArray();
        string[] answers = ["+OK\r\n", "PONG\r\n", "+OK\r\n", "MSG a 1 1\r\n", "x\r\n", "+OK\r\n", "PONG\r\n", "PONG\r\n", "+OK\r\n", "PONG\r\n"];
        for (int cut = 0; cut < dialogue.Length; cut++)
        {
            client.Send(dialogue.AsSpan(0, cut));
            client.Send(dialogue.AsSpan(cut));
            Assert.Equal(answers, Enumerable.Range(0, answers.Length).Select(_ => client.ReadLine()));
            client.Send("UNSUB 2\r\n");
            Assert.Equal("+OK\r\n", client.ReadLine());
        }
    }

    [Fact]
    public async Task Disconnecting_while_a_PONG_is_pending_does_not_affect_other_clients()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.LoopOptions = new EventLoopOptions { Loops = 3 });
        for (int round = 0; round < 200; round++)
        {
            using var leaving = RawClient.Open(server);
            leaving.Send("SUB a 1\r\nPING\r\n");
        }

        await Servers.UntilAsync(() => server.Snapshot().Connections == 0, "all clients to disconnect");
        using var client = RawClient.Open(server);
        client.Send("SUB a 1\r\nPUB a 1\r\nx\r\n");
        Assert.Equal("MSG a 1 1\r\nx\r\n", client.Sync());
    }

    // The number of messages before that line. All must have this sid.
    private static int CountUpTo(string end, RawClient client, int sid)
    {
        string expected = string.Create(CultureInfo.InvariantCulture, $"MSG news {sid} 4\r\n");
        int count = 0;
        for (string line = client.ReadLine(); line != end; line = client.ReadLine())
        {
            if (line == "PING\r\n")
            {
                client.Send("PONG\r\n");
                continue;
            }

            Assert.Equal(expected, line);
            Assert.Equal("news\r\n", client.ReadLine());
            count++;
        }

        return count;
    }

    private static void Flood(BrokerServer server, byte[] batch, CancellationToken stop)
    {
        using var publisher = RawClient.Open(server);
        while (!stop.IsCancellationRequested)
        {
            publisher.Send(batch);
            publisher.Sync();
        }
    }
}
