using System.Globalization;
using System.Text;
using System.Text.Json;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Serving;

/// <summary>
/// Tests that readers that have stopped add at most twice their queued bytes and 8 MB to the resident memory.
/// <c>BROKER_MEMORY_ROWS=all</c> tests every transport, policy and size.
/// </summary>
public sealed class ResidentMemoryTests(SessionCertificates certificates) : IClassFixture<SessionCertificates>
{
    private const long Slack = 8 * 1024 * 1024;
    private const int MostPending = 8 * 1024 * 1024;
    private const int MostUncut = 64 * 1024 * 1024;
    private const int Bulk = 6 * 1024 * 1024;
    private const int Singles = 20_000;

    // The messages that fill the kernel's buffers before the measurement.
    private const int FillSize = 1000;
    private const int FillCount = 2_000;

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    public static TheoryData<string, string, int, bool> Rows
    {
        get
        {
            if (Environment.GetEnvironmentVariable("BROKER_MEMORY_ROWS") != "all")
            {
                return new()
                {
                    { "tcp", "disconnect", 16, true }, { "tcp", "drop_oldest", 512, false }, { "tcp", "drop_newest", 0, false }, { "tcp", "disconnect", 70_000, false },
                    { "tls", "disconnect", 16, true }, { "websocket", "disconnect", 16, true }, { "zeromq", "disconnect", 16, true },
                };
            }

            var rows = new TheoryData<string, string, int, bool>();
            foreach (string transport in (string[])["tcp", "tls", "websocket", "zeromq"])
            {
                foreach (string policy in transport == "zeromq" ? (string[])["disconnect"] : ["disconnect", "drop_newest", "drop_oldest"])
                {
                    foreach (int size in (int[])[0, 16, 512, 4_096, 70_000, 100_000])
                    {
                        rows.Add(transport, policy, size, false);
                        rows.Add(transport, policy, size, true);
                    }
                }
            }

            return rows;
        }
    }

    /// <param name="transport">The transport of the reader.</param>
    /// <param name="policy">The policy for slow consumers.</param>
    /// <param name="size">The size of a payload.</param>
    /// <param name="oneByOne">Whether each message is published only after the previous one was processed.</param>
    [Theory]
    [MemberData(nameof(Rows))]
    public async Task One_who_has_stopped_reading_costs_what_is_queued_for_him(string transport, string policy, int size, bool oneByOne)
    {
        await using BrokerProcess broker = await StartAsync(transport, policy);
        using StoppedReader reader = transport switch
        {
            "tls" => await StoppedReader.OverTlsAsync(broker.Port),
            "websocket" => await StoppedReader.OverWebSocketAsync(new Uri(broker.Ports.WebSocket[0]).Port),
            "zeromq" => await StoppedReader.OverZeroMqAsync(new Uri(broker.Subscribers).Port),
            _ => await StoppedReader.OverTcpAsync(broker.Port),
        };
        using RawConnection publisher = await broker.ConnectRawAsync();
        string subject = transport == "zeromq" ? "zmq.t" : "a.b";
        await publisher.SendAsync("CONNECT {\"verbose\":false}\r\n");
        await PublishAsync(publisher, subject, FillSize, FillCount, atOnce: 100);
        long queuedBefore = transport == "zeromq" ? 0 : await PendingAsync(broker, 1);
        await Task.Delay(200, Ct);
        long before = broker.ResidentMemory();

        int most = policy == "disconnect" ? Bulk : 3 * MostPending;
        int count = oneByOne ? Math.Min(Singles, Bulk / (size + 20)) : most / (size + 20);
        await PublishAsync(publisher, subject, size, count, oneByOne ? 1 : Math.Max(1, 64 * 1024 / (size + 20)));
        long grown = broker.ResidentMemory() - before;

        // The pages do not list a ZeroMQ peer. If nothing was dropped for it, all messages are queued.
        long queued = transport == "zeromq" ? (long)count * (size + 20) : await PendingAsync(broker, 0) - queuedBefore;
        if (transport == "zeromq")
        {
            Assert.Equal((FillCount + count, 0), await BridgedAsync(broker));
        }

        TestContext.Current.TestOutputHelper?.WriteLine(string.Create(
            CultureInfo.InvariantCulture, $"{transport}, {policy}, {size} B{(oneByOne ? " one by one" : "")}: {grown / 1e6:f1} MB more for {queued / 1e6:f2} MB queued"));
        // If the kernel or the reader had taken the messages, the next line would test nothing.
        Assert.InRange(queued, Math.Min((long)count * size, policy == "disconnect" ? MostUncut : MostPending) / 2, long.MaxValue);
        Assert.InRange(grown, long.MinValue, (2 * queued) + Slack);
    }

