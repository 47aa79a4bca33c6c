using Broker.Transport;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Sockets;

public sealed class ApplicationFaultTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    [Fact]
    public async Task A_message_handler_that_throws_closes_only_that_peers_connection()
    {
        await using var rig = new Rig();
        LoopSubscriber subscriber = rig.Subscriber(onMessage: (ZeroMqPeer peer, in ZmtpMessage message) =>
        {
            rig.Record(peer, message);
            if (message.FirstFrame.Body[0] == (byte)'!')
            {
                throw new InvalidOperationException();
            }

            return true;
        });
        subscriber.Subscribe([]);
        ZeroMqEndpoint endpoint = subscriber.Bind(AnyPort);
        using RawPeer good = new RawPeer(endpoint).Handshake("PUB");
        using RawPeer bad = new RawPeer(endpoint).Handshake("PUB").Send(Wire.Message(Wire.Ascii("!")));
        Assert.Equal("failed with InvalidOperationException", (await rig.EventAsync(ZeroMqEventKind.PeerDisconnected)).Reason);
        good.Send(Wire.Message(Wire.Ascii("1")));
        await rig.Messages.TakeAsync(m => m == "31");
    }

    [Fact]
    public async Task A_callback_that_throws_at_a_disconnect_does_not_prevent_the_socket_from_closing()
    {
        var faults = new Inbox<Exception>();
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1, OnFault = faults.Add });
        var wanted = new Inbox<bool>();
        var publisher = new LoopPublisher(loops, new LoopPublisherOptions
        {
            OnEvent = _ => throw new InvalidOperationException("ignored"),
            OnInterest = (_, isWanted) =>
            {
                wanted.Add(isWanted);
                if (!isWanted)
                {
                    throw new InvalidOperationException("reported");
                }
            },
        });
        using RawPeer peer = new RawPeer(publisher.Bind(AnyPort)).Handshake("SUB").Send(Wire.Command("SUBSCRIBE"));
        Assert.True(await wanted.TakeAsync());
        await publisher.CloseAsync(TimeSpan.Zero).WaitAsync(TimeSpan.FromMinutes(2), TestContext.Current.CancellationToken);
        Assert.Equal("reported", (await faults.TakeAsync()).Message);
    }

    [Fact]
    public async Task A_peer_that_the_application_closes_from_its_handler_delivers_nothing_more()
    {
        await using var rig = new Rig();
        LoopSubscriber subscriber = rig.Subscriber(onMessage: (ZeroMqPeer peer, in ZmtpMessage message) =>
        {
            rig.Record(peer, message);
            peer.Close("enough");
            return true;
        });
        subscriber.Subscribe([]);
        using RawPeer chatty = new RawPeer(subscriber.Bind(AnyPort)).Handshake("PUB").Send(Wire.Join(Wire.Message([1]), Wire.Message([2])));
        Assert.Equal("enough", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason);
        chatty.ReadToEnd();
        Assert.Equal("01", Assert.Single(rig.Messages.TakeAll()));
    }
}
