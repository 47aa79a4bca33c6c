using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Net.WebSockets;
using System.Text;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Serving;

/// <summary>
/// Opens more silent connections than the process may open files, in several rounds. The process survives, the earlier
/// clients are served, and new clients are served after the crowd has left. <c>BROKER_DESCRIPTOR_ROUNDS=100</c> runs
/// 100 rounds over all limits and kinds, and prints how long new clients waited.
/// </summary>
public sealed class OpenFileRoundsTests(SessionCertificates certificates) : IClassFixture<SessionCertificates>
{
    private const int UsualRounds = 7;
    private const int Beyond = 40;
    private const int Logins = 60;
    private const int MostClients = 500;
    private const string Users =
        "authorization { users: [ { user: ada, password: \"$2a$11$LplNGODGjLPzW8CfYqW5Z.RcsdXZHAjAzQzXyNTl9TVnxMzJuZhSS\" }, { user: bob, password: pw } ] }\n";

    private static readonly TimeSpan Hold = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan WaitLimit = Wait.Limit;

    // The first seven rounds cover every kind.
    private static readonly (string Kind, int Limit)[] Crowds =
    [
        ("clear", 256), ("tls", 1024), ("bcrypt", 256), ("http", 1024), ("websocket", 256), ("zeromq", 256), ("most", 1024),
        ("clear", 1024), ("tls", 256), ("bcrypt", 1024), ("http", 256), ("websocket", 1024), ("zeromq", 1024), ("most", 256),
        ("clear", 4096), ("tls", 4096), ("bcrypt", 4096), ("http", 4096), ("websocket", 4096), ("zeromq", 4096), ("most", 4096),
    ];

    private static readonly byte[] WrongPassword = "CONNECT {\"user\":\"ada\",\"pass\":\"wrong\"}\r\nPING\r\n"u8.ToArray();

    private static readonly byte[] Upgrade = Encoding.ASCII.GetBytes(
        "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n");

    private int _source = 1;

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_crowd_beyond_the_limit_of_files_ends_nothing_and_the_next_client_is_served_after_it()
    {
        int rounds = int.TryParse(Environment.GetEnvironmentVariable("BROKER_DESCRIPTOR_ROUNDS"), NumberStyles.None, CultureInfo.InvariantCulture, out int said)
            ? said : UsualRounds;
        for (int i = 0; i < Math.Min(rounds, Crowds.Length); i++)
        {
            await RunAsync(Crowds[i].Kind, Crowds[i].Limit, ((rounds - 1 - i) / Crowds.Length) + 1);
        }
    }

