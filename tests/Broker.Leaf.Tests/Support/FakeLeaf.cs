using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Broker.Leaf.Tests.Support;

/// <summary>A leaf node that a test speaks for, line by line.</summary>
internal sealed class FakeLeaf : IAsyncDisposable
{
    internal const string Ended = "(end)";

    private readonly TcpClient _client = new();
    private StreamReader _reader = null!;

    private FakeLeaf()
    {
    }

    internal static async Task<FakeLeaf> ConnectAsync(IPEndPoint hub)
    {
        var leaf = new FakeLeaf();
        await leaf._client.ConnectAsync(hub, TestContext.Current.CancellationToken);
        leaf._reader = new StreamReader(leaf._client.GetStream(), Encoding.Latin1);
        return leaf;
    }

    /// <summary>Connects and does the handshake. Returns when messages pass.</summary>
    /// <param name="hub">The address.</param>
    /// <param name="name">The name of the leaf node, and of its cluster.</param>
    /// <param name="more">More fields of the CONNECT.</param>
    internal static async Task<FakeLeaf> JoinAsync(IPEndPoint hub, string name = "fake", string more = "")
    {
        FakeLeaf leaf = await ConnectAsync(hub);
        Assert.StartsWith("INFO {", await leaf.ReadAsync(), StringComparison.Ordinal);
        await leaf.SendAsync($"CONNECT {{\"name\":\"{name}\",\"cluster\":\"{name}\",\"headers\":true{more}}}\r\n");
        Assert.Contains("\"connect_info\":true", await leaf.ReadAsync(), StringComparison.Ordinal);
        Assert.StartsWith("LS+ $LDS.", await leaf.ReadAsync(), StringComparison.Ordinal);
        return leaf;
    }

    internal async Task SendAsync(string text)
        => await _client.GetStream().WriteAsync(Encoding.Latin1.GetBytes(text), TestContext.Current.CancellationToken);

    /// <summary>Sends as much as the hub takes. Returns whether it has taken everything.</summary>
    internal async Task<bool> TrySendAsync(string text)
    {
        try
        {
            await SendAsync(text);
            return true;
        }
        catch (IOException)
        {
            return false;
        }
    }

    /// <summary>Reads a line.</summary>
    internal async Task<string> ReadAsync()
    {
        try
        {
            return await _reader.ReadLineAsync(TestContext.Current.CancellationToken).AsTask().WaitAsync(Wait.Limit) ?? Ended;
        }
        catch (IOException)
        {
            return Ended;
        }
    }

    /// <summary>Reads the lines that the hub has sent before its answer to a PING.</summary>
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

    /// <summary>Reads until the hub closes, and returns the last line before.</summary>
    internal async Task<string> ReadToEndAsync()
    {
        string last = "";
        for (string line = await ReadAsync(); line != Ended; line = await ReadAsync())
        {
            last = line;
        }

        return last;
    }

    public ValueTask DisposeAsync()
    {
        _client.Dispose();
        return ValueTask.CompletedTask;
    }
}
