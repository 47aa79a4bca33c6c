using System.Text;
using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Draining;

public sealed class DrainTests
{
    private static readonly TimeSpan Long = Wait.Limit;

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    private static byte[] Publishes(int count, int size)
    {
        var text = new StringBuilder();
        for (int i = 0; i < count; i++)
        {
            string body = i.ToString("D8", null).PadRight(size, 'x');
            text.Append("PUB d ").Append(size).Append("\r\n").Append(body).Append("\r\n");
        }

        return Encoding.Latin1.GetBytes(text.ToString());
    }

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    public async Task A_slow_reader_gets_all_that_was_queued_in_order(int loops)
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.LoopOptions = new EventLoopOptions { Loops = loops });
        using var reader = RawClient.Open(server, receiveBuffer: 8192);
        reader.Send("SUB d 1\r\n");
        reader.Sync();
        using var writer = RawClient.Open(server);
        const int Count = 40_000;
        writer.Send(Publishes(Count, 512));
        Assert.Equal("", writer.Sync());
        Task<DrainReport> draining = server.DrainAsync(Long, Ct);
        for (int i = 0; i < Count; i++)
        {
            Assert.Equal(i, int.Parse(Encoding.Latin1.GetString(reader.ReadMessage().Payload.AsSpan(0, 8)), null));
        }

        Assert.Equal("", reader.ReadToEnd());
        reader.Dispose();
        writer.Dispose();
        DrainReport report = await draining;
        Assert.True(report.IsComplete);
        Assert.Equal(default, report);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(300)]
    public async Task Undelivered_bytes_are_reported_exactly(int milliseconds)
    {
        var log = new LogCapture();
        await using BrokerServer server = await Servers.StartAsync(o => o.Logger = log);
        using var reader = RawClient.Open(server, receiveBuffer: 8192);
        reader.Send("SUB d 1\r\n");
        reader.Sync();
        reader.AnswerFirstPing();
        using var writer = RawClient.Open(server);
        const int Count = 40_000;
        const int Size = 512;
        writer.Send(Publishes(Count, Size));
        writer.Sync();
        DrainReport report = await server.DrainAsync(TimeSpan.FromMilliseconds(milliseconds), Ct);
        int each = "MSG d 1 512\r\n".Length + Size + 2;
        long got = reader.CountToEnd();
        Assert.Equal((long)Count * each, report.Bytes + got);
        Assert.Equal(Count - (got / each), report.Messages);
        Assert.Equal(1, report.Connections);
        Assert.False(report.IsComplete);
        Assert.Single(log.Warnings, w => w.Contains("not delivered", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Cancelling_a_drain_closes_at_once_and_counts_undelivered_messages()
    {
        await using BrokerServer server = await Servers.StartAsync();
        using var reader = RawClient.Open(server, receiveBuffer: 8192);
        reader.Send("SUB d 1\r\n");
        reader.Sync();
        using var writer = RawClient.Open(server);
        writer.Send(Publishes(40_000, 512));
        writer.Sync();
        using var cancel = new CancellationTokenSource();
        Task<DrainReport> draining = server.DrainAsync(Timeout.InfiniteTimeSpan, cancel.Token);
        Assert.False(draining.IsCompleted);
        await cancel.CancelAsync();
        DrainReport report = await draining.WaitAsync(Long, Ct);
        Assert.InRange(report.Messages, 1, 40_000);
        Assert.Equal(0, server.Snapshot().Connections);
    }

    [Fact]
    public async Task Messages_that_were_read_before_the_drain_reach_readers_on_other_loops()
    {
        for (int round = 0; round < 4; round++)
        {
            await using BrokerServer server = await Servers.StartAsync(o => o.LoopOptions = new EventLoopOptions { Loops = 4 });
            RawClient[] readers = [.. Enumerable.Range(0, 8).Select(_ => RawClient.Open(server))];
            foreach (RawClient reader in readers)
            {
                reader.Send("SUB d 1\r\n");
                reader.Sync();
            }

            Array.ForEach(readers, r => r.AnswerFirstPing());

            RawClient[] writers = [.. Enumerable.Range(0, 4).Select(_ => RawClient.Open(server))];
            byte[] bytes = Publishes(20_000, 16);
            Thread[] threads = [.. writers.Select(w => new Thread(() => w.SendWhatGoes(Encoding.Latin1.GetString(bytes))))];
            Task<long>[] counts = [.. readers.Select(r => Task.Factory.StartNew(() => r.CountToEnd(), Ct, TaskCreationOptions.LongRunning, TaskScheduler.Default))];
            foreach (Thread thread in threads)
            {
                thread.Start();
            }

            await Wait.UntilAsync(() => server.Snapshot().MessagesIn > 1000 * round, "some messages");
            DrainReport report = await server.DrainAsync(Long, Ct);
            long each = "MSG d 1 16\r\n".Length + 18;
            long[] got = await Task.WhenAll(counts);
            Assert.True(report.IsComplete);
            Assert.All(got, bytes => Assert.Equal(server.Snapshot().MessagesIn * each, bytes));
            foreach (Thread thread in threads)
            {
                thread.Join();
            }

            foreach (RawClient client in readers.Concat(writers))
            {
                client.Dispose();
            }
        }
    }

    [Fact]
    public async Task New_clients_receive_an_error_and_are_closed()
    {
        await using BrokerServer server = await Servers.StartAsync();
        using var slow = RawClient.Open(server, receiveBuffer: 8192);
        slow.Send("SUB d 1\r\n");
        slow.Sync();
        using var writer = RawClient.Open(server);
        writer.Send(Publishes(40_000, 512));
        writer.Sync();
        using var cancel = new CancellationTokenSource();
        Task<DrainReport> draining = server.DrainAsync(Long, cancel.Token);
        using var loops = new EventLoopGroup();
        var heard = new InProcessClient();
        server.ConnectInProcess(loops[0], heard);
        await heard.Closed.WaitAsync(Long, Ct);
        // The error comes after INFO, which every client reads first.
        Assert.EndsWith(" \r\n-ERR 'Server Shutdown'\r\n", heard.Text, StringComparison.Ordinal);
        await cancel.CancelAsync();
        await draining;
    }

    [Fact]
    public async Task Clients_that_disconnect_do_not_delay_a_drain()
    {
        await using BrokerServer server = await Servers.StartAsync();
        RawClient[] readers = [.. Enumerable.Range(0, 20).Select(_ => RawClient.Open(server, receiveBuffer: 8192))];
        foreach (RawClient reader in readers)
        {
            reader.Send("SUB d 1\r\n");
            reader.Sync();
        }

        using var writer = RawClient.Open(server);
        writer.Send(Publishes(5_000, 512));
        writer.Sync();
        Task<DrainReport> draining = server.DrainAsync(TimeSpan.FromMinutes(5), Ct);
        foreach (RawClient reader in readers)
        {
            reader.Dispose();
        }

        DrainReport report = await draining.WaitAsync(Long, Ct);
        Assert.InRange(report.Connections, 0, 20);
    }

    [Fact]
    public async Task A_server_without_clients_is_drained_at_once_and_twice()
    {
        await using BrokerServer server = await Servers.StartAsync();
        Assert.True((await server.DrainAsync(Long, Ct).WaitAsync(Long, Ct)).IsComplete);
        Assert.True((await server.DrainAsync(TimeSpan.Zero, Ct).WaitAsync(Long, Ct)).IsComplete);
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => server.DrainAsync(TimeSpan.FromSeconds(-5), Ct));
    }

    [Fact]
    public async Task A_disposed_server_on_shared_loops_accepts_no_client()
    {
        using var loops = new EventLoopGroup();
        BrokerServer server = await Servers.StartAsync(o => o.Loops = loops);
        using var client = RawClient.Open(server);
        client.Sync();
        await server.DisposeAsync();
        Assert.Equal("", client.ReadToEnd());
        Assert.Equal(0, server.Snapshot().Connections);
        Assert.Throws<ObjectDisposedException>(() => server.ConnectInProcess(loops[0], new InProcessClient()));
    }

    [Fact]
    public async Task Refused_clients_do_not_count_towards_the_limit()
    {
        var log = new LogCapture();
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.MaxConnections = 2;
            o.Logger = log;
        });
        using var first = RawClient.Open(server);
        var second = RawClient.Open(server);
        first.Sync();
        second.Sync();
        // These clients are refused and stay open for a while: they do not read, so the server waits for them.
        RawClient[] refused = [.. Enumerable.Range(0, 10).Select(_ => new RawClient(server.EndPoints[0]))];
        await Wait.UntilAsync(() => log.Warnings.Count(w => w.Contains("refused", StringComparison.Ordinal)) == 10, "ten refusals");
        Assert.Equal(2, server.Snapshot().Connections);
        second.Dispose();
        await Wait.UntilAsync(() => server.Snapshot().Connections == 1, "one place");
        using var third = RawClient.Open(server);
        Assert.Equal("", third.Sync());
        Assert.All(refused, r => Assert.Matches(@"^INFO \{.*\} \r\n-ERR 'maximum connections exceeded'\r\n$", r.ReadToEnd()));
        Array.ForEach(refused, r => r.Dispose());
        await Wait.UntilAsync(() => server.Snapshot().Connections == 2, "the counts balance");
        first.Dispose();
        third.Dispose();
        await Wait.UntilAsync(() => server.Snapshot().Connections == 0, "nobody is left");
    }
}
