using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Patterns;

/// <summary>What happens to the queue of an incoming peer that disconnects.</summary>
public sealed class LostPeerTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";
    private const int Looks = 50;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Rfc30_a_push_shall_destroy_the_queue_of_a_peer_that_disconnects_and_discard_what_is_in_it(bool portable)
    {
        await using var rig = new Rig(portable: portable);
        LoopPush push = rig.Push(o => o with { SendHighWaterMark = 10 });
        ZeroMqEndpoint endpoint = push.Bind(AnyPort);
        byte[] body = new byte[100_000];
        int sent = 0;
        using (new RawPeer(endpoint).Handshake("PULL"))
        {
            await rig.EventAsync(ZeroMqEventKind.PeerConnected);
            for (int refused = 0; refused < Looks;)
            {
                bool taken = await rig.OnLoopAsync(() => push.TrySend(body));
                sent += taken ? 1 : 0;
                refused = taken ? 0 : refused + 1;
                await Task.Delay(taken ? 0 : 2, TestContext.Current.CancellationToken);
            }
        }

        ZeroMqEvent gone = await rig.EventAsync(ZeroMqEventKind.PeerDisconnected);
        Assert.InRange(gone.Undelivered, 1, sent);
        using RawPeer next = new RawPeer(endpoint).Handshake("PULL");
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        Assert.True(await rig.OnLoopAsync(() => push.TrySend("next"u8)));
        byte[] expected = Wire.Join(Wire.Greeting(), Wire.Ready("PUSH"), Wire.Message(Wire.Ascii("next")));
        Assert.Equal(expected, next.Read(expected.Length));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Rfc29_a_pub_shall_destroy_the_queue_of_a_peer_that_disconnects_and_discard_what_is_in_it(bool portable)
    {
        await using var rig = new Rig(portable: portable);
        LoopPublisher publisher = rig.Publisher(o => o with { HighWaterMessages = 10 });
        ZeroMqEndpoint endpoint = publisher.Bind(AnyPort);
        byte[] body = new byte[100_000];
        using (new RawPeer(endpoint).Handshake("SUB").Send(Wire.Command("SUBSCRIBE", (byte)'s')))
        {
            await rig.InterestAsync("+s");
            while (publisher.MessagesDropped < Looks)
            {
                await rig.PublishAsync(publisher, Wire.Ascii("s"), body);
            }
        }

        ZeroMqEvent gone = await rig.EventAsync(ZeroMqEventKind.PeerDisconnected);
        Assert.InRange(gone.Undelivered, 1, long.MaxValue);
        await rig.InterestAsync("-s");
        using RawPeer next = new RawPeer(endpoint).Handshake("SUB").Send(Wire.Command("SUBSCRIBE", (byte)'s'));
        await rig.InterestAsync("+s");
        Assert.Equal(1, await rig.PublishAsync(publisher, Wire.Ascii("s"), Wire.Ascii("next")));
        byte[] expected = Wire.Join(Wire.Greeting(), Wire.Ready("PUB"), Wire.Message(Wire.Ascii("s"), Wire.Ascii("next")));
        Assert.Equal(expected, next.Read(expected.Length));
    }

    // The RFC would keep the queue for the endpoint. But the next peer's subscriptions are not known before it sends
    // them.
    [Fact]
    public async Task Rfc29_the_queue_of_a_pub_for_a_connected_endpoint_ends_with_the_connection_and_is_counted()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher(o => o with { HighWaterMessages = 10 });
        publisher.Connect(string.Create(CultureInfo.InvariantCulture, $"tcp://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}"));
        byte[] handshake = Wire.Join(Wire.Greeting(), Wire.Ready("SUB"), Wire.Command("SUBSCRIBE", (byte)'s'));
        using (Socket first = await Wait.For(listener.AcceptSocketAsync(TestContext.Current.CancellationToken).AsTask()))
        {
            first.Send(handshake);
            await rig.InterestAsync("+s");
            while (publisher.MessagesDropped == 0)
            {
                await rig.PublishAsync(publisher, Wire.Ascii("s"), new byte[100_000]);
            }
        }

        Assert.InRange((await rig.EventAsync(ZeroMqEventKind.PeerDisconnected)).Undelivered, 1, long.MaxValue);
        using Socket next = await Wait.For(listener.AcceptSocketAsync(TestContext.Current.CancellationToken).AsTask());
        next.Send(handshake);
        await rig.InterestAsync("+s");
        Assert.Equal(1, await rig.PublishAsync(publisher, Wire.Ascii("s"), Wire.Ascii("next")));
        byte[] expected = Wire.Join(Wire.Greeting(), Wire.Ready("PUB"), Wire.Message(Wire.Ascii("s"), Wire.Ascii("next")));
        byte[] got = new byte[expected.Length];
        for (int at = 0; at < got.Length;)
        {
            int read = await next.ReceiveAsync(got.AsMemory(at), TestContext.Current.CancellationToken);
            Assert.NotEqual(0, read);
            at += read;
        }

        Assert.Equal(expected, got);
    }

    // The RFC would destroy the queue with the connection. Here the application keeps received messages.
    [Fact]
    public async Task Rfc30_a_pull_keeps_received_messages_of_a_disconnected_peer_for_the_application()
    {
        var events = new Inbox<ZeroMqEvent>();
        using var pull = new PullSocket(new ZeroMqSocketOptions { OnEvent = events.Add });
        using (RawPeer peer = new RawPeer(ZeroMqEndpoint.Parse(pull.Bind(AnyPort))).Handshake("PUSH").Send(Wire.Message([1]), Wire.Message([2], [3])))
        {
            peer.Read(Wire.Greeting().Length + Wire.Ready("PULL").Length);
        }

        await events.TakeAsync(e => e.Kind == ZeroMqEventKind.PeerDisconnected);
        Assert.Equal([1], pull.ReceiveBytes());
        Assert.Equal([[2], [3]], pull.ReceiveFrames());
    }
}
