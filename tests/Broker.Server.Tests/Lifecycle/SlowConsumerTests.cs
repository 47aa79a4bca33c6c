using System.Globalization;
using System.Text;
using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Lifecycle;

public sealed class SlowConsumerTests
{
    private const int Size = 1024;
    private const int Count = 20_000;
    private const int MaxPending = 2 * 1024 * 1024;

    private static byte[] Publishes(string subject, int from, int count)
    {
        var text = new StringBuilder();
        for (int i = from; i < from + count; i++)
        {
            string body = i.ToString("D8", CultureInfo.InvariantCulture).PadRight(Size, 'x');
            text.Append(CultureInfo.InvariantCulture, $"PUB {subject} {Size}\r\n{body}\r\n");
        }

        return Encoding.Latin1.GetBytes(text.ToString());
    }

    private static RawClient Reader(BrokerServer server, string subject)
    {
        var reader = RawClient.Open(server, receiveBuffer: 8192);
        reader.Send($"SUB {subject} 1\r\n");
        reader.Sync();
        return reader;
    }

    private static int Number(byte[] payload)
    {
        Assert.Equal(Size, payload.Length);
        return int.Parse(Encoding.Latin1.GetString(payload.AsSpan(0, 8)), CultureInfo.InvariantCulture);
    }

    // Reads up to a message that was published after the queue had space again.
    private static List<int> ReadAll(RawClient reader, RawClient writer, BrokerServer server, int last)
    {
        var got = new List<int>();
        long expected = Count - server.Snapshot().Dropped;
        while (got.Count < expected)
        {
            got.Add(Number(reader.ReadMessage().Payload));
        }

        writer.Send(Publishes("d", last, 1));
        Assert.Equal(last, Number(reader.ReadMessage().Payload));
        return got;
    }

    // Publishes until bytes are queued that the kernel does not accept. Otherwise a late iteration of a loop would free
    // space between the dropped messages.
    private static async Task<int> FillKernelAsync(RawClient writer, BrokerServer server)
    {
        const int Portion = 100;
        const int Looks = 10;
        int sent = 0;
        int same = 0;
        long last = 0;
        await Wait.UntilAsync(
            async () =>
            {
                ConnectionPage page = await server.InspectConnectionsAsync(null, TestContext.Current.CancellationToken);
                long pending = page.Connections.Sum(static c => c.PendingBytes);
                same = pending > 0 && pending == last ? same + 1 : 0;
                last = pending;
                if (pending == 0)
                {
                    writer.Send(Publishes("d", sent, Portion));
                    Assert.Equal("", writer.Sync());
                    sent += Portion;
                }

                return same == Looks;
            },
            () => $"{sent} messages, and {last} bytes wait");
        return sent;
    }

