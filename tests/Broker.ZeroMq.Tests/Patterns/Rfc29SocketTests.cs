using System.Text;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Patterns;

/// <summary>
/// RFC 29, as an application sees PUB, SUB, XPUB and XSUB: the order among peers, full queues, and the handling of
/// subscriptions.
/// </summary>
public sealed class Rfc29SocketTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    public static TheoryData<RigTransport> Transports => Rig.Transports;

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Rfc29_a_pub_and_a_sub_shall_not_change_messages(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopPublisher publisher = rig.Publisher();
        LoopSubscriber subscriber = rig.Subscriber();
        subscriber.Subscribe([]);
        subscriber.Connect(publisher.Bind(rig.AnyPort).ToString());
        await rig.InterestAsync("+");
        foreach (byte[][] frames in (byte[][][])[[[]], [[], []], [[1], [], [2]], [[0], [1]], [Wire.Filled(255), Wire.Filled(256), Wire.Filled(70_000)]])
        {
            Assert.Equal(1, await rig.PublishAsync(publisher, frames));
            Assert.Equal(LibzmqPeer.Show(frames), await rig.Messages.TakeAsync());
        }
    }

    [Fact]
    public async Task Rfc29_an_xpub_shall_receive_from_its_subscribers_fairly()
    {
        await FairAsync(static () => new XPublisherSocket(new XPublisherSocketOptions { ReceiveHighWaterMark = 8 }), "XSUB");
    }

    [Fact]
    public async Task Rfc29_a_sub_shall_receive_from_its_publishers_fairly()
    {
        await FairAsync(
            static () =>
            {
                var sub = new SubscriberSocket(new ZeroMqSocketOptions { ReceiveHighWaterMark = 8 });
                sub.Subscribe("");
                return sub;
            },
            "XPUB");
    }

    [Fact]
    public async Task Rfc29_an_xsub_shall_receive_from_its_publishers_fairly()
    {
        await FairAsync(
            static () =>
            {
                var xsub = new XSubscriberSocket(new ZeroMqSocketOptions { ReceiveHighWaterMark = 8 });
                xsub.Subscribe("");
                return xsub;
            },
            "PUB");
    }

    // The RFC allows a SUB to discard messages that it has no room for. As with libzmq, the SUB stops reading and its
    // publishers discard and count.
    [Fact]
    public async Task Rfc29_a_full_sub_discards_nothing_itself_and_its_publisher_drops_whole_messages()
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher(o => o with { HighWaterMessages = 10, HighWaterMark = 1L << 40 });
        using var sub = new SubscriberSocket(new ZeroMqSocketOptions { ReceiveHighWaterMark = 4 });
        sub.Subscribe("");
        sub.Connect(publisher.Bind(AnyPort).ToString());
        await rig.InterestAsync("+");
        int published = 0;
        while (publisher.MessagesDropped < 50)
        {
            await rig.PublishAsync(publisher, Wire.Big32((uint)published++), new byte[100_000]);
        }

        long passed = publisher.Peers[0].MessagesSent;
        Assert.Equal(published, passed + publisher.MessagesDropped);
        uint? last = null;
        for (long i = 0; i < passed; i++)
        {
            byte[][] frames = sub.ReceiveFrames();
            Assert.Equal((2, 100_000), (frames.Length, frames[1].Length));
            uint number = System.Buffers.Binary.BinaryPrimitives.ReadUInt32BigEndian(frames[0]);
            Assert.True(last is null || number > last, $"{number} came after {last}");
            last = number;
        }
    }

    [Fact]
    public void Rfc29_an_xsub_shall_send_all_messages_to_all_publishers_and_drop_silently_for_full_ones()
    {
        using var reads = new XPublisherSocket();
        using var full = new XPublisherSocket(new XPublisherSocketOptions { ReceiveHighWaterMark = 4 });
        using var xsub = new XSubscriberSocket(new ZeroMqSocketOptions { SendHighWaterMark = 10, Linger = TimeSpan.Zero });
        xsub.Connect(reads.Bind(AnyPort));
        xsub.Connect(full.Bind(AnyPort));
        xsub.Subscribe("x");
        Assert.Equal([1, (byte)'x'], reads.ReceiveBytes());
        Assert.Equal([1, (byte)'x'], full.ReceiveBytes());

        // More than the queues of the XPUB that does not read and the kernel's buffers can hold. The other XPUB reads
        // each message.
        byte[] body = new byte[60_000];
        body[0] = 9;
        for (int i = 0; i < 500; i++)
        {
            BitConverter.TryWriteBytes(body.AsSpan(1), i);
            xsub.Send(body);
            byte[] got = reads.ReceiveBytes();
            Assert.Equal((9, i), (got[0], BitConverter.ToInt32(got, 1)));
        }

        Assert.True(xsub.GetCounts().MessagesDropped > 0);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Rfc29_the_subscriptions_of_an_xsub_end_with_the_connection_however_it_ends(bool disconnects)
    {
        using var xpub = new XPublisherSocket();
        using var xsub = new XSubscriberSocket();
        string endpoint = xpub.Bind(AnyPort);
        xsub.Subscribe("a");
        xsub.Subscribe("b");
        xsub.Connect(endpoint);
        Assert.Equal(["+a", "+b"], new[] { Show(xpub.ReceiveBytes()), Show(xpub.ReceiveBytes()) }.Order());
        if (disconnects)
        {
            Assert.True(xsub.Disconnect(endpoint));
        }
        else
        {
            xsub.Dispose();
        }

        Assert.Equal(["-a", "-b"], new[] { Show(xpub.ReceiveBytes()), Show(xpub.ReceiveBytes()) }.Order());
    }

    [Fact]
    public void Rfc29_an_xpub_shall_deliver_subscriptions_to_the_application_and_a_pub_shall_not()
    {
        using var xpub = new XPublisherSocket();
        using var pub = new PublisherSocket();
        using var sub = new SubscriberSocket();
        sub.Subscribe("t");
        sub.Connect(xpub.Bind(AnyPort));
        sub.Connect(pub.Bind(AnyPort));
        Assert.Equal("+t", Show(xpub.ReceiveBytes()));
        sub.Unsubscribe("t");
        Assert.Equal("-t", Show(xpub.ReceiveBytes()));
        Assert.IsNotType<IReceivingSocket>(pub, exactMatch: false);
    }

    // Four peers that have sent more than the socket holds and one read contains, and less than the kernel accepts. A
    // peer whose messages arrive late does not lose its turn, and no event reports their arrival. An unfair socket
    // fails at each repetition.
    private static async Task FairAsync<TSocket>(Func<TSocket> make, string type)
        where TSocket : MessageSocket, IReceivingSocket
    {
        const int Peers = 4;
        const int Messages = 50;
        const int Some = Peers * Messages / 2;
        int[] counts = new int[Peers];
        for (int tries = 5; tries > 0; tries--)
        {
            Array.Clear(counts);
            using TSocket socket = make();
            var endpoint = ZeroMqEndpoint.Parse(socket.Bind(AnyPort));
            var peers = new RawPeer[Peers];
            for (int i = 0; i < Peers; i++)
            {
                peers[i] = new RawPeer(endpoint).Handshake(type);
                byte[] says = Wire.Message([9, (byte)i, .. new byte[4000]]);
                peers[i].Send([.. Enumerable.Repeat(says, Messages)]);
            }

            await Wait.UntilAsync(() => socket.ConnectionCount == Peers);
            for (int i = 0; i < Some; i++)
            {
                counts[socket.ReceiveBytes()[1]]++;
            }

            Array.ForEach(peers, peer => peer.Dispose());
            if (Array.TrueForAll(counts, count => count is >= Some / Peers / 4 and < Messages))
            {
                return;
            }
        }

        Assert.Fail($"Of {Some} messages the four were heard with {string.Join(", ", counts)}, and no better before.");
    }

    private static string Show(ReadOnlySpan<byte> subscription)
        => (subscription[0] == 1 ? "+" : "-") + Encoding.UTF8.GetString(subscription[1..]);
}
