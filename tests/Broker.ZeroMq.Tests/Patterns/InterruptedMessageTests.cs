using System.Net;
using System.Net.Sockets;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Patterns;

/// <summary>Messages that were sent in part when their connection ended.</summary>
public sealed class InterruptedMessageTests
{
    // More than the kernel buffers, so that a part of it is certainly unsent.
    private const int Big = 12_000_000;

    private static readonly ZmtpLimits Small = new(maxFrameSize: 1000, maxMessageSize: 1000);

    [Theory]
    [InlineData("PUSH", RigTransport.Tcp)]
    [InlineData("PUSH", RigTransport.TcpPortable)]
    [InlineData("PUSH", RigTransport.Ipc)]
    [InlineData("DEALER", RigTransport.Tcp)]
    [InlineData("PAIR", RigTransport.Tcp)]
    [InlineData("ROUTER", RigTransport.Tcp)]
    public async Task A_message_that_the_peer_refuses_by_its_size_is_dropped_after_three_retries(string type, RigTransport transport)
    {
        await using var rig = new Rig(transport);
        await using var other = new Rig(transport);
        (LoopSocket refuses, LoopSocket sends, Func<byte[], bool> send) = Make(type, rig, other);
        sends.Connect(refuses.Bind(rig.AnyPort).ToString());
        await other.EventAsync(ZeroMqEventKind.PeerConnected);
        Assert.True(await other.OnLoopAsync(() => send(Wire.Filled(Big)) && send(Wire.Ascii("next"))));
        Assert.Equal("6e657874", await rig.Messages.TakeAsync());

        ZeroMqEvent dropped = await other.EventAsync(ZeroMqEventKind.MessageInterrupted);
        Assert.Equal(1, dropped.Undelivered);
        Assert.Contains($"{Big + 9} bytes", dropped.Reason, StringComparison.Ordinal);
        Assert.Equal((2, 1), (sends.GetCounts().MessagesSent, sends.GetCounts().MessagesDropped));
        Assert.Equal(4, rig.Events.TakeAll().Count(e => e.Kind == ZeroMqEventKind.PeerRefused));
        Assert.Equal(1, (await sends.CloseAsync(TimeSpan.Zero)).Undelivered);
    }

    [Fact]
    public async Task A_request_that_the_peer_refuses_by_its_size_is_dropped_after_three_retries()
    {
        await using var rig = new Rig();
        await using var other = new Rig();
        LoopRep rep = rig.Rep((_, in _) => true, o => o with { Limits = Small });
        LoopReq req = other.Req();
        req.Connect(rep.Bind(rig.AnyPort).ToString());
        Assert.True(await other.OnLoopAsync(() => req.TrySend(Wire.Filled(Big))));
        Assert.Equal(1, (await other.EventAsync(ZeroMqEventKind.MessageInterrupted)).Undelivered);
        Assert.Equal(1, req.GetCounts().MessagesDropped);
    }

    // Each connection takes one message and ends in the middle of the next. So no message is interrupted twice.
    [Fact]
    public async Task Messages_that_arrive_in_the_end_are_not_dropped_however_often_connections_end()
    {
        const int Messages = 8;
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        // A growing receive buffer could take the whole next message, which would be lost with the connection.
        listener.Server.ReceiveBufferSize = 64 * 1024;
        listener.Start();
        await using var rig = new Rig();
        LoopPush push = rig.Push(o => o with { SendHighWaterBytes = 1 << 30 });
        push.Connect($"tcp://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}");
        await rig.DoAsync(() =>
        {
            for (byte i = 0; i < Messages; i++)
            {
                Assert.True(push.TrySend(Wire.Filled(Big, i)));
            }
        });
        for (int i = 0; i < Messages; i++)
        {
            using Socket socket = await listener.AcceptSocketAsync(TestContext.Current.CancellationToken);
            await Task.Run(() => ReadOne(socket, (byte)i), TestContext.Current.CancellationToken);
        }

        Assert.DoesNotContain(rig.Events.TakeAll(), e => e.Kind == ZeroMqEventKind.MessageInterrupted);
        Assert.Equal((Messages, 0), (push.GetCounts().MessagesSent, push.GetCounts().MessagesDropped));
    }

    [Fact]
    public async Task A_peer_that_ends_each_connection_after_the_handshake_is_connected_to_less_and_less_often()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        await using var rig = new Rig();
        LoopPush push = rig.Push();
        push.Connect($"tcp://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}");
        int connections = 0;
        using var ending = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        ending.CancelAfter(TimeSpan.FromSeconds(3));
        try
        {
            while (true)
            {
                using Socket socket = await listener.AcceptSocketAsync(ending.Token);
                ShakeHands(socket);
                connections++;
            }
        }
        catch (OperationCanceledException) when (!TestContext.Current.CancellationToken.IsCancellationRequested)
        {
            // The time is over.
        }

        // Waits of 10, 20, 40 ms and so on, of which at least half passes.
        Assert.InRange(connections, 2, 12);
    }

    private static (LoopSocket Refuses, LoopSocket Sends, Func<byte[], bool> Send) Make(string type, Rig rig, Rig other)
    {
        switch (type)
        {
            case "PUSH":
                LoopPush push = other.Push();
                return (rig.Pull(o => o with { Limits = Small }), push, b => push.TrySend(b));
            case "DEALER":
                LoopDealer dealer = other.Dealer();
                return (rig.Dealer(o => o with { Limits = Small }), dealer, b => dealer.TrySend(b));
            case "PAIR":
                LoopPair pair = other.Pair();
                return (rig.Pair(o => o with { Limits = Small }), pair, b => pair.TrySend(b));
            default:
                LoopRouter router = other.Router();
                LoopDealer refuses = rig.Dealer(o => o with { Limits = Small, RoutingId = Wire.Ascii("id") });
                return (refuses, router, b => router.SendTo("id"u8, b) == RouteResult.Sent);
        }
    }

    private static void ShakeHands(Socket socket)
    {
        socket.Send(Wire.Join(Wire.Greeting(), Wire.Ready("PULL")));
        Read(socket, Wire.Join(Wire.Greeting(), Wire.Ready("PUSH")).Length);
    }

    private static void ReadOne(Socket socket, byte expected)
    {
        ShakeHands(socket);
        byte[] message = Read(socket, Big + 9);
        Assert.Equal(expected, message[^1]);
        // The first bytes of the next one, if there is one.
        socket.ReceiveTimeout = 200;
        try
        {
            socket.Receive(new byte[100]);
        }
        catch (SocketException)
        {
            // It was the last one.
        }
    }

    private static byte[] Read(Socket socket, int count)
    {
        byte[] all = new byte[count];
        for (int at = 0; at < count;)
        {
            int got = socket.Receive(all, at, count - at, SocketFlags.None);
            Assert.NotEqual(0, got);
            at += got;
        }

        return all;
    }
}
