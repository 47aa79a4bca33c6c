using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Sockets;

namespace Broker.ZeroMq.Tests.Zmtp;

/// <summary>
/// Tests RFC 23: "Version Negotiation", "Error Handling", "Backwards Interoperability" and the parts of "Socket
/// Semantics" that apply to all sockets.
/// </summary>
public sealed class Rfc23ConnectionTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    [Fact]
    public async Task Rfc23_version_11_octets_shall_be_sent_first_and_the_rest_after_those_of_the_peer()
    {
        await using var rig = new Rig();
        using var peer = new RawPeer(rig.Pull().Bind(AnyPort));
        byte[] greeting = Wire.Greeting();
        Assert.Equal(greeting[..11], peer.Read(11));
        peer.Send(greeting[..11]);
        Assert.Equal(greeting[11..], peer.Read(53));
    }

    [Theory]
    [InlineData(3, 2)]
    [InlineData(4, 0)]
    [InlineData(255, 255)]
    public async Task Rfc23_version_a_higher_one_shall_be_accepted_and_answered_in_our_version(byte major, byte minor)
    {
        await using var rig = new Rig();
        LoopSubscriber subscriber = rig.Subscriber();
        subscriber.Subscribe("a"u8);
        using RawPeer peer = new RawPeer(subscriber.Bind(AnyPort)).Send(Wire.Greeting(major, minor), Wire.Ready("PUB"), Wire.Message([(byte)'a']));
        byte[] expected = Wire.Join(Wire.Greeting(), Wire.Ready("SUB"), Wire.Command("SUBSCRIBE", (byte)'a'));
        Assert.Equal(expected, peer.Read(expected.Length));
        Assert.Equal("61", await rig.Messages.TakeAsync());
    }

    [Theory]
    [InlineData("0100")]
    [InlineData("ff 0000000000000001 01 00")]
    [InlineData("ff 0000000000000000 7f 00")]
    public async Task Rfc23_version_a_peer_with_an_unsupported_older_one_shall_be_disconnected(string greeting)
    {
        await using var rig = new Rig();
        using RawPeer peer = new RawPeer(rig.Pull().Bind(AnyPort)).Send(Wire.Hex(greeting));
        peer.ReadToEnd();
        await rig.EventAsync(ZeroMqEventKind.PeerRefused);
    }

    [Fact]
    public async Task Rfc23_backwards_a_peer_of_2_0_shall_be_disconnected_where_the_mechanism_is_not_NULL()
    {
        await using var rig = new Rig();
        LoopPull pull = rig.Pull(o => o with { Security = ZeroMqSecurity.PlainServer, Authenticate = _ => ValueTask.FromResult(ZeroMqAdmission.Admit()) });
        using RawPeer peer = new RawPeer(pull.Bind(AnyPort)).Send(Wire.Hex("ff 0000000000000001 7f 01 08 0000"), Wire.Message([1]));
        peer.ReadToEnd();
        await rig.EventAsync(ZeroMqEventKind.PeerRefused);
        Assert.Empty(rig.Messages.TakeAll());
    }

    [Fact]
    public async Task Rfc23_null_a_peer_shall_send_its_READY_before_it_has_received_one()
    {
        await using var rig = new Rig();
        using RawPeer peer = new RawPeer(rig.Pull().Bind(AnyPort)).Send(Wire.Greeting(minor: 0));
        byte[] expected = Wire.Join(Wire.Greeting(), Wire.Ready("PULL"));
        Assert.Equal(expected, peer.Read(expected.Length));
    }

    [Fact]
    public async Task Rfc23_errors_a_connection_that_ends_unexpectedly_should_be_established_again()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        await using var rig = new Rig();
        rig.Push().Connect(EndpointOf(listener));
        for (int i = 0; i < 3; i++)
        {
            using Socket cut = await Wait.For(listener.AcceptSocketAsync(TestContext.Current.CancellationToken).AsTask());
        }
    }

    // The reason of a refusal may disappear: a list of users is read again, or another peer disconnects. So the socket
    // connects again after growing intervals, and the log reports the refusal once.
    [Fact]
    public async Task Rfc23_errors_a_refusal_is_reported_once_and_the_socket_connects_again_later_which_is_our_choice()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        await using var rig = new Rig();
        rig.Push().Connect(EndpointOf(listener));
        for (int i = 0; i < 3; i++)
        {
            using Socket refusing = await Wait.For(listener.AcceptSocketAsync(TestContext.Current.CancellationToken).AsTask());
            refusing.Send(Wire.Join(Wire.Greeting(), Wire.Command("ERROR", [4, .. "stop"u8])));
            while (refusing.Receive(new byte[256]) != 0)
            {
            }
        }

        Assert.Contains("stop", Assert.Single(rig.Events.TakeAll(), e => e.Kind == ZeroMqEventKind.PeerRefused).Reason, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Rfc23_all_sockets_an_incomplete_message_shall_not_be_received()
    {
        await using var rig = new Rig();
        ZeroMqEndpoint endpoint = rig.Pull().Bind(AnyPort);
        using (new RawPeer(endpoint).Handshake("PUSH").Send(Wire.Message([1], [2]), Wire.Frame(1, 3), Wire.Frame(1, 4)))
        {
            Assert.Equal("01,02", await rig.Messages.TakeAsync());
        }

        await rig.EventAsync(ZeroMqEventKind.PeerDisconnected);
        using RawPeer next = new RawPeer(endpoint).Handshake("PUSH").Send(Wire.Frame(0, 5));
        Assert.Equal("05", await rig.Messages.TakeAsync());
        Assert.Empty(rig.Messages.TakeAll());
    }

    [Theory]
    [MemberData(nameof(Rig.Transports), MemberType = typeof(Rig))]
    public async Task Rfc23_all_sockets_messages_between_two_peers_shall_come_once_and_in_order(RigTransport transport)
    {
        const int Count = 5000;
        await using var rig = new Rig(transport);
        LoopPush push = rig.Push(o => o with { SendHighWaterMark = 0 });
        push.Connect(rig.Pull().Bind(rig.AnyPort).ToString());
        for (int from = 0; from < Count; from += 100)
        {
            int first = from;
            await rig.DoAsync(() =>
            {
                for (int i = first; i < first + 100; i++)
                {
                    Assert.True(push.TrySend(Wire.Big32((uint)i), Wire.Filled(i % 300)));
                }
            });
        }

        for (int i = 0; i < Count; i++)
        {
            Assert.Equal(LibzmqPeer.Show(Wire.Big32((uint)i), Wire.Filled(i % 300)), await rig.Messages.TakeAsync());
        }

        Assert.Empty(rig.Messages.TakeAll());
    }

    private static string EndpointOf(TcpListener listener)
        => string.Create(CultureInfo.InvariantCulture, $"tcp://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}");
}
