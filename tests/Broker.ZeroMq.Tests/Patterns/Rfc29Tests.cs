using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Patterns;

/// <summary>RFC 29, "The PUB", "SUB", "XPUB" and "XSUB Socket Type".</summary>
public sealed class Rfc29Tests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    [Fact]
    public async Task Rfc29_a_pub_shall_send_to_each_subscriber_with_a_prefix_of_the_message_and_to_no_other()
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher();
        ZeroMqEndpoint endpoint = publisher.Bind(AnyPort);
        using RawPeer a = new RawPeer(endpoint).Handshake("SUB").Send(Wire.Command("SUBSCRIBE", (byte)'a'));
        await rig.InterestAsync("+a");
        using RawPeer ab = new RawPeer(endpoint).Handshake("SUB").Send(Wire.Command("SUBSCRIBE", "ab"u8.ToArray()));
        await rig.InterestAsync("+ab");
        using RawPeer all = new RawPeer(endpoint).Handshake("SUB").Send(Wire.Command("SUBSCRIBE"));
        await rig.InterestAsync("+");
        using RawPeer nothing = new RawPeer(endpoint).Handshake("SUB");
        await Wait.UntilAsync(() => publisher.Peers.Count == 4);
        Assert.Equal(3, await rig.PublishAsync(publisher, Wire.Ascii("abc")));
        Assert.Equal(2, await rig.PublishAsync(publisher, Wire.Ascii("ax")));
        Assert.Equal(1, await rig.PublishAsync(publisher, Wire.Ascii("b")));
        Assert.Equal(1, await rig.PublishAsync(publisher, [], Wire.Ascii("abc")));
        byte[] preamble = Wire.Join(Wire.Greeting(), Wire.Ready("PUB"));
        byte[] expected = Wire.Join(preamble, Wire.Message(Wire.Ascii("abc")), Wire.Message(Wire.Ascii("ax")));
        Assert.Equal(expected, a.Read(expected.Length));
        expected = Wire.Join(preamble, Wire.Message(Wire.Ascii("abc")));
        Assert.Equal(expected, ab.Read(expected.Length));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task Rfc29_a_subscriber_with_several_prefixes_of_a_message_shall_get_it_once(int loops)
    {
        await using var rig = new Rig(loops);
        LoopPublisher publisher = rig.Publisher();
        using RawPeer peer = new RawPeer(publisher.Bind(AnyPort)).Handshake("SUB")
            .Send(Wire.Command("SUBSCRIBE"), Wire.Command("SUBSCRIBE", "ab"u8.ToArray()), Wire.Command("SUBSCRIBE", (byte)'a'));
        await rig.InterestAsync("+a");
        for (int loop = 0; loop < loops; loop++)
        {
            int index = loop;
            Assert.Equal(1, await rig.OnLoopAsync(() => publisher.Publish(rig.Loops[index], "abc"u8), index));
        }

        Assert.Equal(loops, Assert.Single(publisher.Peers).MessagesSent);
    }

    [Fact]
    public async Task Rfc29_a_pub_shall_drop_silently_for_a_subscriber_whose_queue_is_full_and_never_wait()
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher(o => o with { HighWaterMessages = 10, HighWaterMark = 1L << 40 });
        ZeroMqEndpoint endpoint = publisher.Bind(AnyPort);
        using RawPeer stalled = new RawPeer(endpoint).Handshake("SUB").Send(Wire.Command("SUBSCRIBE", (byte)'s'));
        await rig.InterestAsync("+s");
        using RawPeer reads = new RawPeer(endpoint).Handshake("SUB").Send(Wire.Command("SUBSCRIBE", (byte)'r'));
        await rig.InterestAsync("+r");
        int published = 0;
        while (publisher.MessagesDropped < 100)
        {
            await rig.PublishAsync(publisher, Wire.Ascii("s"), new byte[100_000]);
            published++;
        }

        Assert.Equal(1, await rig.PublishAsync(publisher, Wire.Ascii("r")));
        byte[] expected = Wire.Join(Wire.Greeting(), Wire.Ready("PUB"), Wire.Message(Wire.Ascii("r")));
        Assert.Equal(expected, reads.Read(expected.Length));
        ZeroMqPeer info = publisher.Peers.Single(peer => peer.MessagesDropped > 0);
        Assert.Equal(published, info.MessagesSent + info.MessagesDropped);

        // Ten messages, of which the kernel may have accepted one partially.
        Assert.InRange(info.PendingBytes, 1, 11 * 100_100);
    }

    [Fact]
    public async Task Rfc29_a_sub_shall_count_its_subscriptions_and_send_the_first_and_the_last()
    {
        await using var rig = new Rig();
        LoopSubscriber subscriber = rig.Subscriber();
        using RawPeer pub = new RawPeer(subscriber.Bind(AnyPort)).Handshake("PUB");
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        subscriber.Subscribe("a"u8);
        subscriber.Subscribe("a"u8);
        subscriber.Unsubscribe("a"u8);
        subscriber.Subscribe("b"u8);
        subscriber.Unsubscribe("a"u8);
        subscriber.Unsubscribe("a"u8);
        byte[] expected = Wire.Join(
            Wire.Greeting(),
            Wire.Ready("SUB"),
            Wire.Command("SUBSCRIBE", (byte)'a'),
            Wire.Command("SUBSCRIBE", (byte)'b'),
            Wire.Command("CANCEL", (byte)'a'));
        Assert.Equal(expected, pub.Read(expected.Length));
    }

    [Fact]
    public async Task Rfc29_a_sub_shall_deliver_matching_messages_and_discard_the_rest()
    {
        await using var rig = new Rig();
        LoopSubscriber subscriber = rig.Subscriber();
        subscriber.Subscribe("a"u8);
        using RawPeer pub = new RawPeer(subscriber.Bind(AnyPort)).Handshake("PUB")
            .Send(Wire.Message(Wire.Ascii("b")), Wire.Message(Wire.Ascii("a"), []), Wire.Message([], Wire.Ascii("a")), Wire.Message(Wire.Ascii("ab")));
        Assert.Equal("61,-", await rig.Messages.TakeAsync());
        Assert.Equal("6162", await rig.Messages.TakeAsync());
        Assert.Equal(2, Assert.Single(subscriber.Peers).MessagesFiltered);
    }

    [Fact]
    public async Task Rfc29_a_pub_shall_ignore_messages_that_are_not_subscriptions_and_an_xpub_shall_receive_them()
    {
        await using var rig = new Rig();
        byte[][] says = [Wire.Message([2, 1]), Wire.Message([1], [1]), Wire.Message([[]]), Wire.Message([1, (byte)'e'])];
        LoopPublisher pub = rig.Publisher();
        using RawPeer one = new RawPeer(pub.Bind(AnyPort)).Handshake("XSUB").Send(says);
        await rig.InterestAsync("+e");
        Assert.Empty(rig.Messages.TakeAll());

        LoopPublisher xpub = rig.Publisher(o => o with { AnnounceExtended = true, OnMessage = rig.Record });
        using RawPeer two = new RawPeer(xpub.Bind(AnyPort)).Handshake("XSUB").Send(says);
        await rig.InterestAsync("+e");
        Assert.Equal(["0201", "01,01", "-"], rig.Messages.TakeAll());
    }

    [Fact]
    public async Task Rfc29_a_refused_upstream_message_is_delivered_again_before_later_ones()
    {
        await using var rig = new Rig();
        bool takes = false;
        var offered = new Inbox<int>();
        LoopPublisher xpub = rig.Publisher(o => o with
        {
            AnnounceExtended = true,
            OnMessage = (ZeroMqPeer peer, in ZmtpMessage message) =>
            {
                offered.Add(1);
                return takes && rig.Record(peer, message);
            },
        });
        using RawPeer peer = new RawPeer(xpub.Bind(AnyPort)).Handshake("XSUB").Send(Wire.Message([9]), Wire.Message([1, (byte)'e']));
        await offered.TakeAsync();
        await rig.DoAsync(() =>
        {
            Assert.Empty(rig.Interest.TakeAll());
            takes = true;
            xpub.Peers[0].ResumeReceiving();
        });
        Assert.Equal("09", await rig.Messages.TakeAsync());
        await rig.InterestAsync("+e");
    }
}
