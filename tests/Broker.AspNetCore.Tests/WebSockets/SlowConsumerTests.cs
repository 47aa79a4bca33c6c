using System.Net.WebSockets;
using System.Text;
using System.Text.Json;
using Broker.AspNetCore.Tests.Harness;
using Broker.Server;

namespace Broker.AspNetCore.Tests.WebSockets;

/// <summary>The server treats a WebSocket client that does not read like any other slow client.</summary>
public sealed class SlowConsumerTests
{
    private const int Size = 100_000;
    private const long MaxPending = 2 * 1024 * 1024;

    private static readonly NatsWebSocketOptions Plain = new() { NoTls = true };
    private static readonly string Publish = $"PUB flood {Size}\r\n{new string('x', Size)}\r\n";

    [Fact]
    public async Task It_is_closed_counted_and_logged_and_others_lose_nothing()
    {
        var log = new LogLines();
        await using Site site = await Site.StartAsync(
            o =>
            {
                o.MaxPending = MaxPending;
                o.Logger = log;
            },
            sockets: Plain);
        using ClientSocket slow = await SubscribeAsync(site);
        using ClientSocket quick = await SubscribeAsync(site);
        using LineClient publisher = site.Connect();
        for (int i = 0; i < 400; i++)
        {
            publisher.Send(Publish);
            await ReadAsync(quick, $"MSG flood 1 {Size}\r\n".Length + Size + 2);
        }

        await Wait.UntilAsync(() => Task.FromResult(site.Server.Snapshot().SlowConsumers == 1), "it is not counted");
        JsonElement varz = await site.GetAsync("varz");
        Assert.Equal(1, varz.GetProperty("slow_consumers").GetInt64());
        Assert.Equal("Slow Consumer (Pending Bytes)", await ReasonAsync(site));
        await Wait.UntilAsync(() => log.All.Any(l => l.Contains("slow consumer", StringComparison.Ordinal)), "the line of the log");
        await Wait.UntilAsync(() => site.Server.Snapshot().Connections == 2, "the two that are left");
    }

    [Fact]
    public async Task It_is_closed_when_it_takes_nothing_until_the_write_deadline()
    {
        await using Site site = await Site.StartAsync(o => o.WriteDeadline = TimeSpan.FromMilliseconds(300), sockets: Plain);
        using ClientSocket slow = await SubscribeAsync(site);
        using LineClient publisher = site.Connect();
        for (int i = 0; i < 200; i++)
        {
            publisher.Send(Publish);
        }

        publisher.Sync();
        await Wait.UntilAsync(() => Task.FromResult(site.Server.Snapshot().SlowConsumers == 1), "the deadline does not apply");
        Assert.Equal("Slow Consumer (Write Deadline)", await ReasonAsync(site));
    }

    [Theory]
    [InlineData(SlowConsumerPolicy.DropNewest)]
    [InlineData(SlowConsumerPolicy.DropOldest)]
    public async Task It_loses_messages_instead_where_that_is_the_policy(SlowConsumerPolicy policy)
    {
        await using Site site = await Site.StartAsync(
            o =>
            {
                o.MaxPending = MaxPending;
                o.SlowConsumers = policy;
            },
            sockets: Plain);
        using ClientSocket slow = await SubscribeAsync(site);
        using LineClient publisher = site.Connect();
        for (int i = 0; i < 400; i++)
        {
            publisher.Send(Publish);
            publisher.Sync();
        }

        Assert.True(site.Server.Snapshot().Dropped > 0);
        Assert.Equal(0, site.Server.Snapshot().SlowConsumers);
        JsonElement connection = (await site.GetAsync("connz?sort=pending")).GetProperty("connections")[0];
        Assert.InRange(connection.GetProperty("pending_bytes").GetInt64(), 1, MaxPending + (4 * 1024 * 1024));
        // The client is still connected: it receives the remaining messages and then the PONG.
        await slow.SendAsync("PING\r\n");
        await slow.ReadUntilAsync("PONG\r\n");
    }

