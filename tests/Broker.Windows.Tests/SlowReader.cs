using System.Net;
using System.Net.Sockets;
using System.Text;
using Broker.Client;

namespace Broker.Windows.Tests;

/// <summary>
/// A subscribed client that reads nothing until the test asks for it, while another client publishes to it.
/// </summary>
internal sealed class SlowReader : IDisposable
{
    private readonly Socket _socket;

    private SlowReader(Socket socket) => _socket = socket;

    /// <summary>Publishes all messages and returns when the server has received them.</summary>
    public static async Task<SlowReader> StartAsync(string nats, int messages, int size)
    {
        // A small receive buffer, so that most messages stay in the server's queue.
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { ReceiveBufferSize = 4096, NoDelay = true };
        await socket.ConnectAsync(IPEndPoint.Parse(nats["nats://".Length..]), TestContext.Current.CancellationToken);
        await socket.SendAsync("CONNECT {\"verbose\":false}\r\nSUB slow 1\r\nPING\r\n"u8.ToArray(), TestContext.Current.CancellationToken);
        var answer = new StringBuilder();
        byte[] bytes = new byte[1];
        while (!answer.ToString().EndsWith("PONG\r\n", StringComparison.Ordinal))
        {
            Assert.Equal(1, await socket.ReceiveAsync(bytes, TestContext.Current.CancellationToken));
            answer.Append((char)bytes[0]);
        }

        await using BrokerConnection sender = await BrokerConnection.ConnectAsync(new ClientOptions { Servers = [nats], ConnectTimeout = Wait.Limit }, TestContext.Current.CancellationToken);
        byte[] body = Encoding.ASCII.GetBytes(new string('x', size));
        for (int i = 0; i < messages; i++)
        {
            await sender.PublishAsync("slow", body, cancellationToken: TestContext.Current.CancellationToken);
        }

        await Wait.For(sender.PingAsync(TestContext.Current.CancellationToken));
        return new SlowReader(socket);
    }

    /// <summary>Reads until the server closes the connection. Returns the number of messages.</summary>
    public async Task<int> ReadToEndAsync()
    {
        using var reader = new StreamReader(new NetworkStream(_socket), Encoding.ASCII);
        int messages = 0;
        while (await Wait.For(reader.ReadLineAsync(TestContext.Current.CancellationToken).AsTask()) is { } line)
        {
            messages += line.StartsWith("MSG slow 1 ", StringComparison.Ordinal) ? 1 : 0;
        }

        return messages;
    }

    public void Dispose() => _socket.Dispose();
}
