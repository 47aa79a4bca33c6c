using System.Net;
using System.Net.Sockets;

namespace Broker.Transport.Tests;

public sealed class EchoTests
{
    private sealed class Echo : ConnectionHandler
    {
        public override int OnReceived(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
        {
            connection.GetStage(connection.Loop).Write(bytes);
            return bytes.Length;
        }

        public override void OnClosed(Connection connection, CloseReason reason, Exception? error)
        {
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_is_sent_comes_back_whole_and_in_order(bool portable)
    {
        using var group = new EventLoopGroup(new EventLoopOptions { ForcePortable = portable });
        using Listener listener = Listener.Start(group, new IPEndPoint(IPAddress.Loopback, 0), (_, _) => new Echo());
        using var client = new Socket(SocketType.Stream, ProtocolType.Tcp) { ReceiveTimeout = 10_000 };
        client.Connect(listener.EndPoint);
        byte[] sent = new byte[3_000_000];
        new Random(1).NextBytes(sent);
        var sending = new Thread(() => client.Send(sent));
        sending.Start();
        byte[] received = new byte[sent.Length];
        for (int at = 0; at < received.Length;)
        {
            int got = client.Receive(received, at, received.Length - at, SocketFlags.None);
            Assert.NotEqual(0, got);
            at += got;
        }

        sending.Join();
        Assert.Equal(sent, received);
    }
}
