using System.Buffers.Binary;
using System.Globalization;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Text;

namespace Broker.Interop.Tests.Serving;

/// <summary>
/// A subscriber of everything below <c>a</c> that reads nothing and has a small receive buffer in the kernel.
/// </summary>
internal sealed class StoppedReader : IDisposable
{
    private const string Words = "CONNECT {\"verbose\":false}\r\nSUB a.> 1\r\nPING\r\n";
    private const int SmallSegment = 536;

    // TCP_MAXSEG. The kernel of the sender makes its send buffer a multiple of it.
    private const int TcpLevel = 6;
    private const int MaxSegment = 2;

    private readonly Stream _stream;

    private StoppedReader(Stream stream) => _stream = stream;

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    internal static async Task<StoppedReader> OverTcpAsync(int port)
    {
        Stream stream = await ConnectAsync(port);
        await ReadToAsync(stream, "\r\n");
        return await SubscribedAsync(stream);
    }

    internal static async Task<StoppedReader> OverTlsAsync(int port)
    {
        Stream stream = await ConnectAsync(port);
        await ReadToAsync(stream, "\r\n");
        var tls = new SslStream(stream, leaveInnerStreamOpen: false, static (_, shown, _, _) => shown?.Subject == "CN=server");
        await tls.AuthenticateAsClientAsync(new SslClientAuthenticationOptions { TargetHost = "localhost" }, Ct);
        return await SubscribedAsync(tls);
    }

    internal static async Task<StoppedReader> OverWebSocketAsync(int port)
    {
        Stream stream = await ConnectAsync(port);
        await stream.WriteAsync(Encoding.ASCII.GetBytes(
            "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"), Ct);
        await ReadToAsync(stream, "\r\n\r\n");

        // One binary frame, masked with zeros (RFC 6455, section 5.2).
        await stream.WriteAsync((byte[])[0x82, (byte)(0x80 | Words.Length), 0, 0, 0, 0, .. Encoding.ASCII.GetBytes(Words)], Ct);
        await ReadToAsync(stream, "PONG\r\n");
        return new StoppedReader(stream);
    }

    /// <summary>Connects as a SUB for all topics (RFC 37, mechanism NULL).</summary>
    internal static async Task<StoppedReader> OverZeroMqAsync(int port)
    {
        Stream stream = await ConnectAsync(port);
        byte[] greeting = new byte[64];
        greeting[0] = 0xff;
        greeting[9] = 0x7f;
        greeting[10] = 3;
        greeting[11] = 1;
        "NULL"u8.CopyTo(greeting.AsSpan(12));
        byte[] type = new byte[4];
        BinaryPrimitives.WriteInt32BigEndian(type, 3);
        byte[] ready = [5, .. "READY"u8, 11, .. "Socket-Type"u8, .. type, .. "SUB"u8];
        await stream.WriteAsync((byte[])[.. greeting, 4, (byte)ready.Length, .. ready, 4, 10, 9, .. "SUBSCRIBE"u8], Ct);
        await ReadToAsync(stream, "READY");
        return new StoppedReader(stream);
    }

    /// <summary>Reads this number of bytes.</summary>
    internal async Task SkipAsync(int count)
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(Ct);
        timeout.CancelAfter(Wait.Limit);
        await _stream.ReadExactlyAsync(new byte[count], timeout.Token);
    }

    public void Dispose() => _stream.Dispose();

    private static async Task<StoppedReader> SubscribedAsync(Stream stream)
    {
        await stream.WriteAsync(Encoding.ASCII.GetBytes(Words), Ct);
        await ReadToAsync(stream, "PONG\r\n");
        return new StoppedReader(stream);
    }

    private static async Task<Stream> ConnectAsync(int port)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { ReceiveBufferSize = 4096, NoDelay = true };
        byte[] size = new byte[sizeof(int)];
        BinaryPrimitives.WriteInt32LittleEndian(size, SmallSegment);
        socket.SetRawSocketOption(TcpLevel, MaxSegment, size);
        await socket.ConnectAsync(IPAddress.Loopback, port, Ct);
        return new NetworkStream(socket, ownsSocket: true);
    }

    private static async Task ReadToAsync(Stream stream, string end)
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(Ct);
        timeout.CancelAfter(Wait.Limit);
        byte[] buffer = new byte[4096];
        var text = new StringBuilder();
        while (!text.ToString().Contains(end, StringComparison.Ordinal))
        {
            int got = await stream.ReadAsync(buffer, timeout.Token);
            Assert.True(got > 0, string.Create(CultureInfo.InvariantCulture, $"closed after \"{text}\""));
            text.Append(Encoding.Latin1.GetString(buffer, 0, got));
        }
    }
}