    [Fact]
    public async Task A_publisher_is_slowed_down_until_its_subscriber_has_read_everything()
    {
        const int Payload = 1_024;
        const int Count = 48_000;
        await using Site site = await Site.StartAsync(
            static o =>
            {
                o.MaxPending = 8 * 1024 * 1024;
                o.WriteDeadline = Timeout.InfiniteTimeSpan;
            },
            sockets: Plain);
        using ClientSocket reader = await SubscribeAsync(site);
        using ClientSocket publisher = await ClientSocket.OpenAsync(site);
        var burst = Task.Run(
            async () =>
            {
                for (int first = 0; first < Count; first += 48)
                {
                    await publisher.SendAsync(string.Concat(Enumerable.Range(first, 48).Select(static i => $"PUB flood {Payload}\r\n{i:D8}{new string('x', Payload - 8)}\r\n")));
                }
            },
            TestContext.Current.CancellationToken);
        await Wait.UntilAsync(() => site.Server.Snapshot().Stalls > 0, "the publisher to be slowed down");
        int frame = $"MSG flood 1 {Payload}\r\n".Length + Payload + 2;
        byte[] text = new byte[64 * 1024];
        int filled = 0;
        for (int next = 0; next < Count;)
        {
            ValueWebSocketReceiveResult got = await reader.Socket.ReceiveAsync(text.AsMemory(filled), TestContext.Current.CancellationToken).AsTask().WaitAsync(Wait.Limit, TestContext.Current.CancellationToken);
            filled += got.Count;
            int at = 0;
            while (filled - at >= frame)
            {
                string line = Encoding.Latin1.GetString(text, at, 32);
                if (line.StartsWith("PING\r\n", StringComparison.Ordinal))
                {
                    at += "PING\r\n".Length;
                    continue;
                }

                Assert.StartsWith($"MSG flood 1 {Payload}\r\n{next:D8}", line, StringComparison.Ordinal);
                at += frame;
                next++;
            }

            text.AsSpan(at, filled - at).CopyTo(text);
            filled -= at;
        }

        await burst;
        await publisher.SendAsync("PING\r\n");
        await publisher.ReadUntilAsync("PONG\r\n");
        ServerSnapshot totals = site.Server.Snapshot();
        Assert.Equal((0L, 0L, (long)Count), (totals.SlowConsumers, totals.Dropped, totals.MessagesOut));
        ConnectionPage page = await site.Server.InspectConnectionsAsync(new ConnectionQuery(), TestContext.Current.CancellationToken);
        Assert.Equal(totals.Stalls, Assert.Single(page.Connections, static c => c.Stalls > 0).Stalls);
    }

    // Reads the only closed connection. The counter changes before the connection appears in the list.
    private static async Task<string?> ReasonAsync(Site site)
    {
        string? reason = null;
        await Wait.UntilAsync(
            async () =>
            {
                JsonElement[] closed = [.. (await site.GetAsync("connz?state=closed")).GetProperty("connections").EnumerateArray()];
                reason = closed.Length == 0 ? null : Assert.Single(closed).GetProperty("reason").GetString();
                return reason is not null;
            },
            "a connection that was closed");
        return reason;
    }

    private static async Task<ClientSocket> SubscribeAsync(Site site)
    {
        ClientSocket client = await ClientSocket.OpenAsync(site);
        await client.SendAsync("SUB flood 1\r\nPING\r\n");
        await client.ReadUntilAsync("PONG\r\n");
        return client;
    }

    private static async Task ReadAsync(ClientSocket client, int bytes)
    {
        byte[] buffer = new byte[64 * 1024];
        while (bytes > 0)
        {
            ValueWebSocketReceiveResult got = await client.Socket.ReceiveAsync(buffer.AsMemory(), TestContext.Current.CancellationToken).AsTask().WaitAsync(Wait.Limit, TestContext.Current.CancellationToken);
            Assert.Equal(WebSocketMessageType.Binary, got.MessageType);
            bytes -= got.Count;
        }
    }
}
