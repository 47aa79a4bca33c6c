using System.Net;
using System.Net.Sockets;
using System.Text;
using Broker.Client;

namespace Broker.Testing.Tests;

public sealed class FaultLinkTests : IAsyncLifetime
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly VirtualTime _time = new();
    private readonly List<Socket> _sockets = [];
    private FaultLink _link = null!;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public ValueTask InitializeAsync()
    {
        _listener.Start();
        _link = FaultLink.Open(_listener.LocalEndpoint, _time);
        return ValueTask.CompletedTask;
    }

    public async ValueTask DisposeAsync()
    {
        await _link.DisposeAsync();
        _sockets.ForEach(s => s.Dispose());
        _listener.Dispose();
    }

    [Fact]
    public async Task Bytes_pass_unchanged_in_both_directions()
    {
        (Socket client, Socket server) = await ConnectAsync();
        byte[] many = new byte[1 << 20];
        Random.Shared.NextBytes(many);

        Task send = SendAsync(client, many);
        Assert.Equal(many, await ReceiveAsync(server, many.Length));
        await send;
        await SendAsync(server, "back"u8.ToArray());
        Assert.Equal("back", Encoding.ASCII.GetString(await ReceiveAsync(client, 4)));
        Assert.Equal((1, many.Length, 4L), (_link.Connections, _link.GetPassedBytes(LinkDirection.ToServer), _link.GetPassedBytes(LinkDirection.ToClient)));
    }

    [Fact]
    public async Task The_end_of_one_direction_is_passed_on_and_the_connection_ends_with_both()
    {
        (Socket client, Socket server) = await ConnectAsync();

        client.Shutdown(SocketShutdown.Send);
        Assert.Empty(await ReceiveAsync(server, 1));
        await SendAsync(server, "x"u8.ToArray());
        Assert.Single(await ReceiveAsync(client, 1));
        server.Shutdown(SocketShutdown.Send);
        Assert.Empty(await ReceiveAsync(client, 1));

        await Wait.UntilAsync(() => _link.Connections == 0, "the end of the connection");
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(100_000)]
    public async Task A_cut_after_a_number_of_bytes_lets_exactly_these_pass(int bytes)
    {
        (Socket client, Socket server) = await ConnectAsync();
        byte[] many = new byte[200_000];
        Random.Shared.NextBytes(many);
        Task cut = _link.CutAfterAsync(bytes, LinkDirection.ToServer);

        Task send = SendAsync(client, many);

        Assert.Equal(many[..bytes], await ReceiveAsync(server, many.Length));
        await cut;
        await Assert.ThrowsAsync<SocketException>(async () =>
        {
            await send;
            await ReceiveOrFailAsync(client);
        });
        Assert.Equal(bytes, _link.GetPassedBytes(LinkDirection.ToServer));
        server.Dispose();
        await Wait.UntilAsync(() => _link.Connections == 0, "the end of the connection");
        (Socket next, Socket other) = await ConnectAsync();
        await SendAsync(next, "x"u8.ToArray());
        Assert.Single(await ReceiveAsync(other, 1));
    }

    [Fact]
    public async Task A_cut_is_replaced_by_the_next_one_and_cancelled_with_the_link()
    {
        Task first = _link.CutAfterAsync(1, LinkDirection.ToClient);

        Task second = _link.CutAfterAsync(2, LinkDirection.ToClient);

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);
        await _link.DisposeAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => second);
    }

    [Fact]
    public async Task Connections_reach_the_server_in_the_requested_order()
    {
        Task reordered = _link.ReorderAsync(2, 0, 1);
        Assert.Throws<InvalidOperationException>(() => { _ = _link.ReorderAsync(1, 0); });
        foreach (byte name in "abc"u8.ToArray())
        {
            Assert.False(reordered.IsCompleted);
            Assert.Equal(0, _link.Connections);
            var client = new Socket(SocketType.Stream, ProtocolType.Tcp);
            _sockets.Add(client);
            await client.ConnectAsync(_link.EndPoint, Cancellation);
            await SendAsync(client, [name]);
        }

        await Wait.For(reordered);
        string order = "";
        for (int i = 0; i < 3; i++)
        {
            Socket server = await _listener.AcceptSocketAsync(Cancellation);
            _sockets.Add(server);
            order += Encoding.ASCII.GetString(await ReceiveAsync(server, 1));
        }

        Assert.Equal("cab", order);
        // A later connection is not reordered.
        await ConnectAsync();
    }

    [Fact]
    public async Task Connections_that_wait_for_reordering_are_closed_with_the_link()
    {
        Task reordered = _link.ReorderAsync(1, 0);
        using var client = new Socket(SocketType.Stream, ProtocolType.Tcp);
        await client.ConnectAsync(_link.EndPoint, Cancellation);

        await _link.DisposeAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => reordered);
        await Assert.ThrowsAsync<SocketException>(() => ReceiveOrFailAsync(client));
    }

    [Theory]
    [InlineData]
    [InlineData(1)]
    [InlineData(0, 0)]
    [InlineData(0, 2)]
    public void An_invalid_order_is_refused(params int[] order) => Assert.Throws<ArgumentException>(() => { _ = _link.ReorderAsync(order); });

    [Fact]
    public async Task While_a_direction_is_stalled_nothing_passes_and_everything_passes_afterwards()
    {
        (Socket client, Socket server) = await ConnectAsync();
        _link.Stall(LinkDirection.ToServer);

        await SendAsync(client, "held"u8.ToArray());
        await SendAsync(server, "free"u8.ToArray());
        Assert.Equal("free", Encoding.ASCII.GetString(await ReceiveAsync(client, 4)));
        Assert.Equal(0, _link.GetPassedBytes(LinkDirection.ToServer));
        Assert.Equal(0, server.Available);
        _link.Resume();

        Assert.Equal("held", Encoding.ASCII.GetString(await ReceiveAsync(server, 4)));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(100_000)]
    [InlineData(200_000)]
    public async Task A_stall_after_a_number_of_bytes_lets_exactly_these_pass_and_the_others_when_it_ends(int bytes)
    {
        (Socket client, Socket server) = await ConnectAsync();
        byte[] many = new byte[200_000];
        Random.Shared.NextBytes(many);
        Task stalled = _link.StallAfterAsync(bytes, LinkDirection.ToServer);

        Task send = SendAsync(client, many);

        Assert.Equal(many[..bytes], await ReceiveAsync(server, bytes));
        await Wait.For(stalled);
        await SendAsync(server, "back"u8.ToArray());
        Assert.Equal("back", Encoding.ASCII.GetString(await ReceiveAsync(client, 4)));
        Assert.Equal((1, (long)bytes), (_link.Connections, _link.GetPassedBytes(LinkDirection.ToServer)));
        _link.Resume(LinkDirection.ToServer);
        Assert.Equal(many[bytes..], await ReceiveAsync(server, many.Length - bytes));
        await send;
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_stall_delays_the_end_of_a_connection(bool reset)
    {
        (Socket client, Socket server) = await ConnectAsync();
        _link.Stall(LinkDirection.ToServer);
        client.Close(reset ? 0 : Timeout.Infinite);

        // This gives the link time to pass on the end, if it did: another connection is served meanwhile.
        (Socket other, Socket otherServer) = await ConnectAsync();
        byte[] many = new byte[1 << 20];
        Task send = SendAsync(otherServer, many);
        Assert.Equal(many, await ReceiveAsync(other, many.Length));
        await send;
        Assert.False(server.Poll(0, SelectMode.SelectRead));

        _link.Resume(LinkDirection.ToServer);
        if (reset)
        {
            await Assert.ThrowsAsync<SocketException>(() => ReceiveAsync(server, 1));
        }
        else
        {
            Assert.Empty(await ReceiveAsync(server, 1));
        }
    }

    [Fact]
    public async Task A_planned_stall_and_a_planned_cut_replace_each_other()
    {
        Task cut = _link.CutAfterAsync(1, LinkDirection.ToServer);
        Task stall = _link.StallAfterAsync(2, LinkDirection.ToServer);
        Task other = _link.CutAfterAsync(3, LinkDirection.ToClient);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Wait.For(cut));
        (Socket client, Socket server) = await ConnectAsync();

        await SendAsync(client, "123"u8.ToArray());

        Assert.Equal("12", Encoding.ASCII.GetString(await ReceiveAsync(server, 2)));
        await Wait.For(stall);
        Assert.False(other.IsCompleted);
    }

    [Fact]
    public async Task A_stall_blocks_the_sender_when_the_buffers_are_full()
    {
        (Socket client, Socket server) = await ConnectAsync();
        _link.Stall();
        client.Blocking = false;
        byte[] piece = new byte[64 * 1024];
        long sent = 0;

        // The buffers of the kernel and the link are limited. They are full when no send has succeeded for this many
        // attempts.
        for (int vain = 0; vain < 20;)
        {
            try
            {
                sent += client.Send(piece);
                vain = 0;
            }
            catch (SocketException e) when (e.SocketErrorCode == SocketError.WouldBlock)
            {
                vain++;
                await Task.Delay(5, Cancellation);
            }

            Assert.True(sent < 1 << 30, "The link takes without end.");
        }

        _link.Resume();
        client.Blocking = true;
        client.Shutdown(SocketShutdown.Send);
        long received = 0;
        for (int got; (got = await server.ReceiveAsync(piece, Cancellation)) != 0;)
        {
            received += got;
        }

        Assert.Equal(sent, received);
    }

    [Fact]
    public async Task A_half_close_ends_one_direction_only()
    {
        (Socket client, Socket server) = await ConnectAsync();

        _link.HalfClose(LinkDirection.ToClient);

        Assert.Empty(await ReceiveAsync(client, 1));
        await SendAsync(server, "lost"u8.ToArray());
        await SendAsync(client, "heard"u8.ToArray());
        Assert.Equal("heard", Encoding.ASCII.GetString(await ReceiveAsync(server, 5)));
        Assert.Equal(0, _link.GetPassedBytes(LinkDirection.ToClient));
    }

    [Fact]
    public async Task Delayed_bytes_arrive_after_the_delay_and_in_order()
    {
        (Socket client, Socket server) = await ConnectAsync();
        _link.Delay = TimeSpan.FromSeconds(2);
        await SendAsync(client, "first"u8.ToArray());
        await Wait.UntilAsync(() => _time.Timers == 1, "the first being held back");
        _time.Advance(TimeSpan.FromSeconds(1.999));
        Assert.Equal(0, _link.GetPassedBytes(LinkDirection.ToServer));
        _link.Delay = TimeSpan.Zero;
        await SendAsync(client, " second"u8.ToArray());

        _time.Advance(TimeSpan.FromSeconds(0.001));

        Assert.Equal("first second", Encoding.ASCII.GetString(await ReceiveAsync(server, 12)));
    }

    [Fact]
    public async Task Existing_connections_stay_open_while_new_ones_are_refused()
    {
        (Socket client, Socket server) = await ConnectAsync();
        _link.RefusesConnections = true;
        using var late = new Socket(SocketType.Stream, ProtocolType.Tcp);
        await Assert.ThrowsAsync<SocketException>(async () =>
        {
            await late.ConnectAsync(_link.EndPoint, Cancellation);
            await ReceiveOrFailAsync(late);
        });

        await SendAsync(client, "x"u8.ToArray());

        Assert.Single(await ReceiveAsync(server, 1));
        _link.RefusesConnections = false;
        await ConnectAsync();
    }

    [Fact]
    public async Task Without_a_listening_server_new_connections_are_closed()
    {
        _listener.Stop();
        using var client = new Socket(SocketType.Stream, ProtocolType.Tcp);

        await Assert.ThrowsAsync<SocketException>(async () =>
        {
            await client.ConnectAsync(_link.EndPoint, Cancellation);
            await ReceiveOrFailAsync(client);
        });
    }

    [Fact]
    public async Task Invalid_times_and_counts_are_refused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => _link.Delay = TimeSpan.FromTicks(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => _link.Delay = TimeSpan.FromDays(2));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => _link.CutAfterAsync(-1, LinkDirection.ToServer));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => _link.StallAfterAsync(-1, LinkDirection.ToServer));
    }

    [Fact]
    public async Task A_client_reconnects_through_a_link_that_was_cut_in_the_middle_of_a_message()
    {
        await using TestBroker broker = await TestBroker.StartAsync(cancellationToken: Cancellation);
        await using FaultLink link = broker.OpenLink();
        await using MessageRecorder recorder = await broker.RecordAsync("a", Cancellation);
        TaskCompletionSource back = Wait.Source();
        await using BrokerConnection program = await BrokerConnection.ConnectAsync(
            new ClientOptions
            {
                Servers = [$"nats://{link.Address}"],
                ConnectTimeout = Wait.Limit,
                ReconnectWait = TimeSpan.Zero,
                OnReconnected = _ => back.TrySetResult(),
            },
            Cancellation);
        // PUB and one of the five bytes of the body, without a line end.
        Task cut = link.CutAfterAsync("PUB a 5\r\n1".Length, LinkDirection.ToServer);

        program.Publish("a", "12345"u8);

        await cut;
        await Wait.For(back);
        program.Publish("a", "after"u8);
        await program.FlushAsync(Cancellation);
        await recorder.AssertTextsAsync("after");
        link.Cut();
        await broker.WaitForConnectionsAsync(1, Cancellation);
    }

    private async Task<(Socket Client, Socket Server)> ConnectAsync()
    {
        var client = new Socket(SocketType.Stream, ProtocolType.Tcp);
        _sockets.Add(client);
        await client.ConnectAsync(_link.EndPoint, Cancellation);
        Socket server = await _listener.AcceptSocketAsync(Cancellation);
        _sockets.Add(server);
        await Wait.UntilAsync(() => _link.Connections > 0, "the connection");
        return (client, server);
    }

    private static async Task SendAsync(Socket socket, byte[] bytes)
    {
        for (int sent = 0; sent < bytes.Length;)
        {
            sent += await socket.SendAsync(bytes.AsMemory(sent), Cancellation);
        }
    }

    // Reads until this many bytes have arrived or the stream ends.
    private static async Task<byte[]> ReceiveAsync(Socket socket, int count)
    {
        byte[] bytes = new byte[count];
        int received = 0;
        for (int got; received < count && (got = await socket.ReceiveAsync(bytes.AsMemory(received), Cancellation)) != 0;)
        {
            received += got;
        }

        return bytes[..received];
    }

    private static async Task ReceiveOrFailAsync(Socket socket) => await socket.ReceiveAsync(new byte[1], Cancellation);
}
