using System.Buffers;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Text.Json;
using Broker.Client;
using Broker.Transport;

namespace Broker.Cli.Bench;

/// <summary>Opens the driver's connections to one server: dials, starts TLS if the server or the user wants it, and logs in.</summary>
/// <param name="address">The server.</param>
/// <param name="options">The credentials, the TLS options and the time-outs.</param>
internal sealed class RawDialer(ServerAddress address, ClientOptions options)
{
    private const int MostHandshakeBytes = 1024 * 1024;

    private readonly ClientTlsContext _tls = new(options.Tls);

    /// <exception cref="ClientException">The server refuses the client.</exception>
    /// <exception cref="IOException">The server cannot be reached, or the TLS handshake fails.</exception>
    /// <exception cref="TimeoutException">The server does not answer in time.</exception>
    public async Task<RawLink> ConnectAsync(CancellationToken stop)
    {
        ConnectCredentials? credentials = options.GetCredentials is { } get ? await get(stop) : null;
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(stop);
        limit.CancelAfter(options.ConnectTimeout);
        // The calls block, because a socket that was ever used asynchronously needs more system calls for each message.
        return await Task.Run(() => Connect(credentials, limit.Token, stop), CancellationToken.None);
    }

    private RawLink Connect(ConnectCredentials? credentials, CancellationToken limit, CancellationToken stop)
    {
        Socket socket = address.IsUnix
            ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
            : new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            using CancellationTokenRegistration end = limit.Register(socket.Dispose);
            socket.Connect(address.EndPoint);
            socket.SendTimeout = options.WriteDeadline > TimeSpan.Zero ? (int)options.WriteDeadline.TotalMilliseconds : 0;
            return Handshake(new NetworkStream(socket, ownsSocket: true), credentials);
        }
        catch (Exception e)
        {
            socket.Dispose();
            stop.ThrowIfCancellationRequested();
            if (limit.IsCancellationRequested)
            {
                throw new TimeoutException($"The server did not answer in time. ({address})", e);
            }

            throw e is SocketException or AuthenticationException ? new IOException($"{e.Message} ({address})", e) : e;
        }
    }

    private RawLink Handshake(Stream stream, ConnectCredentials? credentials)
    {
        var received = new ArrayBufferWriter<byte>();
        if (_tls.IsHandshakeFirst)
        {
            stream = StartTls(stream);
        }

        InfoMessage info = ReadInfo(stream, received);
        if (!_tls.IsHandshakeFirst && (info.TlsRequired || _tls.IsRequired || address.IsTls))
        {
            // Bytes that came unencrypted behind INFO could be an attacker's.
            if (received.WrittenCount > 0)
            {
                throw new IOException($"The server sent more than INFO before TLS. ({address})");
            }

            stream = StartTls(stream);
        }

        var command = new ConnectCommand(options, credentials, address, info.Headers && options.Headers, stream is SslStream, info.Nonce);
        stream.Write([.. "CONNECT "u8, .. JsonSerializer.SerializeToUtf8Bytes(command, HandshakeJson.Default.ConnectCommand), .. "\r\nPING\r\n"u8]);
        for (string line = ReadLine(stream, received); line != "PONG"; line = ReadLine(stream, received))
        {
            if (line.StartsWith("-ERR", StringComparison.Ordinal))
            {
                throw ServerErrorException.For(line["-ERR".Length..].Trim(' ', '\''));
            }
        }

        return new RawLink(stream, received.WrittenMemory, options.WriteDeadline);
    }

    private SslStream StartTls(Stream stream)
    {
        var secured = new SslStream(stream, leaveInnerStreamOpen: false);
        secured.AuthenticateAsClient(_tls.CreateAuthentication(address.TlsHost));
        return secured;
    }

    private InfoMessage ReadInfo(Stream stream, ArrayBufferWriter<byte> received)
    {
        string line = ReadLine(stream, received);
        try
        {
            return line.StartsWith("INFO ", StringComparison.Ordinal) && JsonSerializer.Deserialize(line["INFO ".Length..], HandshakeJson.Default.InfoMessage) is { } info
                ? info
                : throw new IOException($"The first line of the server is not INFO. ({address})");
        }
        catch (JsonException e)
        {
            throw new IOException($"The server's INFO cannot be read. ({address})", e);
        }
    }

    // Returns the next line without its end, and leaves the bytes behind it in the buffer.
    private string ReadLine(Stream stream, ArrayBufferWriter<byte> received)
    {
        int at;
        while ((at = received.WrittenSpan.IndexOf("\r\n"u8)) < 0)
        {
            int count = received.WrittenCount < MostHandshakeBytes ? stream.Read(received.GetSpan(4096)) : 0;
            if (count == 0)
            {
                throw new IOException($"The server closed the connection in the handshake. ({address})");
            }

            received.Advance(count);
        }

        string line = System.Text.Encoding.UTF8.GetString(received.WrittenSpan[..at]);
        byte[] rest = received.WrittenSpan[(at + 2)..].ToArray();
        received.ResetWrittenCount();
        received.Write(rest);
        return line;
    }
}
