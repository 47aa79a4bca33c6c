using System.Net.WebSockets;
using System.Text;

namespace Broker.AspNetCore.Tests.Harness;

/// <summary>A NATS client on .NET's WebSocket that sends the bytes that a test gives it.</summary>
internal sealed class ClientSocket : IDisposable
{
    private readonly byte[] _buffer = new byte[64 * 1024];
    private readonly StringBuilder _text = new();

    internal ClientWebSocket Socket { get; } = new();

    internal static Task<ClientSocket> OpenAsync(Site site, Action<ClientWebSocketOptions>? set = null, string connect = "{\"verbose\":false}")
        => OpenAsync(site.WebSocketAddress, set, connect);

    internal static async Task<ClientSocket> OpenAsync(
        Uri address, Action<ClientWebSocketOptions>? set = null, string connect = "{\"verbose\":false}", HttpMessageInvoker? invoker = null)
    {
        var client = new ClientSocket();
        client.Socket.Options.AddSubProtocol("nats");
        set?.Invoke(client.Socket.Options);
        await client.Socket.ConnectAsync(address, invoker, TestContext.Current.CancellationToken);
        await client.ReadUntilAsync("INFO {");
        await client.SendAsync($"CONNECT {connect}\r\n");
        return client;
    }

    internal Task SendAsync(string text) => SendAsync(Encoding.Latin1.GetBytes(text));

    internal async Task SendAsync(ReadOnlyMemory<byte> bytes, bool endOfMessage = true, WebSocketMessageType type = WebSocketMessageType.Binary)
        => await Socket.SendAsync(bytes, type, endOfMessage, TestContext.Current.CancellationToken).AsTask().WaitAsync(Wait.Limit, TestContext.Current.CancellationToken);

    /// <summary>Reads until the received text contains the given text. Returns everything that was received.</summary>
    internal async Task<string> ReadUntilAsync(string text)
    {
        // Searches only the new bytes, and as many bytes before them as the text can overlap.
        for (int looked = 0; !_text.ToString(looked, _text.Length - looked).Contains(text, StringComparison.Ordinal);)
        {
            looked = Math.Max(looked, _text.Length - text.Length + 1);
            if (!await ReadAsync())
            {
                // Converted to a text only here, and not at every read: the bytes can be megabytes.
                Assert.Fail($"closed before '{text}' came: {_text}");
            }
        }

        string all = _text.ToString();
        _text.Clear();
        return all;
    }

    /// <summary>
    /// Reads until the connection ends. Returns the status of the close frame; null if none was received.
    /// </summary>
    internal async Task<WebSocketCloseStatus?> ReadToEndAsync()
    {
        try
        {
            while (await ReadAsync())
            {
                // Reads and ignores everything.
            }
        }
        catch (WebSocketException e) when (e.WebSocketErrorCode == WebSocketError.ConnectionClosedPrematurely)
        {
            // A reset is possible, because the server does not read the refused bytes.
            return null;
        }

        return Socket.CloseStatus;
    }

    internal async Task<bool> ReadAsync()
    {
        ValueWebSocketReceiveResult got = await Socket.ReceiveAsync(_buffer.AsMemory(), TestContext.Current.CancellationToken).AsTask().WaitAsync(Wait.Limit, TestContext.Current.CancellationToken);
        if (got.MessageType == WebSocketMessageType.Close)
        {
            return false;
        }

        Assert.Equal(WebSocketMessageType.Binary, got.MessageType);
        _text.Append(Encoding.Latin1.GetString(_buffer, 0, got.Count));
        return true;
    }

    public void Dispose() => Socket.Dispose();
}