    private async Task RunAsync(string kind, int limit, int rounds)
    {
        DirectoryInfo folder = Directory.CreateTempSubdirectory("crowd-");
        try
        {
            string file = Path.Combine(folder.FullName, "broker.conf");
            await File.WriteAllTextAsync(file, "http: -1\n" + kind switch
            {
                "tls" => $"tls {{ {certificates.ServerKeys} }}\n",
                "bcrypt" => Users,
                "websocket" => "websocket { listen: \"127.0.0.1:-1\", no_tls: true }\n",
                "zeromq" => "zeromq { publishers: \"tcp://127.0.0.1:*\", subscribers: \"tcp://127.0.0.1:*\" }\n",
                "most" => string.Create(CultureInfo.InvariantCulture, $"max_connections: {MostClients}\n"),
                _ => "",
            }, Ct);
            await using var broker = PeerProcess.Start(
                "broker", "prlimit",
                [
                    $"--nofile={limit.ToString(CultureInfo.InvariantCulture)}", .. BrokerProgram.Command,
                    "serve", "-q", "-p", "-1", "-c", file, "--ports_file_dir", folder.FullName,
                ]);
            PortsFile ports = await PortsFile.WaitAsync(folder.FullName, broker);
            // Clients log in at "port". The crowd connects to "door".
            int port = new Uri(kind == "websocket" ? ports.WebSocket[0] : ports.Nats[0]).Port;
            int pages = new Uri(ports.Monitoring[0]).Port;
            int door = kind == "zeromq" ? new Uri(ports.Subscribers[0]).Port : port;
            await using Stream old = await LogInAsync(kind, port);
            await using Stream? oldSubscriber = kind == "zeromq" ? await SubscribeAsync(door) : null;
            var waits = new List<double>();
            var pings = new List<double>();
            for (int round = 0; round < rounds; round++)
            {
                List<Socket> crowd = await GatherAsync(kind, limit, door, pages);
                await Task.Delay(Hold / 2, Ct);
                pings.Add(await TimeAsync(() => PingAsync(old)));
                await (oldSubscriber is null ? Task.CompletedTask : HearAsync(old, oldSubscriber));
                await Task.Delay(Hold / 2, Ct);
                crowd.ForEach(static s => s.Dispose());
                waits.Add(await TimeAsync(() => ServedAsync(broker, kind, port, door, pages)));
                Assert.False(broker.HasExited, broker.Failure("has ended").Message);
                await PingAsync(old);
                await (oldSubscriber is null ? Task.CompletedTask : HearAsync(old, oldSubscriber));
            }

            TestContext.Current.TestOutputHelper?.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $"{kind}, {limit} files, {rounds} rounds: served again after {waits.Average():f0} ms, at most {waits.Max():f0} ms; an old client's PING meanwhile {pings.Max():f0} ms at most"));
            await broker.SignalAsync("TERM");
            Assert.Equal(0, await broker.WaitForExitAsync());
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    // Each crowd connects from another address, because the kernel keeps the ports of closed connections for a while.
    private async Task<List<Socket>> GatherAsync(string kind, int limit, int port, int pages)
    {
        var source = new IPAddress([127, 0, 1, (byte)(_source = (_source % 250) + 1)]);
        var crowd = new List<Socket>();
        for (int i = 0; i < limit + Beyond; i++)
        {
            var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            crowd.Add(socket);
            socket.Bind(new IPEndPoint(source, 0));
            try
            {
                await socket.ConnectAsync(new IPEndPoint(IPAddress.Loopback, kind == "http" && i % 2 == 0 ? pages : port), Ct).AsTask().WaitAsync(WaitLimit, Ct);
                if (i < Logins && kind is ("bcrypt" or "websocket" or "zeromq"))
                {
                    await socket.SendAsync(kind switch { "bcrypt" => WrongPassword, "websocket" => Upgrade, _ => Greeting() }, Ct);
                }
            }
            catch (SocketException)
            {
                // The server closed the connection during the send.
            }
        }

        return crowd;
    }

    private static async Task ServedAsync(PeerProcess broker, string kind, int port, int door, int pages)
    {
        using var end = CancellationTokenSource.CreateLinkedTokenSource(Ct);
        end.CancelAfter(WaitLimit);
        using var http = new HttpClient();
        while (true)
        {
            try
            {
                await using Stream client = await LogInAsync(kind, port);
                await PingAsync(client);
                if (kind == "zeromq")
                {
                    await using Stream subscriber = await SubscribeAsync(door);
                    await HearAsync(client, subscriber);
                }
                else if (kind == "http")
                {
                    Assert.Equal(HttpStatusCode.OK, (await http.GetAsync(new Uri($"http://127.0.0.1:{pages}/healthz"), end.Token)).StatusCode);
                }

                return;
            }
            catch (Exception e) when (e is IOException or SocketException or HttpRequestException or WebSocketException)
            {
                Assert.False(broker.HasExited, broker.Failure("has ended").Message);
                await Task.Delay(10, end.Token);
            }
        }
    }

