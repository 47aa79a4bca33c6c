using System.Globalization;
using System.Text;
using System.Text.Json.Nodes;
using Broker.ZeroMq.Tests.Foreign;
using Broker.ZeroMq.Tests.Mechanisms;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Interop;

/// <summary>
/// Identities, frames of all sizes and exact counts between the thread-safe sockets and NetMQ, identities with libzmq
/// too. NetMQ's senders stay open while their messages are counted: NetMQ resets a connection that it closes.
/// </summary>
public sealed class NetMqMessageTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";
    private const int Large = 16 << 20;
    private const int Many = 20_000;
    private const int Size = 64;

    // ZMTP reserves identities that begin with a zero byte. libzmq and NetMQ take them.
    public static TheoryData<string, ForeignKind, bool, bool> Identities => new(
        from id in (string[])["01", "ff00fe0d0a", "00", "0061", "0000000001", new string('7', 2 * 255)]
        from kind in (ForeignKind[])[ForeignKind.NetMq, ForeignKind.Python]
        from weRoute in (bool[])[true, false]
        from weBind in (bool[])[true, false]
        select (id, kind, weRoute, weBind));

    private static ZeroMqSocketOptions Unlimited => new() { SendHighWaterMark = 0, ReceiveHighWaterMark = 0, ReceiveTimeout = Wait.Limit };

    [Theory]
    [MemberData(nameof(Identities))]
    public async Task A_ROUTER_finds_the_other_side_by_an_identity_of_any_bytes(string id, ForeignKind kind, bool weRoute, bool weBind)
    {
        byte[] identity = Convert.FromHexString(id);
        byte[][] said = [[], [0, 255], Wire.Filled(300)];
        await using var host = ForeignHost.Take(kind);
        using MessageSocket own = weRoute
            ? new RouterSocket(new RouterSocketOptions { ReceiveTimeout = Wait.Limit })
            : new DealerSocket(new ZeroMqSocketOptions { RoutingId = identity, ReceiveTimeout = Wait.Limit });
        ForeignSocket other = weRoute
            ? await host.SocketAsync("DEALER", ("IDENTITY", new JsonArray(id)))
            : await host.SocketAsync("ROUTER");
        await MeetAsync(own, other, weBind);
        if (own is RouterSocket router)
        {
            Assert.True(await other.SendAsync(said));
            using var message = new ZeroMqMessage();
            router.Receive(message);
            Assert.Equal([identity, .. said], message.ToArrays());
            router.Send(message);
            Assert.Equal(ForeignSocket.Show(said).ToJsonString(), await other.ReceiveAsync());
            return;
        }

        var dealer = (DealerSocket)own;
        dealer.Send(Array.ConvertAll(said, frame => new ReadOnlyMemory<byte>(frame)));
        string? got = await other.ReceiveAsync();
        Assert.Equal(ForeignSocket.Show([identity, .. said]).ToJsonString(), got);
        Assert.True(await other.SendAsync(JsonNode.Parse(got!)!.AsArray()));
        Assert.Equal(said, dealer.ReceiveFrames());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_peer_without_an_identity_gets_one_of_a_zero_and_four_bytes(bool weRoute)
    {
        await using var routers = ForeignHost.Take(weRoute ? ForeignKind.Ours : ForeignKind.NetMq);
        await using var dealers = ForeignHost.Take(weRoute ? ForeignKind.NetMq : ForeignKind.Ours);
        ForeignSocket router = await routers.SocketAsync("ROUTER");
        ForeignSocket dealer = await dealers.SocketAsync("DEALER");
        await dealer.ConnectAsync(await router.BindAsync(AnyPort));
        Assert.True(await dealer.SendAsync([[1]]));
        JsonArray got = JsonNode.Parse((await router.ReceiveAsync())!)!.AsArray();
        byte[] identity = Convert.FromHexString((string)got[0]!);
        Assert.Equal((5, 0), (identity.Length, identity[0]));
        Assert.True(await router.SendAsync(got));
        Assert.Equal("""["01"]""", await dealer.ReceiveAsync());
    }

    [Theory]
    [InlineData("NULL", true)]
    [InlineData("NULL", false)]
    [InlineData("CURVE", true)]
    [InlineData("CURVE", false)]
    public async Task A_message_with_a_frame_of_16_MiB_and_empty_frames_passes(string mechanism, bool weSend)
    {
        byte[][] said = [[], Wire.Filled(Large, 7), [], Wire.Ascii("end"), []];
        await using var senders = ForeignHost.Take(weSend ? ForeignKind.Ours : ForeignKind.NetMq);
        await using var receivers = ForeignHost.Take(weSend ? ForeignKind.NetMq : ForeignKind.Ours);
        ForeignSocket push = await senders.SocketAsync("PUSH", ForeignSecurity.Client(mechanism));
        ForeignSocket pull = await receivers.SocketAsync("PULL", mechanism == "CURVE" ? ForeignSecurity.Server(mechanism) : []);
        await push.ConnectAsync(await pull.BindAsync(AnyPort));
        Assert.True(await push.SendAsync(said));
        Assert.Equal(ForeignSocket.Show(said).ToJsonString(), await pull.ReceiveAsync());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_PUSH_delivers_each_of_20000_messages_once_and_in_order(bool weBind)
    {
        await using var host = ForeignHost.Take(ForeignKind.NetMq);
        using var push = new PushSocket();
        ForeignSocket pull = await host.SocketAsync("PULL");
        await MeetAsync(push, pull, weBind);
        Task<int> receiving = pull.ReceiveNumbersAsync(Many);
        await Wait.For(Task.Run(() => SendNumbers(push), TestContext.Current.CancellationToken));
        Assert.Equal(Many, await receiving);
        Assert.Null(await pull.ReceiveAsync(timeout: 0));

        using var ownPull = new PullSocket(Unlimited);
        ForeignSocket theirPush = await host.SocketAsync("PUSH");
        await MeetAsync(ownPull, theirPush, weBind);
        Task<int> sending = theirPush.SendNumbersAsync(Many, Size);
        await Wait.For(Task.Run(() => ReceiveNumbers(ownPull), TestContext.Current.CancellationToken));
        Assert.Equal(Many, await sending);
        Assert.False(ownPull.HasMessages);
    }

    // The high-water marks are off, so that no publisher drops messages.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_subscriber_receives_each_of_20000_messages_once_and_in_order(bool weBind)
    {
        await using var host = ForeignHost.Take(ForeignKind.NetMq);
        using var pub = new XPublisherSocket(new XPublisherSocketOptions { SendHighWaterMark = 0, ReceiveTimeout = Wait.Limit });
        ForeignSocket sub = await host.SocketAsync("SUB", ("RCVHWM", 0));
        await sub.SubscribeAsync();
        await MeetAsync(pub, sub, weBind);
        Assert.Equal([1], pub.ReceiveBytes());
        Task<int> receiving = sub.ReceiveNumbersAsync(Many);
        await Wait.For(Task.Run(() => SendNumbers(pub), TestContext.Current.CancellationToken));
        Assert.Equal(Many, await receiving);

        using var ownSub = new SubscriberSocket(Unlimited);
        ForeignSocket theirPub = await host.SocketAsync("XPUB", ("SNDHWM", 0));
        ownSub.Subscribe("");
        await MeetAsync(ownSub, theirPub, weBind);
        Assert.Equal("""["01"]""", await theirPub.ReceiveAsync());
        Task<int> sending = theirPub.SendNumbersAsync(Many, Size);
        await Wait.For(Task.Run(() => ReceiveNumbers(ownSub), TestContext.Current.CancellationToken));
        Assert.Equal(Many, await sending);
        Assert.False(ownSub.HasMessages);
    }

    private static async Task MeetAsync(MessageSocket own, ForeignSocket other, bool weBind)
    {
        if (weBind)
        {
            await other.ConnectAsync(own.Bind(AnyPort));
        }
        else
        {
            own.Connect(await other.BindAsync(AnyPort));
        }
    }

    private static void SendNumbers<TSocket>(TSocket socket)
        where TSocket : MessageSocket, ISendingSocket
    {
        for (int i = 0; i < Many; i++)
        {
            byte[] message = new byte[Size];
            _ = Encoding.ASCII.GetBytes(i.ToString(CultureInfo.InvariantCulture), message);
            socket.Send(message);
        }
    }

    private static void ReceiveNumbers<TSocket>(TSocket socket)
        where TSocket : MessageSocket, IReceivingSocket
    {
        byte[] message = new byte[Size];
        for (int i = 0; i < Many; i++)
        {
            Assert.Equal(Size, socket.Receive(message));
            Assert.Equal(i, int.Parse(message.AsSpan(0, message.AsSpan().IndexOf((byte)0)), CultureInfo.InvariantCulture));
        }
    }
}
