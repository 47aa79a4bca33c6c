using System.Net;
using System.Net.Http.Headers;
using System.Net.Sockets;
using System.Net.WebSockets;
using System.Text;
using Broker.AspNetCore.Tests.Harness;
using Broker.Server;

namespace Broker.AspNetCore.Tests.WebSockets;

public sealed class WebSocketTests
{
    private static readonly NatsWebSocketOptions Plain = new() { NoTls = true };
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(20);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Messages_go_both_ways_between_a_WebSocket_and_a_socket(bool compressed)
    {
        await using Site site = await Site.StartAsync(sockets: new NatsWebSocketOptions { NoTls = true, Compression = compressed });
        using ClientSocket web = await ClientSocket.OpenAsync(
            site, o => o.DangerousDeflateOptions = compressed ? new WebSocketDeflateOptions() : null);
        Assert.Equal("nats", web.Socket.SubProtocol);
        await web.SendAsync("SUB to.web 1\r\nPING\r\n");
        await web.ReadUntilAsync("PONG\r\n");
        using LineClient tcp = site.Connect(more: "SUB to.tcp 7\r\n");
        string large = new('x', 1000);
        tcp.Send($"PUB to.web {large.Length}\r\n{large}\r\n");
        Assert.Contains($"MSG to.web 1 {large.Length}\r\n{large}\r\n", await web.ReadUntilAsync(large + "\r\n"), StringComparison.Ordinal);
        await web.SendAsync("PUB to.tcp 5\r\nhello\r\n");
        Assert.Equal("MSG to.tcp 7 5", tcp.ReadLine());
        Assert.Equal("hello", tcp.ReadLine());
        string connections = await site.Http.GetStringAsync("connz", TestContext.Current.CancellationToken);
        Assert.Contains("\"type\": \"websocket\"", connections, StringComparison.Ordinal);
        Assert.DoesNotContain("\"port\": 0", connections, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_operation_may_be_cut_into_messages_and_frames_anywhere()
    {
        await using Site site = await Site.StartAsync(sockets: Plain);
        using ClientSocket web = await ClientSocket.OpenAsync(site);
        byte[] bytes = "SUB a 1\r\nPUB a 5\r\nhello\r\nPING\r\n"u8.ToArray();
        for (int i = 0; i < bytes.Length; i++)
        {
            await web.SendAsync(bytes.AsMemory(i, 1), endOfMessage: i % 3 == 0 || i == bytes.Length - 1);
        }

        Assert.Contains("MSG a 1 5\r\nhello\r\n", await web.ReadUntilAsync("PONG\r\n"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Large_messages_arrive_whole()
    {
        const int Size = 8 * 1024 * 1024;
        await using Site site = await Site.StartAsync(
            o =>
            {
                o.MaxPayload = Size;
                // On a busy machine this client may become a slow consumer, which this test ignores.
                o.WriteDeadline = Wait.Limit;
            },
            sockets: Plain);
        using ClientSocket web = await ClientSocket.OpenAsync(site);
        string body = string.Concat(Enumerable.Range(0, Size / 8).Select(i => i.ToString("x8", null)));
        await web.SendAsync($"SUB big 1\r\nPUB big {Size}\r\n{body}\r\nPING\r\n");
        string all = await web.ReadUntilAsync("PONG\r\n");
        Assert.Contains($"MSG big 1 {Size}\r\n{body}\r\n", all, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_was_published_before_a_close_frame_is_delivered_and_the_close_is_answered()
    {
        await using Site site = await Site.StartAsync(sockets: Plain);
        using LineClient tcp = site.Connect(more: "SUB last 1\r\n");
        using ClientSocket web = await ClientSocket.OpenAsync(site);
        await web.SendAsync("PUB last 5\r\nwords\r\n");
        await web.Socket.CloseAsync(WebSocketCloseStatus.NormalClosure, "done", TestContext.Current.CancellationToken).WaitAsync(Wait.Limit, TestContext.Current.CancellationToken);
        Assert.Equal(WebSocketState.Closed, web.Socket.State);
        Assert.Equal("MSG last 1 5", tcp.ReadLine());
        await GoneAsync(site, left: 1);
    }

    [Fact]
    public async Task An_error_of_the_server_is_said_before_its_close_frame()
    {
        await using Site site = await Site.StartAsync(sockets: Plain);
        using ClientSocket web = await ClientSocket.OpenAsync(site);
        await web.SendAsync("NONSENSE\r\n");
        await web.ReadUntilAsync("-ERR 'Unknown Protocol Operation'\r\n");
        Assert.Equal(WebSocketCloseStatus.ProtocolError, await web.ReadToEndAsync());
        Assert.Equal("Protocol Violation", web.Socket.CloseStatusDescription);
        await GoneAsync(site);
    }

    [Fact]
    public async Task A_server_that_stops_says_so_in_the_close_frame()
    {
        await using Site site = await Site.StartAsync(sockets: Plain);
        using ClientSocket web = await ClientSocket.OpenAsync(site);
        Task<DrainReport> drained = site.Server.DrainAsync(Wait.Limit, TestContext.Current.CancellationToken);
        Assert.Equal(WebSocketCloseStatus.EndpointUnavailable, await web.ReadToEndAsync());
        Assert.Equal("Server Shutdown", web.Socket.CloseStatusDescription);
        await drained;
    }

    [Theory]
    [InlineData(new byte[] { 0x82, 0x05, 1, 2, 3, 4, 5 }, WebSocketCloseStatus.ProtocolError)] // Not masked.
    [InlineData(new byte[] { 0xF2, 0x80, 1, 2, 3, 4 }, WebSocketCloseStatus.ProtocolError)] // Reserved bits.
    [InlineData(new byte[] { 0x80, 0x80, 1, 2, 3, 4 }, WebSocketCloseStatus.ProtocolError)] // The continuation of nothing.
    [InlineData(new byte[] { 0x81, 0x81, 0, 0, 0, 0, 0xFF }, WebSocketCloseStatus.InvalidPayloadData)] // Text that is no UTF-8.
    [InlineData(new byte[] { 0x82, 0xFE, 0x03, 0xE9, 0, 0, 0, 0 }, WebSocketCloseStatus.MessageTooBig)] // A message of 1,001 bytes.
    public async Task A_frame_that_breaks_the_rules_is_answered_with_the_status_of_the_rule(byte[] frame, WebSocketCloseStatus expected)
    {
        await using Site site = await Site.StartAsync(sockets: new NatsWebSocketOptions { NoTls = true, MaxMessageBytes = 1000 });
        using TcpClient hostile = await UpgradeAsync(site);
        // The rest of the message. The server reads all of it, so no reset can discard the answer.
        byte[] rest = expected == WebSocketCloseStatus.MessageTooBig ? new byte[1001] : [];
        await hostile.GetStream().WriteAsync((byte[])[.. frame, .. rest], TestContext.Current.CancellationToken);
        byte[] head = new byte[2];
        byte[] payload = [];
        do
        {
            await hostile.GetStream().ReadExactlyAsync(head, TestContext.Current.CancellationToken);
            byte[] length = new byte[head[1] == 126 ? 2 : 0];
            await hostile.GetStream().ReadExactlyAsync(length, TestContext.Current.CancellationToken);
            payload = new byte[head[1] == 126 ? (length[0] << 8) | length[1] : head[1]];
            await hostile.GetStream().ReadExactlyAsync(payload, TestContext.Current.CancellationToken);
        }
        while (head[0] != 0x88);

        Assert.Equal(expected, (WebSocketCloseStatus)((payload[0] << 8) | payload[1]));
    }

    [Fact]
    public async Task Text_is_as_good_as_bytes_but_must_be_UTF8()
    {
        await using Site site = await Site.StartAsync(sockets: Plain);
        using ClientSocket web = await ClientSocket.OpenAsync(site);
        await web.SendAsync("PING\r\n"u8.ToArray(), type: WebSocketMessageType.Text);
        await web.ReadUntilAsync("PONG\r\n");
        await web.SendAsync((byte[])[.. "PUB a 1\r\n"u8, 0xFF, .. "\r\n"u8], type: WebSocketMessageType.Text);
        await web.ReadToEndAsync();
        await GoneAsync(site);
    }

    [Fact]
    public async Task A_message_beyond_the_limit_closes_the_connection()
    {
        await using Site site = await Site.StartAsync(sockets: new NatsWebSocketOptions { NoTls = true, MaxMessageBytes = 1000 });
        using ClientSocket web = await ClientSocket.OpenAsync(site);
        await web.SendAsync("PING\r\n" + new string('x', 600));
        await web.SendAsync(new string('x', 390) + "\r\n");
        Task sent = web.SendAsync(new string('x', 1001));
        await web.ReadToEndAsync();
        await sent;
        await GoneAsync(site);
    }

    [Fact]
    public async Task A_compression_bomb_costs_no_memory()
    {
        // 512 MiB of zeros compressed to about 512 KiB: one message of allowed size, with payloads without subscribers.
        const int Payload = 1024 * 1024;
        const int Count = 512;
        await using Site site = await Site.StartAsync(
            sockets: new NatsWebSocketOptions { NoTls = true, Compression = true, MaxMessageBytes = long.MaxValue });
        using ClientSocket web = await ClientSocket.OpenAsync(site, o => o.DangerousDeflateOptions = new WebSocketDeflateOptions());
        byte[] publish = [.. Encoding.ASCII.GetBytes($"PUB bomb {Payload}\r\n"), .. new byte[Payload], .. "\r\n"u8];
        // The first messages load code, rent buffers and grow the heap. This is not a cost of the bomb.
        const int WarmUp = 64;
        for (int i = 0; i < WarmUp; i++)
        {
            await web.SendAsync(publish, endOfMessage: false);
        }

        GC.Collect();
        long before = Environment.WorkingSet;
        long most = before;
        for (int i = WarmUp; i < Count; i++)
        {
            await web.SendAsync(publish, endOfMessage: false);
            if (i % 32 == 0)
            {
                // Garbage is not a cost of the bomb.
                GC.Collect();
            }

            most = Math.Max(most, Environment.WorkingSet);
        }

        await web.SendAsync("PING\r\n");
        await web.ReadUntilAsync("PONG\r\n");
        most = Math.Max(most, Environment.WorkingSet);
        // The memory includes the client in this process.
        Assert.InRange(most - before, 0, 192L * 1024 * 1024);
        Assert.Equal(Count, site.Server.Snapshot().MessagesIn);
    }

    [Fact]
    public async Task A_compression_bomb_beyond_the_limit_is_cut_off()
    {
        await using Site site = await Site.StartAsync(
            sockets: new NatsWebSocketOptions { NoTls = true, Compression = true, MaxMessageBytes = 1024 * 1024 });
        using ClientSocket web = await ClientSocket.OpenAsync(site, o => o.DangerousDeflateOptions = new WebSocketDeflateOptions());
        await web.SendAsync((byte[])[.. "PUB bomb 1000000\r\n"u8, .. new byte[64 * 1024 * 1024]]);
        await web.ReadToEndAsync();
        await GoneAsync(site);
        Assert.InRange(site.Server.Snapshot().BytesIn, 0, 2 * 1024 * 1024);
    }

    [Fact]
    public async Task A_client_that_reads_nothing_is_closed_and_delays_nobody()
    {
        await using Site site = await Site.StartAsync(
            o =>
            {
                o.MaxPending = 4 * 1024 * 1024;
                o.MaxPayload = 1024 * 1024;
            },
            sockets: Plain);
        using ClientSocket web = await ClientSocket.OpenAsync(site);
        await web.SendAsync("SUB flood 1\r\nPING\r\n");
        await web.ReadUntilAsync("PONG\r\n");
        using LineClient tcp = site.Connect();
        string publish = $"PUB flood 500000\r\n{new string('x', 500_000)}\r\n";
        for (int i = 0; i < 100; i++)
        {
            tcp.Send(publish);
        }

        tcp.Sync();
        await GoneAsync(site, left: 1);
    }

    [Fact]
    public async Task A_peer_that_is_gone_without_a_word_is_found()
    {
        await using Site site = await Site.StartAsync(
            o =>
            {
                o.PingInterval = TimeSpan.FromMilliseconds(50);
                o.PingMax = 1;
            },
            sockets: Plain);
        using TcpClient half = await UpgradeAsync(site);
        // The header of a frame with the maximum length.
        byte[] beginning = [0x82, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, .. "PI"u8];
        await half.GetStream().WriteAsync(beginning, TestContext.Current.CancellationToken);
        await GoneAsync(site);
        string closed = await site.Http.GetStringAsync("connz?state=closed", TestContext.Current.CancellationToken);
        Assert.Contains("Stale Connection", closed, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_client_whose_message_arrives_slowly_is_not_stale()
    {
        await using Site site = await Site.StartAsync(
            o =>
            {
                o.PingInterval = TimeSpan.FromSeconds(2);
                o.PingMax = 1;
            },
            sockets: Plain);
        using TcpClient slow = await UpgradeAsync(site);
        CancellationToken cancellation = TestContext.Current.CancellationToken;
        byte[] start = Encoding.ASCII.GetBytes("CONNECT {}\r\nPUB a 204800\r\n");
        // One masked frame with all of it; the mask is zero.
        byte[] header = [0x82, 0xFF, 0, 0, 0, 0, 0, 3, 0x20, (byte)(start.Length + 2), 0, 0, 0, 0];
        await slow.GetStream().WriteAsync(header, cancellation);
        await slow.GetStream().WriteAsync(start, cancellation);
        for (int i = 0; i < 100; i++)
        {
            await Task.Delay(50, cancellation);
            await slow.GetStream().WriteAsync(new byte[2048], cancellation);
        }

        await slow.GetStream().WriteAsync("\r\n"u8.ToArray(), cancellation);
        await Wait.UntilAsync(() => Task.FromResult(site.Server.Snapshot().MessagesIn == 1), "the message does not arrive");
    }

    [Fact]
    public async Task Hostile_frames_close_their_connection_and_no_other()
    {
        await using Site site = await Site.StartAsync(sockets: Plain);
        using ClientSocket web = await ClientSocket.OpenAsync(site);
        byte[][] frames =
        [
            [0x82, 0x05, 1, 2, 3, 4, 5], // Not masked.
            [0x82, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4], // A length below 0.
            [0xF2, 0x80, 1, 2, 3, 4], // Reserved bits.
            [0x83, 0x80, 1, 2, 3, 4], // An operation that is none.
            [0x80, 0x80, 1, 2, 3, 4], // The continuation of nothing.
            [0x89, 0xFE, 0x01, 0x00, 1, 2, 3, 4], // A PING too long.
            [0x09, 0x80, 1, 2, 3, 4], // A PING in parts.
            [0x88, 0x81, 0, 0, 0, 0, 1], // Half a close status.
        ];
        foreach (byte[] frame in frames)
        {
            using TcpClient hostile = await UpgradeAsync(site);
            await hostile.GetStream().WriteAsync(frame, TestContext.Current.CancellationToken);
            await GoneAsync(site, left: 1);
        }

        await web.SendAsync("PING\r\n");
        await web.ReadUntilAsync("PONG\r\n");
    }

    [Fact]
    public async Task Random_frames_close_their_connection_and_no_other()
    {
        await using Site site = await Site.StartAsync(sockets: new NatsWebSocketOptions { NoTls = true, Compression = true });
        var random = new Random(Seed.Next());
        for (int round = 0; round < 50; round++)
        {
            using TcpClient hostile = await UpgradeAsync(site, "Sec-WebSocket-Extensions: permessage-deflate\r\n");
            byte[] bytes = new byte[random.Next(1, 400)];
            random.NextBytes(bytes);
            bytes[0] = (byte)(0x80 | (round % 2 * 0x40) | 2);
            await hostile.GetStream().WriteAsync(bytes, TestContext.Current.CancellationToken);
            hostile.Client.Shutdown(SocketShutdown.Send);
        }

        await GoneAsync(site);
        using ClientSocket web = await ClientSocket.OpenAsync(site);
        await web.SendAsync("PING\r\n");
        await web.ReadUntilAsync("PONG\r\n");
    }

    [Theory]
    [InlineData(true, "", "http://evil.example", HttpStatusCode.Forbidden)]
    [InlineData(true, "", "http://{host}", HttpStatusCode.SwitchingProtocols)]
    [InlineData(true, "", "https://{host}", HttpStatusCode.SwitchingProtocols)]
    [InlineData(true, "", "https://{name}", HttpStatusCode.Forbidden)]
    [InlineData(true, "", "null", HttpStatusCode.Forbidden)]
    [InlineData(true, "", null, HttpStatusCode.SwitchingProtocols)]
    [InlineData(false, "https://app.example", "https://APP.example:443", HttpStatusCode.SwitchingProtocols)]
    [InlineData(false, "https://app.example", "https://app.example.evil", HttpStatusCode.Forbidden)]
    [InlineData(false, "https://app.example", "https://app.example:8443", HttpStatusCode.Forbidden)]
    [InlineData(false, "", "http://evil.example", HttpStatusCode.SwitchingProtocols)]
    public async Task A_browser_comes_in_from_allowed_origins_only(bool same, string allowed, string? origin, HttpStatusCode expected)
    {
        await using Site site = await Site.StartAsync(sockets: new NatsWebSocketOptions
        {
            NoTls = true,
            SameOrigin = same,
            AllowedOrigins = allowed.Length == 0 ? [] : [allowed],
        });
        string? header = origin?.Replace("{host}", site.WebSocketAddress.Authority, StringComparison.Ordinal)
            .Replace("{name}", site.WebSocketAddress.Host, StringComparison.Ordinal);
        Assert.Equal(expected, await AskAsync(site, header is null ? "" : $"Origin: {header}\r\n"));
    }

    [Fact]
    public async Task A_refused_origin_is_logged_with_the_client()
    {
        var log = new LogLines();
        await using Site site = await Site.StartAsync(sockets: new NatsWebSocketOptions { NoTls = true, AllowedOrigins = ["https://app.example"], Logger = log });

        Assert.Equal(HttpStatusCode.Forbidden, await AskAsync(site, "Origin: https://evil.example\u007f\r\n"));

        await Wait.UntilAsync(() => log.All.Count == 1, "the line");
        Assert.Matches(@"^WebSocket client from 127\.0\.0\.1:\d+ refused: the origin https://evil\.example\? is not allowed$", log.All[0]);
    }

    [Theory]
    [InlineData("", HttpStatusCode.SwitchingProtocols)]
    [InlineData("Sec-WebSocket-Protocol: nats\r\n", HttpStatusCode.SwitchingProtocols)]
    [InlineData("Sec-WebSocket-Protocol: mqtt, nats\r\n", HttpStatusCode.SwitchingProtocols)]
    [InlineData("Sec-WebSocket-Protocol: mqtt\r\n", HttpStatusCode.SwitchingProtocols)]
    public async Task The_subprotocol_is_nats_or_none(string header, HttpStatusCode expected)
    {
        await using Site site = await Site.StartAsync(sockets: Plain);
        Assert.Equal(expected, await AskAsync(site, header));
    }

    [Theory]
    [InlineData("https://app.example", "app.example", HttpStatusCode.SwitchingProtocols)]
    [InlineData("https://app.example", "app.example:443", HttpStatusCode.SwitchingProtocols)]
    [InlineData("http://app.example", "app.example", HttpStatusCode.SwitchingProtocols)]
    [InlineData("https://app.example:8443", "app.example:8443", HttpStatusCode.SwitchingProtocols)]
    [InlineData("https://app.example:8443", "app.example", HttpStatusCode.Forbidden)]
    [InlineData("https://other.example", "app.example", HttpStatusCode.Forbidden)]
    [InlineData("https://app.example", "127.0.0.1:4443", HttpStatusCode.Forbidden)]
    public async Task Behind_a_proxy_that_ends_TLS_the_page_of_the_host_that_the_browser_asked_comes_in(
        string origin, string host, HttpStatusCode expected)
    {
        await using Site site = await Site.StartAsync(sockets: new NatsWebSocketOptions { NoTls = true, SameOrigin = true });
        Assert.Equal(expected, await AskAsync(site, $"Origin: {origin}\r\n", host));
    }

    [Fact]
    public async Task Of_those_that_never_ask_so_many_are_kept_and_for_each_beyond_them_the_oldest_is_closed_at_once()
    {
        const int Most = 20;
        const int Beyond = 7;
        // Long enough that no connection is closed by a time limit.
        await using Site site = await Site.StartAsync(
            sockets: new NatsWebSocketOptions { NoTls = true, MostAsking = Most, HandshakeTimeout = TimeSpan.FromDays(1) });
        using ClientSocket before = await ClientSocket.OpenAsync(site);
        TcpClient[] silent = [.. Enumerable.Range(0, Most + Beyond).Select(static _ => new TcpClient())];
        try
        {
            await Task.WhenAll(silent.Select(c => c.ConnectAsync(IPAddress.Loopback, site.WebSocketAddress.Port, TestContext.Current.CancellationToken).AsTask()));
            // The scheduler decides which connections were first.
            await Wait.UntilAsync(() => silent.Count(IsClosed) == Beyond, () => $"{silent.Count(IsClosed)} are closed");

            // The other connections can still send a request. Afterwards they do not block new connections.
            foreach (TcpClient kept in silent.Where(static c => !IsClosed(c)))
            {
                await AskAsync(site, kept);
            }

            await OpensAsync(site);
            await before.SendAsync("PING\r\n");
            await before.ReadUntilAsync("PONG\r\n");
        }
        finally
        {
            Array.ForEach(silent, static c => c.Dispose());
        }
    }

    [Fact]
    public async Task Those_that_never_ask_are_cut_off_in_time_and_do_not_shut_others_out()
    {
        const int Most = 20;
        await using Site site = await Site.StartAsync(
            sockets: new NatsWebSocketOptions { NoTls = true, MostAsking = Most, HandshakeTimeout = TimeSpan.FromSeconds(1) });
        TcpClient[] silent = [.. Enumerable.Range(0, Most).Select(static _ => new TcpClient())];
        try
        {
            foreach (TcpClient client in silent)
            {
                await client.ConnectAsync(IPAddress.Loopback, site.WebSocketAddress.Port, TestContext.Current.CancellationToken);
            }

            byte[] one = new byte[1];
            foreach (TcpClient client in silent)
            {
                Assert.Equal(0, await EndOfAsync(client, one));
            }

            await OpensAsync(site);
        }
        finally
        {
            Array.ForEach(silent, static c => c.Dispose());
        }
    }

    [Fact]
    public async Task Beyond_the_servers_limit_a_client_is_told_so_and_a_limit_raised_by_a_reload_counts()
    {
        await using Site site = await Site.StartAsync(o => o.MaxConnections = 1, sockets: Plain);
        using ClientSocket first = await ClientSocket.OpenAsync(site);
        using (ClientSocket second = await ClientSocket.OpenAsync(site))
        {
            Assert.Equal(WebSocketCloseStatus.PolicyViolation, await second.ReadToEndAsync());
            Assert.Equal("Maximum Connections Exceeded", second.Socket.CloseStatusDescription);
        }

        await site.Server.ReloadAsync(static o => o.MaxConnections = 2);
        using ClientSocket third = await ClientSocket.OpenAsync(site);
        await third.SendAsync("PING\r\n");
        await third.ReadUntilAsync("PONG\r\n");
    }

    [Fact]
    public async Task Without_TLS_it_starts_only_when_that_is_asked_for()
    {
        await using BrokerServer server = await BrokerServer.StartAsync(_ => { }, TestContext.Current.CancellationToken);
        ArgumentException error = await Assert.ThrowsAsync<ArgumentException>(() => NatsWebSocketHost.StartAsync(
            server, new IPEndPoint(IPAddress.Loopback, 0), new NatsWebSocketOptions(), TestContext.Current.CancellationToken));
        Assert.Contains("no_tls", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_page_that_is_no_WebSocket_request_is_refused()
    {
        await using Site site = await Site.StartAsync(sockets: Plain);
        using HttpResponseMessage answer = await site.Http.GetAsync(
            $"http://{site.WebSocketAddress.Authority}/", TestContext.Current.CancellationToken);
        Assert.Equal(HttpStatusCode.BadRequest, answer.StatusCode);
        Assert.Equal(new MediaTypeHeaderValue("text/plain", "utf-8"), answer.Content.Headers.ContentType);
    }

    private static Task GoneAsync(Site site, int left = 0)
        => Wait.UntilAsync(() => Task.FromResult(site.Server.Snapshot().Connections == left), "the connection is not gone");

    private static async Task<int> EndOfAsync(TcpClient client, byte[] buffer)
    {
        try
        {
            return await client.GetStream().ReadAsync(buffer, TestContext.Current.CancellationToken)
                .AsTask().WaitAsync(Wait.Limit, TestContext.Current.CancellationToken);
        }
        catch (IOException e) when (e.InnerException is SocketException { SocketErrorCode: SocketError.ConnectionReset })
        {
            return 0;
        }
    }

    private static async Task<HttpStatusCode> AskAsync(Site site, string headers, string? host = null)
    {
        using TcpClient client = await UpgradeAsync(site, headers, mustSucceed: false, host);
        string line = await ReadLineAsync(client.GetStream());
        return (HttpStatusCode)int.Parse(line.Split(' ')[1], null);
    }

    private static async Task<TcpClient> UpgradeAsync(Site site, string headers = "", bool mustSucceed = true, string? host = null)
    {
        var client = new TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, site.WebSocketAddress.Port, TestContext.Current.CancellationToken);
        await AskAsync(site, client, headers, mustSucceed, host);
        return client;
    }

    private static async Task AskAsync(Site site, TcpClient client, string headers = "", bool mustSucceed = true, string? host = null)
    {
        string request = $"GET / HTTP/1.1\r\nHost: {host ?? site.WebSocketAddress.Authority}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            + $"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n{headers}\r\n";
        await client.GetStream().WriteAsync(Encoding.ASCII.GetBytes(request), TestContext.Current.CancellationToken);
        if (mustSucceed)
        {
            Assert.StartsWith("HTTP/1.1 101", await ReadLineAsync(client.GetStream()), StringComparison.Ordinal);
            while ((await ReadLineAsync(client.GetStream())).Length != 0)
            {
                // The headers of the response.
            }

            await Wait.UntilAsync(() => Task.FromResult(client.Available > 0), "INFO does not come");
        }
    }

    // Kestrel releases a connection's slot shortly after the connection has closed or has become a WebSocket.
    private static async Task OpensAsync(Site site)
    {
        for (int left = (int)(Wait.Limit / Look); left > 0; left--)
        {
            try
            {
                using ClientSocket web = await ClientSocket.OpenAsync(site);
                await web.SendAsync("PING\r\n");
                await web.ReadUntilAsync("PONG\r\n");
                return;
            }
            catch (WebSocketException) when (left > 1)
            {
                await Task.Delay(Look, TestContext.Current.CancellationToken);
            }
        }
    }

    // Closed by the other side: a read returns the end of the stream and no bytes.
    private static bool IsClosed(TcpClient client)
    {
        try
        {
            return client.Client.Poll(0, SelectMode.SelectRead) && client.Available == 0;
        }
        catch (SocketException)
        {
            return true;
        }
    }

    private static async Task<string> ReadLineAsync(NetworkStream stream)
    {
        var line = new StringBuilder();
        byte[] one = new byte[1];
        while (await stream.ReadAsync(one, TestContext.Current.CancellationToken).AsTask().WaitAsync(Wait.Limit, TestContext.Current.CancellationToken) == 1 && one[0] != '\n')
        {
            line.Append((char)one[0]);
        }

        return line.ToString().TrimEnd('\r');
    }
}
