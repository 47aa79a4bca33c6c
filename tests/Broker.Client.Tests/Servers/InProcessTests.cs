using Broker.Client.Tests.Support;
using Broker.Server;
using Broker.Transport;

namespace Broker.Client.Tests.Servers;

public sealed class InProcessTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    /// <summary>A minimal server: every PUB to "m" becomes a MSG for subscription 1, and every PING a PONG.</summary>
    private sealed class TinyServer : ConnectionHandler
    {
        public override void OnOpened(Connection connection)
            => connection.GetWriteBuffer(connection.Loop).Write("INFO {\"headers\":true,\"max_payload\":1024} \r\n"u8);

        public override int OnReceived(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
        {
            int at = 0;
            while (bytes[at..].IndexOf((byte)'\n') is var end and >= 0)
            {
                ReadOnlySpan<byte> line = bytes.Slice(at, end + 1);
                if (line.SequenceEqual("PING\r\n"u8))
                {
                    connection.GetWriteBuffer(connection.Loop).Write("PONG\r\n"u8);
                }
                else if (line.StartsWith("PUB m 2"u8))
                {
                    if (bytes.Length - at < line.Length + 4)
                    {
                        break;
                    }

                    connection.GetWriteBuffer(connection.Loop).Write("MSG m 1 2\r\nok\r\n"u8);
                    at += 4;
                }

                at += line.Length;
            }

            return at;
        }

        public override void OnClosed(Connection connection, CloseReason reason, Exception? error)
        {
        }
    }

    // No address was configured, and the default address belongs to another server.
    [Fact]
    public async Task A_server_behind_a_dialer_is_named_by_its_own_name_and_not_by_an_address()
    {
        await using BrokerServer server = await BrokerServer.StartAsync(static o => o.ServerName = "embedded", Token);
        await using (BrokerConnection connection = await Patient.ConnectAsync(new() { Dialer = server.CreateDialer() }, Token))
        {
            Assert.Equal("embedded", connection.Server);
        }

        var never = new Dial((_, _, _) => throw new System.Net.Sockets.SocketException((int)System.Net.Sockets.SocketError.ConnectionRefused));
        ConnectionLostException e = await Assert.ThrowsAsync<ConnectionLostException>(() => BrokerConnection.ConnectAsync(new() { Dialer = never }, Token));
        Assert.EndsWith(" (by the dialer)", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_texts_of_a_loss_and_a_reconnect_behind_a_dialer_contain_no_address()
    {
        await using BrokerServer server = await BrokerServer.StartAsync(static _ => { }, Token);
        TaskCompletionSource<Exception> lost = Wait.Source<Exception>();
        TaskCompletionSource<string> search = Wait.Source<string>();
        Connection? transport = null;
        IDialer inner = server.CreateDialer();
        await using BrokerConnection client = await Patient.ConnectAsync(
            new()
            {
                Dialer = new Dial(async (loop, handler, cancel) => transport = await inner.DialAsync(loop, handler, cancel)),
                OnDisconnected = (_, e) => lost.TrySetResult(e),
                OnReconnecting = (_, at) => search.TrySetResult(at),
            },
            Token);
        transport!.Close();
        Assert.EndsWith(" (by the dialer)", (await Wait.For(lost)).Message, StringComparison.Ordinal);
        Assert.Equal("by the dialer", await Wait.For(search));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_server_in_the_process_is_dialled_without_a_socket(bool sameLoop)
    {
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        using var other = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        int dials = 0;
        TaskCompletionSource found = Wait.Source();
        Connection? serverEnd = null;
        await using BrokerConnection connection = await Patient.ConnectAsync(
            new()
            {
                Loops = group,
                OnReconnected = _ => found.TrySetResult(),
                Dialer = new Dial((loop, handler, _) =>
                {
                    dials++;
                    (Connection first, serverEnd) = InProcessLink.Create(loop, handler, sameLoop ? loop : other[0], new TinyServer());
                    return ValueTask.FromResult(first);
                }),
            },
            Token);
        var counter = new Counter(20_000);
        connection.Subscribe("m", counter.Take);
        for (int i = 0; i < 10_000; i++)
        {
            connection.PublishWithStatus("m"u8, "ok"u8);
        }

        connection.Loop.Post(() =>
        {
            for (int i = 0; i < 10_000; i++)
            {
                connection.PublishWithStatus("m"u8, "ok"u8);
            }
        });
        await counter.Complete;
        serverEnd!.Close();
        await Wait.For(found);
        Assert.Equal(2, dials);
        await connection.FlushAsync(Token);
    }
}
