using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Broker.Testing;
using Broker.Transport;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Sockets;

namespace Broker.ZeroMq.Tests.Zmtp;

/// <summary>Tests the additions of RFC 37, ZMTP 3.1, to RFC 23.</summary>
public sealed class Rfc37Tests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(16)]
    public async Task Rfc37_heartbeating_a_ping_shall_be_answered_by_a_pong_with_its_context(int length)
    {
        await using var rig = new Rig();
        byte[] context = Wire.Filled(length, (byte)'c');
        using RawPeer peer = new RawPeer(rig.Pull().Bind(AnyPort)).Handshake("PUSH").Send(Wire.Command("PING", [0, 0, .. context]));
        byte[] expected = Wire.Join(Wire.Greeting(), Wire.Ready("PULL"), Wire.Command("PONG", context));
        Assert.Equal(expected, peer.Read(expected.Length));
    }

    [Fact]
    public async Task Rfc37_heartbeating_a_context_shall_have_16_octets_at_most()
    {
        await using var rig = new Rig();
        using RawPeer peer = new RawPeer(rig.Pull().Bind(AnyPort)).Handshake("PUSH").Send(Wire.Command("PING", [0, 0, .. Wire.Filled(17)]));
        peer.ReadToEnd();
        Assert.Contains("PING", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Rfc37_heartbeating_a_ping_and_its_time_to_live_shall_be_in_tenths_of_seconds()
    {
        await using var rig = new Rig();
        LoopPull pull = rig.Pull(o => o with
        {
            HeartbeatInterval = TimeSpan.FromMilliseconds(10),
            HeartbeatTimeout = TimeSpan.FromMinutes(2),
            HeartbeatTtl = TimeSpan.FromSeconds(51.2),
        });
        using RawPeer peer = new RawPeer(pull.Bind(AnyPort)).Handshake("PUSH");
        byte[] expected = Wire.Join(Wire.Greeting(), Wire.Ready("PULL"), Wire.Command("PING", 2, 0));
        Assert.Equal(expected, peer.Read(expected.Length));
    }

    [Fact]
    public async Task Rfc37_heartbeating_a_peer_that_is_silent_for_its_time_to_live_shall_be_disconnected()
    {
        await using var rig = new Rig();
        using RawPeer peer = new RawPeer(rig.Pull().Bind(AnyPort)).Handshake("PUSH").Send(Wire.Command("PING", 0, 1));
        peer.ReadToEnd();
        Assert.Contains("time-to-live", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Rfc37_null_the_binding_side_shall_answer_READY_with_READY_if_there_is_no_error()
    {
        await using var rig = new Rig();
        ZeroMqEndpoint endpoint = rig.Pair().Bind(AnyPort);
        byte[] expected = Wire.Join(Wire.Greeting(), Wire.Ready("PAIR"));
        using RawPeer first = new RawPeer(endpoint).Handshake("PAIR");
        Assert.Equal(expected, first.Read(expected.Length));
        using RawPeer second = new RawPeer(endpoint).Handshake("PAIR");
        Assert.Equal(Wire.Greeting(), second.ReadToEnd());
        using RawPeer wrong = new RawPeer(endpoint).Handshake("PULL");
        Assert.Equal(Wire.Greeting(), wrong.Read(Wire.Greeting().Length));
        Assert.Contains("ERROR", Encoding.Latin1.GetString(wrong.ReadToEnd()), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Rfc37_a_peer_of_3_0_shall_be_sent_no_ping()
    {
        await using var rig = new Rig();
        LoopPush push = rig.Push(o => o with { HeartbeatInterval = TimeSpan.FromMilliseconds(5) });
        using RawPeer peer = new RawPeer(push.Bind(AnyPort)).Handshake("PULL", minor: 0);
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        await Task.Delay(100, TestContext.Current.CancellationToken);
        await rig.DoAsync(() => Assert.True(push.TrySend("x"u8)));
        byte[] expected = Wire.Join(Wire.Greeting(), Wire.Ready("PUSH"), Wire.Message("x"u8.ToArray()));
        Assert.Equal(expected, peer.Read(expected.Length));
    }

    [Fact]
    public async Task A_peer_of_3_0_that_has_sent_a_ping_is_sent_pings()
    {
        await using var rig = new Rig();
        LoopPull pull = rig.Pull(o => o with { HeartbeatInterval = TimeSpan.FromMilliseconds(5), HeartbeatTimeout = TimeSpan.FromMinutes(2) });
        using RawPeer peer = new RawPeer(pull.Bind(AnyPort)).Handshake("PUSH", minor: 0).Send(Wire.Command("PING", 0, 0, 9));
        byte[] expected = Wire.Join(Wire.Greeting(), Wire.Ready("PULL"), Wire.Command("PONG", 9), Wire.Command("PING", 0, 0));
        Assert.Equal(expected, peer.Read(expected.Length));
    }

    [Fact]
    public async Task Rfc37_unknown_commands_shall_be_ignored()
    {
        await using var rig = new Rig();
        using RawPeer peer = new RawPeer(rig.Pull().Bind(AnyPort)).Handshake("PUSH")
            .Send(Wire.Command("WHATEVER", Wire.Filled(300)), Wire.Message([1]), Wire.Command("PONG"), Wire.Message([2]));
        Assert.Equal("01", await rig.Messages.TakeAsync());
        Assert.Equal("02", await rig.Messages.TakeAsync());
    }

    [Fact]
    public async Task Rfc37_a_command_between_the_frames_of_a_message_shall_not_disturb_it()
    {
        await using var rig = new Rig();
        using RawPeer peer = new RawPeer(rig.Pull().Bind(AnyPort)).Handshake("PUSH")
            .Send(Wire.Frame(1, 1), Wire.Command("PING", 0, 0, 9), Wire.Frame(0, 2));
        byte[] expected = Wire.Join(Wire.Greeting(), Wire.Ready("PULL"), Wire.Command("PONG", 9));
        Assert.Equal(expected, peer.Read(expected.Length));
        Assert.Equal("01,02", await rig.Messages.TakeAsync());
    }

    [Fact]
    public async Task Rfc37_pub_sub_subscriptions_and_cancellations_shall_be_commands()
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher();
        using RawPeer peer = new RawPeer(publisher.Bind(AnyPort)).Handshake("SUB").Send(Wire.Command("SUBSCRIBE", (byte)'a'));
        await rig.InterestAsync("+a");
        peer.Send(Wire.Command("CANCEL", (byte)'a'));
        await rig.InterestAsync("-a");

        LoopSubscriber subscriber = rig.Subscriber();
        using RawPeer pub = new RawPeer(subscriber.Bind(AnyPort)).Handshake("PUB");
        byte[] expected = Wire.Join(Wire.Greeting(), Wire.Ready("SUB"), Wire.Command("SUBSCRIBE", (byte)'b'), Wire.Command("CANCEL", (byte)'b'));
        await rig.Events.TakeAsync(e => e.Kind == ZeroMqEventKind.PeerConnected && e.Endpoint == subscriber.LastEndpoint!.ToString());
        subscriber.Subscribe("b"u8);
        subscriber.Unsubscribe("b"u8);
        Assert.Equal(expected, pub.Read(expected.Length));
    }

    [Fact]
    public async Task Rfc37_resource_shall_be_accepted_whatever_it_is()
    {
        await using var rig = new Rig();
        byte[] ready = Wire.Ready("PUSH", Wire.Property("Resource", Wire.Ascii("system/name-service/test")));
        using RawPeer peer = new RawPeer(rig.Pull().Bind(AnyPort)).Send(Wire.Greeting(), ready, Wire.Message([1]));
        Assert.Equal("01", await rig.Messages.TakeAsync());
    }

    [Fact]
    public async Task Rfc37_an_error_after_the_handshake_ends_the_connection()
    {
        await using var rig = new Rig();
        using RawPeer peer = new RawPeer(rig.Pull().Bind(AnyPort)).Handshake("PUSH").Send(Wire.Command("ERROR", [4, .. "stop"u8]), Wire.Message([1]));
        peer.ReadToEnd();
        await rig.EventAsync(ZeroMqEventKind.PeerRefused);
        Assert.Empty(rig.Messages.TakeAll());
    }

    [Fact]
    public async Task Rfc37_heartbeating_a_silent_peer_should_be_disconnected_and_connected_to_again()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        await using var rig = new Rig();
        rig.Push(o => o with { HeartbeatInterval = TimeSpan.FromMilliseconds(20), HeartbeatTimeout = TimeSpan.FromMilliseconds(40) })
            .Connect(string.Create(CultureInfo.InvariantCulture, $"tcp://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}"));
        using Socket silent = await Wait.For(listener.AcceptSocketAsync(TestContext.Current.CancellationToken).AsTask());
        silent.Send(Wire.Join(Wire.Greeting(), Wire.Ready("PULL")));
        Assert.Contains("heartbeat", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason, StringComparison.Ordinal);
        using Socket again = await Wait.For(listener.AcceptSocketAsync(TestContext.Current.CancellationToken).AsTask());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Rfc37_heartbeating_any_traffic_should_count_as_a_sign_of_life(bool says)
    {
        var time = new VirtualTime();
        using var group = new EventLoopGroup(new EventLoopOptions { CallerDriven = true, TimeProvider = time });
        var events = new Inbox<ZeroMqEvent>();
        int received = 0;
        var pull = new LoopPull(
            group[0],
            (ZeroMqPeer _, in ZmtpMessage _) => ++received > 0,
            new LoopMessageOptions { HeartbeatInterval = TimeSpan.FromSeconds(1), HeartbeatTimeout = TimeSpan.FromSeconds(3), OnEvent = events.Add });
        using RawPeer peer = new RawPeer(pull.Bind(AnyPort)).Handshake("PUSH");
        Turn(() => pull.Peers.Count == 1);
        events.TakeAll();
        for (int second = 1; second <= 10; second++)
        {
            if (says)
            {
                peer.Send(Wire.Message([1]));
                Turn(() => received == second);
            }

            time.Advance(TimeSpan.FromSeconds(1));
            group[0].RunOnce(TimeSpan.Zero);
            group[0].RunOnce(TimeSpan.Zero);
        }

        // The peer answered no PING in either case.
        Assert.Equal(says ? [] : [ZeroMqEventKind.PeerRefused], events.TakeAll().Select(e => e.Kind));

        void Turn(Func<bool> until)
        {
            for (long end = Environment.TickCount64 + (long)Wait.Limit.TotalMilliseconds; !until();)
            {
                Assert.True(Environment.TickCount64 < end);
                group[0].RunOnce(TimeSpan.FromMilliseconds(20));
            }
        }
    }
}
