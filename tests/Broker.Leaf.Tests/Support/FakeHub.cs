using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Broker.Leaf.Tests.Support;

/// <summary>A hub that a test speaks for, line by line.</summary>
internal sealed class FakeHub : IAsyncDisposable
{
    internal const string Nonce = "a nonce";

    internal const string Info =
        """INFO {"server_id":"H","nonce":"a nonce","server_name":"fake","client_id":7,"headers":true,"max_payload":1048576,"info_on_connect":true,"leafnode_urls":["127.0.0.1:1"]}""";

    private const string Ended = "(end)";

    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private TcpClient? _client;
    private StreamReader? _reader;

    internal FakeHub() => _listener.Start();

    internal string Url => $"nats-leaf://{_listener.LocalEndpoint}";

    /// <summary>Accepts the next connection of the link.</summary>
    internal async Task AcceptAsync()
    {
        _client?.Dispose();
        _client = await _listener.AcceptTcpClientAsync(TestContext.Current.CancellationToken).AsTask().WaitAsync(Wait.Limit);
        _reader = new StreamReader(_client.GetStream(), Encoding.Latin1);
    }

    /// <summary>Closes the connection.</summary>
    internal void Drop() => _client!.Dispose();

    /// <summary>
    /// Does the handshake and returns the link's CONNECT. On a busy machine the link may give up a connection before
    /// the test has answered, and then connects again.
    /// </summary>
    /// <param name="answer">The content of the second INFO.</param>
    internal async Task<string> ShakeHandsAsync(string answer = "\"connect_info\":true")
    {
        while (true)
        {
            await AcceptAsync();
            try
            {
                await SendAsync(Info + "\r\n");
                string connect = await ReadAsync();
                await SendAsync($"INFO {{{answer}}}\r\n");
                string first = await ReadAsync();
                if (first != Ended)
                {
                    Assert.StartsWith("LS+ $LDS.", first, StringComparison.Ordinal);
                    return connect;
                }
            }
            catch (IOException)
            {
                // The link has closed this connection.
            }
        }
    }

    internal Task SendAsync(string text) => SendAsync(Encoding.Latin1.GetBytes(text));

    internal async Task SendAsync(byte[] bytes) => await _client!.GetStream().WriteAsync(bytes, TestContext.Current.CancellationToken);

    /// <summary>Reads a line.</summary>
    internal async Task<string> ReadAsync()
        => await _reader!.ReadLineAsync(TestContext.Current.CancellationToken).AsTask().WaitAsync(Wait.Limit) ?? Ended;

    /// <summary>Reads the lines that the link has sent before its answer to a PING.</summary>
    internal async Task<List<string>> ReadUntilPongAsync()
    {
        await SendAsync("PING\r\n");
        var lines = new List<string>();
        for (string line = await ReadAsync(); line != "PONG"; line = await ReadAsync())
        {
            Assert.NotEqual(Ended, line);
            lines.Add(line);
        }

        return lines;
    }

    /// <summary>Reads lines until a given one, and returns them with it.</summary>
    internal async Task<List<string>> ReadUntilAsync(string last)
    {
        var lines = new List<string>();
        do
        {
            lines.Add(await ReadAsync());
        }
        while (lines[^1] != last && lines[^1] != Ended);
        return lines;
    }

    public ValueTask DisposeAsync()
    {
        _client?.Dispose();
        _listener.Dispose();
        return ValueTask.CompletedTask;
    }
}
