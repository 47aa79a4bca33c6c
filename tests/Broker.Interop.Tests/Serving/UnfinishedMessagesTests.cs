using System.Buffers.Binary;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Serving;

/// <summary>
/// Tests a limited heap with received messages that are never or slowly completed, and with endless subscriptions. A
/// failed allocation would end the broker.
/// </summary>
public sealed class UnfinishedMessagesTests
{
    private const int Size = 1024 * 1024;
    private const int OfEachKind = 150;
    private const string Connect = "CONNECT {\"verbose\":false}\r\n";

    private const string Configuration = """
        http: "127.0.0.1:-1"
        websocket { listen: "127.0.0.1:-1", no_tls: true }
        zeromq { publishers: "bind tcp://127.0.0.1:*", subscribers: "bind tcp://127.0.0.1:*", routes: [
          { pattern: pushpull, name: pipe, subject: pipe, pushers: "bind tcp://127.0.0.1:PUSH_PORT", pullers: "bind tcp://127.0.0.1:*" }
        ] }
        """;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(128 << 20)]
    [InlineData(200_000_000)]
    [InlineData(512 << 20)]
    public async Task Unfinished_messages_of_all_kinds_of_peers_end_nothing_and_an_honest_pair_loses_nothing(long heap)
    {
        const int Rounds = 40;
        await using Limited limited = await Limited.StartAsync(heap);
        BrokerProcess broker = limited.Broker;
        using RawConnection honest = await SubscribeAsync(broker, "honest");
        var attack = Task.WhenAll(
            UnfinishedAsync(broker.Port, _ => (Connect, $"PUB a {Size}\r\n")),
            UnfinishedAsync(new Uri(broker.Ports.WebSocket[0]).Port, static _ => ("", "")),
            UnfinishedAsync(new Uri(broker.Publishers).Port, static _ => ("PUB", "")),
            UnfinishedAsync(limited.PushPort, static _ => ("PUSH", "")));
        byte[] batch = Encoding.Latin1.GetBytes(string.Concat(Enumerable.Repeat($"PUB honest 2000\r\n{new string('x', 2000)}\r\n", 50)));
        int heard = ("MSG honest 1 2000\r\n".Length + 2002) * 50;
        for (int round = 0; round < Rounds || !attack.IsCompleted; round++)
        {
            await Task.WhenAll(honest.SendAsync(batch), honest.ReadExactlyAsync(heard));
        }

        await attack;
        JsonElement page = await limited.VarzAsync();
        Assert.InRange(page.GetProperty("received_bytes").GetInt64(), 0, page.GetProperty("max_received_bytes").GetInt64() + (4 * Size));
        Assert.Equal(heap / 4, page.GetProperty("max_received_bytes").GetInt64());
        Assert.False(broker.Process.HasExited, broker.Process.Errors);
    }

    [Theory]
    [InlineData(128 << 20)]
    [InlineData(200_000_000)]
    public async Task All_messages_of_a_hundred_publishers_on_a_slow_link_arrive(long heap)
    {
        const int Publishers = 100;
        await using Limited limited = await Limited.StartAsync(heap);
        using RawConnection subscriber = await SubscribeAsync(limited.Broker, "slow");
        Task reading = subscriber.ReadExactlyAsync(($"MSG slow 1 {Size}\r\n".Length + Size + 2) * Publishers);
        await Task.WhenAll(Enumerable.Range(0, Publishers).Select(_ => PublishSlowlyAsync(limited.Broker)));
        await reading.WaitAsync(TimeSpan.FromMinutes(2), Cancellation);
        Assert.Equal(0, (await limited.VarzAsync()).GetProperty("receive_closed").GetInt64());
    }

    [Theory]
    [InlineData(16)]
    [InlineData(3000)]
    public async Task Endless_subscriptions_of_one_client_are_refused_before_the_heap_is_full(int length)
    {
        await using Limited limited = await Limited.StartAsync(200_000_000);
        using RawConnection greedy = await limited.Broker.ConnectRawAsync();
        await greedy.SendAsync(Connect);
        // A client that does not read the refusals is closed as too slow, and its subscriptions end with it.
        _ = greedy.DiscardAsync();
        string end = new('y', length);
        for (int first = 0; first < 1_200_000 && first * (long)length < 600_000_000; first += 1000)
        {
            await greedy.SendAsync(string.Concat(Enumerable.Range(first, 1000).Select(i => string.Create(CultureInfo.InvariantCulture, $"SUB s.{i}.{end} {i}\r\n"))));
        }

        using RawConnection honest = await SubscribeAsync(limited.Broker, "honest", mayBeRefused: true);
        await honest.SendAsync("PING\r\n");
        await honest.ReadToAsync("PONG\r\n");
        Assert.False(limited.Broker.Process.HasExited, limited.Broker.Process.Errors);
        JsonElement page = await limited.VarzAsync();
        Assert.InRange(page.GetProperty("subscriptions").GetInt64(), 1000, page.GetProperty("max_subscriptions").GetInt64() + 100);
    }

    private static async Task<RawConnection> SubscribeAsync(BrokerProcess broker, string subject, bool mayBeRefused = false)
    {
        RawConnection client = await broker.ConnectRawAsync();
        await client.SendAsync($"{Connect}SUB {subject} 1\r\nPING\r\n");
        string answer = await client.ReadToAsync("PONG\r\n");
        Assert.True(mayBeRefused || !answer.Contains("-ERR", StringComparison.Ordinal), answer);
        return client;
    }

    private static async Task PublishSlowlyAsync(BrokerProcess broker)
    {
        const int Parts = 16;
        using RawConnection client = await broker.ConnectRawAsync();
        await client.SendAsync($"{Connect}PUB slow {Size}\r\n");
        byte[] part = new byte[Size / Parts];
        for (int i = 0; i < Parts; i++)
        {
            await Task.Delay(100, Cancellation);
            await client.SendAsync(part);
        }

        await client.SendAsync("\r\nPING\r\n");
        await client.ReadToAsync("PONG\r\n");
    }

    // The connections stay open until the test's end: the broker closes those that it does not keep.
    private static async Task UnfinishedAsync(int port, Func<int, (string Begin, string Head)> kind)
    {
        for (int i = 0; i < OfEachKind; i++)
        {
            (string begin, string head) = kind(i);
            var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            await socket.ConnectAsync(IPAddress.Loopback, port, Cancellation);
            byte[] sent = begin switch
            {
                "" => WebSocketMessage(),
                Connect => [.. Encoding.ASCII.GetBytes(begin + head), .. new byte[Size - 10]],
                _ => ZeroMqMessage(begin),
            };
            _ = socket.SendAsync(sent, Cancellation).AsTask().ContinueWith(static sending => _ = sending.Exception, TaskScheduler.Default);
        }
    }

    private static byte[] ZeroMqMessage(string socketType)
    {
        byte[] greeting = new byte[64];
        (greeting[0], greeting[9], greeting[10], greeting[11]) = (0xff, 0x7f, 3, 1);
        "NULL"u8.CopyTo(greeting.AsSpan(12));
        byte[] type = new byte[4];
        BinaryPrimitives.WriteInt32BigEndian(type, socketType.Length);
        byte[] ready = [5, .. "READY"u8, 11, .. "Socket-Type"u8, .. type, .. Encoding.ASCII.GetBytes(socketType)];
        return [.. greeting, 4, (byte)ready.Length, .. ready, 2, .. BigEndian(Size - 100), .. new byte[Size - 200]];
    }

    private static byte[] WebSocketMessage()
    {
        byte[] publish = [.. Encoding.ASCII.GetBytes($"{Connect}PUB a {Size}\r\n"), .. new byte[Size - 10]];
        return
        [
            .. Encoding.ASCII.GetBytes(
                "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"),
            // A masked binary frame with a length of 8 bytes (RFC 6455, section 5.2).
            0x82, 0xff, .. BigEndian(publish.Length), 0, 0, 0, 0, .. publish,
        ];
    }

    private static byte[] BigEndian(long value)
    {
        byte[] bytes = new byte[8];
        BinaryPrimitives.WriteInt64BigEndian(bytes, value);
        return bytes;
    }

    /// <summary>A broker with a limited heap and all its listeners.</summary>
    private sealed class Limited(BrokerProcess broker, int pushPort, DirectoryInfo directory) : IAsyncDisposable
    {
        internal BrokerProcess Broker => broker;

        internal int PushPort => pushPort;

        internal static async Task<Limited> StartAsync(long heap)
        {
            DirectoryInfo directory = Directory.CreateTempSubdirectory("broker-unfinished-");
            int push = FreePort();
            string file = Path.Combine(directory.FullName, "broker.conf");
            await File.WriteAllTextAsync(file, Configuration.Replace("PUSH_PORT", push.ToString(CultureInfo.InvariantCulture), StringComparison.Ordinal), Cancellation);
            return new Limited(await BrokerProcess.StartWithHeapLimitAsync(heap, "-c", file), push, directory);
        }

        private static int FreePort()
        {
            using var listener = new TcpListener(IPAddress.Loopback, 0);
            listener.Start();
            return ((IPEndPoint)listener.LocalEndpoint).Port;
        }

        internal async Task<JsonElement> VarzAsync()
        {
            using var http = new HttpClient();
            using var page = JsonDocument.Parse(await http.GetStringAsync(new Uri(new Uri(broker.Ports.Monitoring[0]), "/varz"), Cancellation));
            return page.RootElement.Clone();
        }

        public async ValueTask DisposeAsync()
        {
            await broker.DisposeAsync();
            directory.Delete(recursive: true);
        }
    }
}
