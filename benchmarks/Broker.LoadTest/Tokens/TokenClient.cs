using System.Globalization;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using Broker.LoadTest.Driver;
using Broker.TestKit.Security;

namespace Broker.LoadTest.Tokens;

/// <summary>A client that authenticates by a JWT and reads whole lines.</summary>
internal sealed class TokenClient : IDisposable
{
    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
    private readonly byte[] _buffer = new byte[16 * 1024];
    private readonly StringBuilder _line = new();
    private int _start;
    private int _end;

    /// <summary>Connects, authenticates and waits for the PONG.</summary>
    public static async Task<TokenClient> OpenAsync(int port, string jwt, JwtKey user, CancellationToken cancellationToken)
    {
        var client = new TokenClient();
        try
        {
            await client._socket.ConnectAsync("127.0.0.1", port, cancellationToken).ConfigureAwait(false);
            string info = await client.ReadLineAsync(cancellationToken).ConfigureAwait(false);
            using var json = JsonDocument.Parse(info["INFO ".Length..]);
            string connect = JwtSite.Connect(jwt, user, json.RootElement.GetProperty("nonce").GetString()!);
            await client.SendAsync(connect + "PING\r\n", cancellationToken).ConfigureAwait(false);
            await client.ReadToPongAsync(cancellationToken).ConfigureAwait(false);
            return client;
        }
        catch
        {
            client.Dispose();
            throw;
        }
    }

    public async Task SendAsync(string text, CancellationToken cancellationToken)
        => await _socket.SendAsync(Encoding.Latin1.GetBytes(text), cancellationToken).ConfigureAwait(false);

    /// <summary>Reads up to the next PONG and returns the other lines, without INFO.</summary>
    public async Task<List<string>> ReadToPongAsync(CancellationToken cancellationToken)
    {
        var lines = new List<string>();
        while (true)
        {
            string line = await ReadLineAsync(cancellationToken).ConfigureAwait(false);
            if (line == "PONG")
            {
                return lines;
            }

            if (line == "PING")
            {
                await SendAsync("PONG\r\n", cancellationToken).ConfigureAwait(false);
            }
            else if (!line.StartsWith("INFO ", StringComparison.Ordinal))
            {
                lines.Add(line);
            }
        }
    }

    /// <summary>Sends a request and returns the lines of the answer.</summary>
    public async Task<string> RequestAsync(string subject, string body, CancellationToken cancellationToken)
    {
        await SendAsync(string.Create(CultureInfo.InvariantCulture, $"PUB {subject} answers {body.Length}\r\n{body}\r\n"), cancellationToken).ConfigureAwait(false);
        while (true)
        {
            string line = await ReadLineAsync(cancellationToken).ConfigureAwait(false);
            if (line == "PING")
            {
                await SendAsync("PONG\r\n", cancellationToken).ConfigureAwait(false);
            }
            else if (line.StartsWith("MSG answers ", StringComparison.Ordinal))
            {
                return await ReadLineAsync(cancellationToken).ConfigureAwait(false);
            }
        }
    }

    public void Dispose() => _socket.Dispose();

    private async ValueTask<string> ReadLineAsync(CancellationToken cancellationToken)
    {
        _line.Clear();
        while (true)
        {
            int end = _buffer.AsSpan(_start, _end - _start).IndexOf((byte)'\n');
            if (end >= 0)
            {
                _line.Append(Encoding.Latin1.GetString(_buffer, _start, end));
                _start += end + 1;
                return _line.ToString().TrimEnd('\r');
            }

            _line.Append(Encoding.Latin1.GetString(_buffer, _start, _end - _start));
            _start = 0;
            _end = await _socket.ReceiveAsync(_buffer, cancellationToken).ConfigureAwait(false);
            if (_end == 0)
            {
                throw new DriverException($"The server closed a connection after: {_line}");
            }
        }
    }
}