    private static async Task<Stream> LogInAsync(string kind, int port)
    {
        if (kind == "websocket")
        {
            var web = new ClientWebSocket();
            try
            {
                await web.ConnectAsync(new Uri(string.Create(CultureInfo.InvariantCulture, $"ws://127.0.0.1:{port}")), Ct);
                var messages = WebSocketStream.Create(web, WebSocketMessageType.Binary, ownsWebSocket: true);
                await ReadToAsync(messages, "\r\n");
                await messages.WriteAsync("CONNECT {\"verbose\":false}\r\n"u8.ToArray(), Ct);
                await PingAsync(messages);
                return messages;
            }
            catch
            {
                web.Dispose();
                throw;
            }
        }

        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        Stream? stream = null;
        try
        {
            await socket.ConnectAsync(IPAddress.Loopback, port, Ct);
            stream = new NetworkStream(socket, ownsSocket: true);
            await ReadToAsync(stream, "\r\n");
            if (kind == "tls")
            {
                var tls = new SslStream(stream, leaveInnerStreamOpen: false, static (_, shown, _, _) => shown?.Subject == "CN=server");
                stream = tls;
                await tls.AuthenticateAsClientAsync(new SslClientAuthenticationOptions { TargetHost = "localhost" }, Ct);
            }

            await stream.WriteAsync("CONNECT {\"verbose\":false,\"user\":\"bob\",\"pass\":\"pw\"}\r\n"u8.ToArray(), Ct);
            await PingAsync(stream);
            return stream;
        }
        catch
        {
            await (stream?.DisposeAsync() ?? default);
            socket.Dispose();
            throw;
        }
    }

    // Connects as a SUB with the subscription "t".
    private static async Task<Stream> SubscribeAsync(int port)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            await socket.ConnectAsync(IPAddress.Loopback, port, Ct);
            var stream = new NetworkStream(socket, ownsSocket: true);
            await stream.WriteAsync(Greeting(), Ct);
            await ReadToAsync(stream, "READY");
            await stream.WriteAsync((byte[])[4, 11, 9, .. "SUBSCRIBE"u8, (byte)'t'], Ct);
            return stream;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    // Publishes repeatedly, because the subscription takes effect some time after it was sent.
    private static async Task HearAsync(Stream publisher, Stream subscriber)
    {
        string marker = Guid.NewGuid().ToString("N");
        Task heard = ReadToAsync(subscriber, marker);
        while (!heard.IsCompleted)
        {
            await publisher.WriteAsync(Encoding.ASCII.GetBytes($"PUB zmq.t {marker.Length}\r\n{marker}\r\n"), Ct);
            await PingAsync(publisher);
            await Task.WhenAny(heard, Task.Delay(10, Ct));
        }

        await heard;
    }

    // The greeting and the READY command of a SUB (RFC 37, mechanism NULL).
    private static byte[] Greeting()
    {
        byte[] greeting = new byte[64];
        greeting[0] = 0xff;
        greeting[9] = 0x7f;
        greeting[10] = 3;
        greeting[11] = 1;
        "NULL"u8.CopyTo(greeting.AsSpan(12));
        return [.. greeting, 4, 25, 5, .. "READY"u8, 11, .. "Socket-Type"u8, 0, 0, 0, 3, .. "SUB"u8];
    }

    private static async Task PingAsync(Stream stream)
    {
        await stream.WriteAsync("PING\r\n"u8.ToArray(), Ct);
        await ReadToAsync(stream, "PONG\r\n");
    }

    private static async Task ReadToAsync(Stream stream, string end)
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(Ct);
        timeout.CancelAfter(WaitLimit);
        byte[] buffer = new byte[16 * 1024];
        var text = new StringBuilder();
        // The server may send its own PING right after the expected text.
        while (!text.ToString().Contains(end, StringComparison.Ordinal))
        {
            int got = await stream.ReadAsync(buffer, timeout.Token);
            if (got == 0)
            {
                throw new IOException($"closed after \"{text}\"");
            }

            text.Append(Encoding.Latin1.GetString(buffer, 0, got));
        }
    }

    private static async Task<double> TimeAsync(Func<Task> work)
    {
        long begin = Stopwatch.GetTimestamp();
        await work();
        return Stopwatch.GetElapsedTime(begin).TotalMilliseconds;
    }
}
