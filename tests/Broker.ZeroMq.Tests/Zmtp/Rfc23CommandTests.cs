using System.Text;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Foreign;
using Broker.ZeroMq.Tests.Sockets;

namespace Broker.ZeroMq.Tests.Zmtp;

/// <summary>
/// Tests RFC 23: "Framing" of commands, "The NULL Security Mechanism", "Connection Metadata" and "The Publish-Subscribe
/// Pattern".
/// </summary>
public sealed class Rfc23CommandTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    [Theory]
    [InlineData(5)]
    [InlineData(7)]
    public async Task Rfc23_framing_a_command_shall_have_one_frame(byte flags)
    {
        await using var rig = new Rig();
        using RawPeer peer = new RawPeer(rig.Pull().Bind(AnyPort)).Handshake("PUSH").Send(Wire.Frame(flags, 5, (byte)'X'), Wire.Message([1]));
        peer.ReadToEnd();
        await rig.EventAsync(ZeroMqEventKind.PeerRefused);
        Assert.Empty(rig.Messages.TakeAll());
    }

    [Theory]
    [InlineData(245, 4)]
    [InlineData(246, 6)]
    public async Task Rfc23_framing_commands_of_up_to_255_octets_should_be_sent_short_and_longer_ones_long(int prefix, byte flags)
    {
        await using var rig = new Rig();
        LoopSubscriber subscriber = rig.Subscriber();
        subscriber.Subscribe(Wire.Filled(prefix));
        using RawPeer peer = new RawPeer(subscriber.Bind(AnyPort)).Handshake("PUB");
        byte[] expected = Wire.Join(
            Wire.Greeting(), Wire.Ready("SUB"), Wire.Frame(flags, [9, .. "SUBSCRIBE"u8, .. Wire.Filled(prefix)]));
        Assert.Equal(expected, peer.Read(expected.Length));
    }

    [Fact]
    public async Task Rfc23_framing_a_long_command_may_have_a_short_body()
    {
        await using var rig = new Rig();
        using RawPeer peer = new RawPeer(rig.Publisher().Bind(AnyPort)).Handshake("SUB").Send(Wire.Frame(6, [9, .. "SUBSCRIBE"u8, (byte)'a']));
        await rig.InterestAsync("+a");
    }

    [Theory]
    [InlineData("01 61 00000000", true)]
    [InlineData("01 61 00000001 ff", true)]
    [InlineData("00 00000000", false)]
    [InlineData("01 61 80000000", false)]
    [InlineData("01 61 ffffffff", false)]
    [InlineData("01 61 00000002 ff", false)]
    public async Task Rfc23_null_a_property_shall_have_a_name_of_1_octet_or_more_and_a_value_of_less_than_2_GiB(string property, bool isValid)
    {
        await using var rig = new Rig();
        using RawPeer peer = new RawPeer(rig.Pull().Bind(AnyPort)).Send(Wire.Greeting(), Wire.Ready("PUSH", Wire.Hex(property)), Wire.Message([1]));
        if (isValid)
        {
            Assert.Equal("01", await rig.Messages.TakeAsync());
            return;
        }

        peer.ReadToEnd();
        await rig.EventAsync(ZeroMqEventKind.PeerRefused);
        Assert.Empty(rig.Messages.TakeAll());
    }

    [Fact]
    public async Task Rfc23_null_a_name_may_have_255_octets()
    {
        await using var rig = new Rig();
        string name = new('n', 255);
        using RawPeer peer = new RawPeer(rig.Pull().Bind(AnyPort)).Send(Wire.Greeting(), Wire.Ready("PUSH", Wire.Property(name, 1)), Wire.Message([1]));
        Assert.Equal("01", await rig.Messages.TakeAsync());
    }

    [Fact]
    public async Task Rfc23_socket_type_a_peer_with_a_wrong_one_should_get_an_ERROR_before_the_close()
    {
        await using var rig = new Rig();
        using RawPeer peer = new RawPeer(rig.Pull().Bind(AnyPort)).Handshake("SUB");
        string said = Encoding.Latin1.GetString(peer.ReadToEnd());
        Assert.Contains("\u0005ERROR", said, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("REQ", 255, true)]
    [InlineData("DEALER", 255, true)]
    [InlineData("ROUTER", 255, true)]
    [InlineData("DEALER", 256, false)]
    public async Task Rfc23_identity_shall_have_255_octets_at_most(string type, int length, bool isValid)
    {
        await using var rig = new Rig();
        LoopRouter router = rig.Router();
        byte[] id = Wire.Filled(length);
        using RawPeer peer = new RawPeer(router.Bind(AnyPort)).Send(Wire.Greeting(), Wire.Ready(type, Wire.Property("Identity", id)));
        if (isValid)
        {
            await rig.EventAsync(ZeroMqEventKind.PeerConnected);
            Assert.Equal(id, Assert.Single(router.Peers).RoutingId.ToArray());
            return;
        }

        peer.ReadToEnd();
        await rig.EventAsync(ZeroMqEventKind.PeerRefused);
    }

    [Fact]
    public async Task Rfc23_identity_shall_be_ignored_where_the_type_has_none()
    {
        await using var rig = new Rig();
        byte[] ready = Wire.Ready("PUSH", Wire.Property("Identity", Wire.Filled(300, value: 0)));
        using RawPeer peer = new RawPeer(rig.Pull().Bind(AnyPort)).Send(Wire.Greeting(), ready, Wire.Message([1]));
        Assert.Equal("01", await rig.Messages.TakeAsync());
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task Rfc23_pub_sub_subscriptions_shall_be_additive(byte minor)
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher();
        using RawPeer peer = new RawPeer(publisher.Bind(AnyPort)).Handshake("SUB", minor)
            .Send(Subscription(minor, 1, "a"), Subscription(minor, 1, ""), Subscription(minor, 1, "abc"));
        await rig.InterestAsync("+abc");
        Assert.Equal(1, await rig.PublishAsync(publisher, Wire.Ascii("xyz")));
        peer.Send(Subscription(minor, 0, ""));
        await rig.InterestAsync("-");
        Assert.Equal(0, await rig.PublishAsync(publisher, Wire.Ascii("xyz")));
        peer.Send(Subscription(minor, 0, "abc"));
        await rig.InterestAsync("-abc");
        Assert.Equal(1, await rig.PublishAsync(publisher, Wire.Ascii("abc")));
        peer.Send(Subscription(minor, 0, "a"));
        await rig.InterestAsync("-a");
        Assert.Equal(0, await rig.PublishAsync(publisher, Wire.Ascii("abc")));
    }

    // The RFC counts subscriptions at the publisher. A SUB of libzmq counts them itself: it sends every SUBSCRIBE but
    // only one CANCEL, for the last one. A publisher that counts would never drop such a subscription. So our publisher
    // does not count a peer's subscriptions, and neither does libzmq's.
    [Theory]
    [InlineData(0, true)]
    [InlineData(1, true)]
    [InlineData(0, false)]
    [InlineData(1, false)]
    public async Task Rfc23_pub_sub_the_same_subscription_of_one_peer_twice_ends_with_one_cancellation_as_at_libzmqs(byte minor, bool ours)
    {
        await using var host = ForeignHost.Take(ours ? ForeignKind.Ours : ForeignKind.Python);
        ForeignSocket publisher = await host.SocketAsync("XPUB");
        using RawPeer peer = new RawPeer(ZeroMqEndpoint.Parse(await publisher.BindAsync(AnyPort))).Handshake("SUB", minor);

        // libzmq loses commands that arrive together with the handshake.
        peer.Read(Wire.Greeting().Length + Wire.Ready("XPUB").Length);
        peer.Send(Subscription(minor, 1, "a"), Subscription(minor, 1, "a"), Subscription(minor, 0, "a"), Subscription(minor, 1, "b"));
        foreach (string change in (string[])["0161", "0061", "0162"])
        {
            Assert.Equal($"[\"{change}\"]", await publisher.ReceiveAsync());
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task Rfc23_pub_sub_an_empty_subscription_shall_match_all_messages_and_others_by_their_octets(byte minor)
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher();
        ZeroMqEndpoint endpoint = publisher.Bind(AnyPort);
        using RawPeer all = new RawPeer(endpoint).Handshake("SUB", minor).Send(minor == 0 ? Wire.Message([1]) : Wire.Command("SUBSCRIBE"));
        await rig.InterestAsync("+");
        using RawPeer some = new RawPeer(endpoint).Handshake("SUB").Send(Wire.Command("SUBSCRIBE", 0, 0xFF, (byte)'\n'));
        await rig.InterestAsync("+\0\u00ff\n");
        Assert.Equal(2, await rig.PublishAsync(publisher, [0, 0xFF, (byte)'\n']));
        Assert.Equal(2, await rig.PublishAsync(publisher, [0, 0xFF, (byte)'\n', 0]));
        Assert.Equal(1, await rig.PublishAsync(publisher, [0, 0xFF]));
        Assert.Equal(1, await rig.PublishAsync(publisher, [0, 0xFF, (byte)'\r']));
        Assert.Equal(1, await rig.PublishAsync(publisher, [], [0, 0xFF, (byte)'\n']));
    }

    private static byte[] Subscription(byte minor, byte wanted, string prefix) => minor == 0
        ? Wire.Message([wanted, .. Wire.Ascii(prefix)])
        : Wire.Command(wanted == 1 ? "SUBSCRIBE" : "CANCEL", Wire.Ascii(prefix));
}
