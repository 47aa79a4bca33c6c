using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Sockets;

namespace Broker.ZeroMq.Tests.Zmtp;

/// <summary>Tests RFC 23, ZMTP 3.0, section by section.</summary>
public sealed class Rfc23Tests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    [Fact]
    public async Task Rfc23_greeting_a_peer_shall_send_64_octets_with_its_version_and_mechanism()
    {
        await using var rig = new Rig();
        using RawPeer peer = new RawPeer(rig.Pull().Bind(AnyPort)).Send(Wire.Greeting());
        Assert.Equal(Wire.Greeting(), peer.Read(64));
    }

    [Fact]
    public async Task Rfc23_greeting_padding_filler_and_the_servers_role_under_NULL_shall_not_matter()
    {
        await using var rig = new Rig();
        LoopPull pull = rig.Pull();
        byte[] greeting = Wire.Greeting(minor: 0);
        greeting.AsSpan(1, 8).Fill(0xAA);
        greeting[32] = 1;
        greeting.AsSpan(33).Fill(0x55);
        using RawPeer peer = new RawPeer(pull.Bind(AnyPort)).Send(greeting, Wire.Ready("PUSH"), Wire.Message([1]));
        Assert.Equal("01", await rig.Messages.TakeAsync());
    }

    [Theory]
    [InlineData("PLAIN")]
    [InlineData("CURVE")]
    [InlineData("null")]
    [InlineData("NULLX")]
    [InlineData("")]
    public async Task Rfc23_mechanism_a_peer_of_another_one_shall_be_disconnected(string mechanism)
    {
        await using var rig = new Rig();
        using RawPeer peer = new RawPeer(rig.Pull().Bind(AnyPort)).Send(Wire.Greeting(mechanism: mechanism), Wire.Ready("PUSH"), Wire.Message([1]));
        peer.ReadToEnd();
        await rig.EventAsync(ZeroMqEventKind.PeerRefused);
        Assert.Empty(rig.Messages.TakeAll());
    }

    [Fact]
    public async Task Rfc23_metadata_names_shall_be_compared_without_case_and_unknown_ones_be_ignored()
    {
        await using var rig = new Rig();
        LoopRouter router = rig.Router();
        byte[] ready = Wire.Command("READY", Wire.Join(
            Wire.Property("X-Whatever", 1, 2, 3),
            Wire.Property("sOCKET-tYPE", "DEALER"u8.ToArray()),
            Wire.Property("Nobody-Knows"),
            Wire.Property("IDENTITY", "me"u8.ToArray())));
        using RawPeer peer = new RawPeer(router.Bind(AnyPort)).Send(Wire.Greeting(), ready, Wire.Message([1]));
        Assert.Equal("01", await rig.Messages.TakeAsync());
        Assert.Equal("me"u8.ToArray(), Assert.Single(router.Peers).RoutingId.ToArray());
    }

    [Theory]
    [InlineData("REQ")]
    [InlineData("SUB")]
    [InlineData("PULL")]
    [InlineData("push")]
    [InlineData("")]
    public async Task Rfc23_socket_type_an_incompatible_peer_shall_be_disconnected(string type)
    {
        await using var rig = new Rig();
        using RawPeer peer = new RawPeer(rig.Pull().Bind(AnyPort)).Handshake(type).Send(Wire.Message([1]));
        peer.ReadToEnd();
        await rig.EventAsync(ZeroMqEventKind.PeerRefused);
        Assert.Empty(rig.Messages.TakeAll());
    }

    [Fact]
    public async Task Rfc23_framing_a_long_frame_may_have_a_short_body()
    {
        await using var rig = new Rig();
        using RawPeer peer = new RawPeer(rig.Pull().Bind(AnyPort)).Handshake("PUSH")
            .Send([3, .. Wire.Big64(1), 7], [2, .. Wire.Big64(0)]);
        Assert.Equal("07,-", await rig.Messages.TakeAsync());
    }

    [Fact]
    public async Task Rfc23_framing_bodies_of_up_to_255_octets_are_sent_short_and_longer_ones_long()
    {
        await using var rig = new Rig();
        LoopPush push = rig.Push();
        using RawPeer peer = new RawPeer(push.Bind(AnyPort)).Handshake("PULL");
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        await rig.DoAsync(() =>
        {
            Assert.True(push.TrySend(Wire.Filled(255)));
            Assert.True(push.TrySend(Wire.Filled(256), []));
        });
        byte[] expected = Wire.Join(
            Wire.Greeting(), Wire.Ready("PUSH"), [0, 255], Wire.Filled(255), [3, .. Wire.Big64(256)], Wire.Filled(256), [0, 0]);
        Assert.Equal(expected, peer.Read(expected.Length));
    }

    [Theory]
    [InlineData(8)]
    [InlineData(16)]
    [InlineData(32)]
    [InlineData(64)]
    [InlineData(128)]
    public async Task Rfc23_framing_reserved_bits_shall_be_zero(byte flags)
    {
        await using var rig = new Rig();
        using RawPeer peer = new RawPeer(rig.Pull().Bind(AnyPort)).Handshake("PUSH").Send([flags, 1, 1]);
        peer.ReadToEnd();
        Assert.Contains("reserved", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Rfc23_pub_sub_subscriptions_shall_be_messages_that_begin_with_1_and_cancellations_with_0()
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher();
        using RawPeer peer = new RawPeer(publisher.Bind(AnyPort)).Handshake("SUB", minor: 0).Send(Wire.Message([1, (byte)'a']));
        await rig.InterestAsync("+a");
        Assert.Equal(1, await rig.PublishAsync(publisher, Wire.Ascii("ab")));
        peer.Send(Wire.Message([0, (byte)'a']));
        await rig.InterestAsync("-a");
        Assert.Equal(0, await rig.PublishAsync(publisher, Wire.Ascii("ab")));
    }

    [Fact]
    public async Task Rfc23_an_error_in_the_handshake_shall_end_the_connection()
    {
        await using var rig = new Rig();
        using RawPeer peer = new RawPeer(rig.Pull().Bind(AnyPort)).Send(Wire.Greeting(), Wire.Command("ERROR", [4, .. "stop"u8]));
        peer.ReadToEnd();
        Assert.Contains("stop", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason, StringComparison.Ordinal);
    }
}
