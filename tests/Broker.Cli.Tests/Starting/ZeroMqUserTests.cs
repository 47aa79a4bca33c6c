using System.Net.Sockets;
using System.Text;

namespace Broker.Cli.Tests.Starting;

/// <summary>Tests that ZeroMQ programs have the permissions of their user.</summary>
public sealed class ZeroMqUserTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task A_publisher_publishes_where_its_user_may_and_nowhere_else()
    {
        string heard = "";
        string file = _folder.Write("b.conf", """
            port: -1
            authorization { users: [
              { user: sensor, password: p, permissions { publish: "zmq.a", subscribe: [] } }
              { user: display, password: p, permissions { subscribe: "zmq.>", publish: [] } }
              { user: watch, password: p }
            ] }
            zeromq {
              publishers { endpoint: "tcp://127.0.0.1:*", user: sensor }
              subscribers { endpoint: "tcp://127.0.0.1:*", user: display }
            }
            """);

        RealRun run = await RealRun.Of(async addresses => heard = await SendAsync(addresses, "b", "a"), "serve", "-q", "-c", file);

        Assert.Equal(ExitCode.Success, run.ExitCode);
        Assert.Contains("MSG zmq.a ", heard, StringComparison.Ordinal);
        Assert.DoesNotContain("zmq.b", heard, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("127.0.0.0/8", true)]
    [InlineData("203.0.113.0/24", false)]
    public async Task Who_is_not_of_an_allowed_network_is_turned_away(string allowed, bool isLetIn)
    {
        int received = 0;
        string file = _folder.Write("b.conf", $$"""
            port: -1
            zeromq { publishers { endpoint: "tcp://127.0.0.1:*", allow: "{{allowed}}" }, subscribers: "tcp://127.0.0.1:*" }
            """);

        RealRun run = await RealRun.Of(
            async addresses =>
            {
                using TcpClient client = await ConnectAsync(addresses.ZeroMqPublishers[0]);
                try
                {
                    received = await client.GetStream().ReadAsync(new byte[64], TestContext.Current.CancellationToken);
                }
                catch (IOException)
                {
                    // A reset of the connection also means that it was closed.
                }
            },
            "serve", "-q", "-c", file);

        Assert.Equal((ExitCode.Success, isLetIn), (run.ExitCode, received > 0));
    }

    // Returns the topics that a NATS client receives until the last topic.
    private static async Task<string> SendAsync(ServeAddresses addresses, params string[] topics)
    {
        using TcpClient client = await ConnectAsync(addresses.Nats[0]);
        await WriteAsync(client, "CONNECT {\"user\":\"watch\",\"pass\":\"p\",\"verbose\":false}\r\nSUB zmq.> 1\r\nPING\r\n"u8.ToArray());
        await ReadUntilAsync(client, "PONG");
        using TcpClient publisher = await ConnectAsync(addresses.ZeroMqPublishers[0]);
        await WriteAsync(publisher, Greeting());
        await WriteAsync(publisher, [.. topics.SelectMany(t => (byte[])[1, (byte)t.Length, .. Encoding.ASCII.GetBytes(t), 0, 1, (byte)'x'])]);
        return await ReadUntilAsync(client, $"MSG zmq.{topics[^1]} ");
    }

    // ZMTP 3.0 with the mechanism NULL, and the READY of a PUB.
    private static byte[] Greeting()
    {
        byte[] greeting = new byte[64];
        greeting[0] = 0xFF;
        greeting[8] = 1;
        greeting[9] = 0x7F;
        greeting[10] = 3;
        "NULL"u8.CopyTo(greeting.AsSpan(12));
        byte[] ready = [5, .. "READY"u8, 11, .. "Socket-Type"u8, 0, 0, 0, 3, .. "PUB"u8];
        return [.. greeting, 4, (byte)ready.Length, .. ready];
    }

    private static async Task<TcpClient> ConnectAsync(string address)
    {
        var uri = new Uri(address);
        var client = new TcpClient();
        await client.ConnectAsync(uri.Host, uri.Port, TestContext.Current.CancellationToken);
        return client;
    }

    private static async Task WriteAsync(TcpClient client, byte[] bytes)
        => await client.GetStream().WriteAsync(bytes, TestContext.Current.CancellationToken);

    private static async Task<string> ReadUntilAsync(TcpClient client, string end)
    {
        using var guard = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        guard.CancelAfter(Wait.Limit);
        var text = new StringBuilder();
        byte[] buffer = new byte[4096];
        while (!text.ToString().Contains(end, StringComparison.Ordinal))
        {
            int count = await client.GetStream().ReadAsync(buffer, guard.Token);
            Assert.NotEqual(0, count);
            text.Append(Encoding.ASCII.GetString(buffer, 0, count));
        }

        return text.ToString();
    }
}