    [Fact]
    public async Task A_thousand_who_have_stopped_reading_cost_what_is_queued_for_them()
    {
        const int Readers = 1_000;
        await using BrokerProcess broker = await StartAsync("tcp", "disconnect");
        var readers = new List<StoppedReader>();
        try
        {
            for (int i = 0; i < Readers; i++)
            {
                readers.Add(await StoppedReader.OverTcpAsync(broker.Port));
            }

            using RawConnection publisher = await broker.ConnectRawAsync();
            await publisher.SendAsync("CONNECT {\"verbose\":false}\r\n");
            using RawConnection last = await broker.ConnectRawAsync();
            await last.SendAsync("CONNECT {\"verbose\":false}\r\nSUB a.b 1\r\nPING\r\n");
            await last.ReadToAsync("PONG\r\n");

            // Fills the kernel's buffers, and warms up the writing to so many readers and the page that lists them.
            await PublishToAllAsync(512, 100);
            long queuedBefore = await PendingAsync(broker, 0);
            long before = broker.ResidentMemory();
            long queued = 0;
            bool isTold = false;
            foreach (int count in (int[])[30, 40, 100, 700])
            {
                await PublishToAllAsync(512, count);
                long grown = broker.ResidentMemory() - before;
                long earlier = queued;
                queued = await PendingAsync(broker, 0) - queuedBefore;
                // The kernel may take more from all queues at any time. The pool then keeps the freed blocks, which
                // are not the readers' memory, so such a row is not tested.
                isTold = queued - earlier >= (long)Readers * count * 512 / 2;
                TestContext.Current.TestOutputHelper?.WriteLine(string.Create(
                    CultureInfo.InvariantCulture, $"{Readers} readers: {grown / 1e6:f1} MB more for {queued / 1e6:f2} MB queued{(isTold ? "" : ", the kernel has taken the rest")}"));
                Assert.True(!isTold || grown <= (2 * queued) + Slack, string.Create(CultureInfo.InvariantCulture, $"{grown} B more for {queued} B queued"));
            }

            Assert.True(isTold, "the kernel has taken most of the messages, so no row was tested");
            Assert.NotEqual(0, await PendingAsync(broker, Readers));
            long filled = broker.ResidentMemory();
            await PublishToAllAsync(16, 1);
            long oneMore = broker.ResidentMemory() - filled;
            TestContext.Current.TestOutputHelper?.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{oneMore / 1e6:f1} MB more for one small message each"));
            Assert.InRange(oneMore, long.MinValue, (2 * Readers * 30) + Slack);

            // Publishes the next message when the last subscriber has received the one before. The server delivers to
            // so many subscribers in slices. Several messages could otherwise be under way at once, and their memory
            // would depend on the scheduler.
            async Task PublishToAllAsync(int size, int count)
            {
                for (int i = 0; i < count; i++)
                {
                    await PublishAsync(publisher, "a.b", size, 1, atOnce: 1);
                    await last.ReadToAsync("x\r\n");
                }
            }
        }
        finally
        {
            readers.ForEach(static r => r.Dispose());
        }
    }

    private async Task<BrokerProcess> StartAsync(string transport, string policy)
    {
        string file = Path.Combine(Path.GetTempPath(), $"memory-{Guid.NewGuid():N}.conf");
        await File.WriteAllTextAsync(
            file,
            string.Create(CultureInfo.InvariantCulture, $"http: -1\nmax_pending: {(policy == "disconnect" ? MostUncut : MostPending)}\nslow_consumers: {policy}\nwrite_deadline: \"10m\"\n") + transport switch
            {
                "tls" => $"tls {{ {certificates.ServerKeys} }}\nallow_non_tls: true\n",
                "websocket" => "websocket { listen: \"127.0.0.1:-1\", no_tls: true }\n",
                "zeromq" => "zeromq { publishers: \"tcp://127.0.0.1:*\", subscribers: \"tcp://127.0.0.1:*\" }\n",
                _ => "",
            },
            Ct);
        try
        {
            return await BrokerProcess.StartAsync(-1, "-c", file);
        }
        finally
        {
            File.Delete(file);
        }
    }

    private static async Task PublishAsync(RawConnection publisher, string subject, int size, int count, int atOnce)
    {
        string message = $"PUB {subject} {size}\r\n{new string('x', size)}\r\n";
        for (int left = count; left > 0; left -= atOnce)
        {
            int some = Math.Min(left, atOnce);
            await publisher.SendAsync(Encoding.ASCII.GetBytes(new StringBuilder().Insert(0, message, some).Append("PING\r\n").ToString()));
            await publisher.ReadToAsync("PONG\r\n");
        }
    }

    // The number of messages that were queued for ZeroMQ peers, and the number dropped.
    private static async Task<(long Queued, long Dropped)> BridgedAsync(BrokerProcess broker)
    {
        using var http = new HttpClient();
        using var page = JsonDocument.Parse(await http.GetStringAsync(new Uri(new Uri(broker.Ports.Monitoring[0]), "/bridgez"), Ct));
        JsonElement route = page.RootElement.GetProperty("routes")[0];
        return (route.GetProperty("to_zeromq").GetInt64(), route.GetProperty("dropped").GetInt64());
    }

    /// <summary>
    /// Returns the queued bytes of all clients, or 0 while fewer clients than that have queued bytes.
    /// </summary>
    private static async Task<long> PendingAsync(BrokerProcess broker, int waiting)
    {
        using var http = new HttpClient();
        using var page = JsonDocument.Parse(await http.GetStringAsync(new Uri(new Uri(broker.Ports.Monitoring[0]), "/connz?limit=2000"), Ct));
        long[] pending = [.. page.RootElement.GetProperty("connections").EnumerateArray().Select(static c => c.GetProperty("pending_bytes").GetInt64())];
        return pending.Count(static p => p > 0) >= waiting ? pending.Sum() : 0;
    }
}