    [Theory]
    [InlineData(SlowConsumerPolicy.DropNewest, 1, false)]
    [InlineData(SlowConsumerPolicy.DropNewest, 4, false)]
    [InlineData(SlowConsumerPolicy.DropOldest, 1, false)]
    [InlineData(SlowConsumerPolicy.DropOldest, 4, false)]
    [InlineData(SlowConsumerPolicy.DropNewest, 2, true)]
    [InlineData(SlowConsumerPolicy.DropOldest, 2, true)]
    public async Task Dropped_and_received_messages_are_all_published_messages(SlowConsumerPolicy policy, int loops, bool portable)
    {
        var log = new LogCapture();
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.SlowConsumers = policy;
            o.MaxPending = MaxPending;
            o.Logger = log;
            o.LoopOptions = new EventLoopOptions { Loops = loops, ForcePortable = portable };
        });
        using RawClient reader = Reader(server, "d");
        using RawClient fast = Reader(server, "other");
        using var writer = RawClient.Open(server);
        int first = await FillKernelAsync(writer, server);
        writer.Send(Publishes("d", first, Count - first));
        Assert.Equal("", writer.Sync());
        ServerSnapshot after = server.Snapshot();
        Assert.Equal(Count, after.MessagesIn);
        Assert.InRange(after.Dropped, 1, Count - 1);

        List<int> got = ReadAll(reader, writer, server, Count);

        Assert.Equal(got.Order(), got);
        Assert.Equal(got.Count, got.Distinct().Count());
        Assert.Equal(Count, got.Count + server.Snapshot().Dropped);
        Assert.Equal(0, server.Snapshot().SlowConsumers);
        Assert.Equal(policy == SlowConsumerPolicy.DropOldest, got[^1] == Count - 1);
        Assert.Equal(0, got[0]);
        await Wait.UntilAsync(() => log.Warnings.Any(w => w.Contains("has caught up", StringComparison.Ordinal)), "the end of the episode");
        Assert.Single(log.Warnings, w => w.Contains("is too slow", StringComparison.Ordinal));
        Assert.Single(log.Warnings, w => w.EndsWith($"; {after.Dropped} messages were dropped", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_protocol_reply_is_never_dropped()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.SlowConsumers = SlowConsumerPolicy.DropOldest;
            o.MaxPending = MaxPending;
        });
        using RawClient reader = Reader(server, "d");
        using var writer = RawClient.Open(server);
        const int Rounds = 40;
        for (int i = 0; i < Rounds; i++)
        {
            reader.Send("PING\r\n");
            writer.Send(Publishes("d", i * 500, 500));
            writer.Sync();
        }

        reader.Send("SUB last 2\r\nPING\r\nPUB last 3\r\nend\r\n");
        int pongs = 0;
        int messages = 0;
        for (string line = reader.ReadLine(); line != "MSG last 2 3\r\n"; line = reader.ReadLine())
        {
            Assert.NotEqual("", line);
            if (line == "PONG\r\n")
            {
                pongs++;
            }
            else if (line.StartsWith("MSG", StringComparison.Ordinal))
            {
                reader.ReadBytes(Size + 2);
                messages++;
            }
        }

        Assert.Equal(Rounds + 1, pongs);
        Assert.Equal(Rounds * 500, messages + server.Snapshot().Dropped);
    }

    [Fact]
    public async Task A_queue_group_passes_over_a_member_that_is_full()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.SlowConsumers = SlowConsumerPolicy.DropNewest;
            o.MaxPending = MaxPending;
        });
        using var slow = RawClient.Open(server, receiveBuffer: 8192);
        slow.Send("SUB d g 1\r\n");
        slow.Sync();
        using var other = RawClient.Open(server);
        other.Send("SUB d g 1\r\n");
        other.Sync();
        int taken = 0;
        using var writer = RawClient.Open(server);
        for (int i = 0; i < Count; i += 500)
        {
            writer.Send(Publishes("d", i, 500));
            writer.Sync();
            // The publisher waits for this member. Otherwise its queue could be full too on a slow machine.
            other.Send("PING\r\n");
            for (string line = other.ReadLine(); line != "PONG\r\n"; line = other.ReadLine())
            {
                if (line != "PING\r\n")
                {
                    Assert.StartsWith("MSG d ", line, StringComparison.Ordinal);
                    other.ReadBytes(Size + 2);
                    taken++;
                }
            }
        }

        // Each message that the full member did not accept is counted, and the other member has received it.
        int left = Count - taken;
        int mine = 0;
        for (; mine < left; mine++)
        {
            slow.ReadMessage();
        }

        Assert.Equal("", slow.Sync());
        Assert.InRange(left, 1, Count / 2);
    }

    [Fact]
    public async Task Above_the_total_the_client_with_the_most_pending_is_closed_and_the_others_lose_nothing()
    {
        var log = new LogCapture();
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.MaxPending = 32 * 1024 * 1024;
            o.MaxPendingTotal = 32 * 1024 * 1024;
            o.WriteDeadline = TimeSpan.FromMinutes(10);
            o.Logger = log;
        });
        using RawClient most = Reader(server, "most");
        using RawClient less = Reader(server, "less");
        using var writer = RawClient.Open(server);
        const int Less = 12_000;
        writer.Send(Publishes("less", 0, Less));
        Assert.Equal("", writer.Sync());
        Assert.Equal(0, server.Snapshot().SlowConsumers);
        writer.Send(Publishes("most", 0, 30_000));
        Assert.Equal("", writer.Sync());
        await Wait.UntilAsync(() => server.Snapshot().SlowConsumers == 1, "the one with the most is closed");
        for (int i = 0; i < Less; i++)
        {
            Assert.Equal(i, Number(less.ReadMessage().Payload));
        }

        Assert.Equal("", less.Sync());
        Assert.Equal(1, server.Snapshot().SlowConsumers);
        Assert.Single(log.Warnings, w => w.Contains("are pending for all clients", StringComparison.Ordinal));
        ConnectionPage gone = await server.InspectConnectionsAsync(new ConnectionQuery { States = ConnectionStates.Closed }, TestContext.Current.CancellationToken);
        Assert.Equal("Slow Consumer (Pending Bytes)", Assert.Single(gone.Connections).Reason);
        Assert.InRange(most.CountToEnd(), 0, 32L * 1024 * 1024);
    }
}
