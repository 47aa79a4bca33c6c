using System.Globalization;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Net.WebSockets;
using System.Text;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Soak;

/// <summary>
/// A NATS client over TCP, TLS or WebSocket. One task at a time uses it. It fails if the server sends anything except a
/// message, a PING or the expected PONG.
/// </summary>
internal sealed class SoakClient : IDisposable
{
    private const string Hello = "CONNECT {\"verbose\":false,\"headers\":true,\"no_responders\":true}\r\n";

    private readonly Socket? _socket;
    private Stream _stream;
    private byte[] _buffer = new byte[16 * 1024];
    private int _start;
    private int _end;

    private SoakClient(Socket? socket, Stream stream)
    {
        _socket = socket;
        _stream = stream;
    }

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    internal static Task<SoakClient> OpenAsync(BrokerProcess broker) => GreetAsync(OverTcpAsync(broker.Port), secure: false);

    internal static Task<SoakClient> OpenOverTlsAsync(BrokerProcess broker) => GreetAsync(OverTcpAsync(broker.Port), secure: true);

    internal static Task<SoakClient> OpenOverWebSocketAsync(BrokerProcess broker) => GreetAsync(OverWebSocketAsync(broker), secure: false);

    internal Task SendAsync(string text) => SendAsync(Encoding.Latin1.GetBytes(text));

    internal Task SendAsync(ReadOnlyMemory<byte> bytes) => Wait.For(_stream.WriteAsync(bytes, Ct).AsTask());

    /// <summary>Publishes a message, with or without a reply subject.</summary>
    internal Task PublishAsync(string subject, byte[] payload, string reply = "")
        => SendAsync((byte[])[.. Encoding.ASCII.GetBytes(Publication(subject, payload.Length, reply)), .. payload, .. "\r\n"u8]);

    internal Task PublishAsync(string subject, string payload, string reply = "") => PublishAsync(subject, Encoding.ASCII.GetBytes(payload), reply);

    /// <summary>Waits until the server has processed everything sent so far. No message may arrive before.</summary>
    internal async Task FenceAsync()
    {
        await SendAsync("PING\r\n");
        string line = await ReadLineAsync();
        while (line == "PING")
        {
            await SendAsync("PONG\r\n");
            line = await ReadLineAsync();
        }

        Assert.Equal("PONG", line);
    }

    /// <summary>Reads the next message, and answers the server's PINGs before it.</summary>
    internal async Task<SoakMessage> ReadAsync()
    {
        while (true)
        {
            string line = await ReadLineAsync();
            if (line == "PING")
            {
                await SendAsync("PONG\r\n");
                continue;
            }

            string[] words = line.Split(' ');
            Assert.True(words is ["MSG", _, _, _] or ["MSG", _, _, _, _] or ["HMSG", _, _, _, _], $"no message: \"{line}\"");
            int headers = words[0] == "HMSG" ? int.Parse(words[^2], CultureInfo.InvariantCulture) : 0;
            byte[] bytes = await ReadBytesAsync(int.Parse(words[^1], CultureInfo.InvariantCulture) + 2);
            Assert.True(bytes.AsSpan().EndsWith("\r\n"u8), "a payload has another length than its header says");
            return new SoakMessage(words[1], words[2], words is ["MSG", _, _, { } reply, _] ? reply : "", Encoding.Latin1.GetString(bytes, 0, headers), bytes[headers..^2]);
        }
    }

    /// <summary>Closes the connection with a reset.</summary>
    internal void Reset()
    {
        if (_socket is not null)
        {
            _socket.LingerState = new LingerOption(enable: true, seconds: 0);
        }

        Dispose();
    }

    public void Dispose() => _stream.Dispose();

    private static async Task<SoakClient> GreetAsync(Task<SoakClient> connecting, bool secure)
    {
        SoakClient client = await connecting;
        Assert.StartsWith("INFO {", await client.ReadLineAsync(), StringComparison.Ordinal);
        if (secure)
        {
            Assert.Equal(client._start, client._end);
            var secured = new SslStream(client._stream, leaveInnerStreamOpen: false, static (_, shown, _, _) => shown?.Subject == "CN=server");
            client._stream = secured;
            await Wait.For(secured.AuthenticateAsClientAsync(new SslClientAuthenticationOptions { TargetHost = "localhost" }, Ct));
        }

        await client.SendAsync(Hello);
        return client;
    }

    private static string Publication(string subject, int size, string reply)
        => string.Create(CultureInfo.InvariantCulture, $"PUB {subject}{(reply.Length == 0 ? "" : " ")}{reply} {size}\r\n");

    private static async Task<SoakClient> OverTcpAsync(int port)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        await Wait.For(socket.ConnectAsync(IPAddress.Loopback, port, Ct).AsTask());
        return new SoakClient(socket, new NetworkStream(socket, ownsSocket: true));
    }

    private static async Task<SoakClient> OverWebSocketAsync(BrokerProcess broker)
    {
        var socket = new ClientWebSocket();
        await Wait.For(socket.ConnectAsync(new Uri(broker.Ports.WebSocket[0]), Ct));
        return new SoakClient(null, WebSocketStream.Create(socket, WebSocketMessageType.Binary, ownsWebSocket: true));
    }

    private async Task<string> ReadLineAsync()
    {
        while (true)
        {
            int length = _buffer.AsSpan(_start, _end - _start).IndexOf("\r\n"u8);
            if (length >= 0)
            {
                string line = Encoding.Latin1.GetString(_buffer, _start, length);
                _start += length + 2;
                return line;
            }

            await FillAsync();
        }
    }

    private async Task<byte[]> ReadBytesAsync(int count)
    {
        while (_end - _start < count)
        {
            await FillAsync();
        }

        byte[] bytes = _buffer[_start..(_start + count)];
        _start += count;
        return bytes;
    }

    private async Task FillAsync()
    {
        if (_start > 0)
        {
            _buffer.AsSpan(_start, _end - _start).CopyTo(_buffer);
            (_start, _end) = (0, _end - _start);
        }
        else if (_end == _buffer.Length)
        {
            Array.Resize(ref _buffer, 2 * _buffer.Length);
        }

        int got = await Wait.For(_stream.ReadAsync(_buffer.AsMemory(_end), Ct).AsTask());
        Assert.True(got > 0, "the broker closed the connection of a client that did nothing wrong");
        _end += got;
    }
}
