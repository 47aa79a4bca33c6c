using System.Text;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Sockets;

/// <summary>Each hostile peer causes one event and nothing else; a well-behaved peer is served all the time.</summary>
public sealed class HostilePeerTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    public static TheoryData<string, string> Greetings => new()
    {
        { Convert.ToHexString(Wire.Ascii("GET / HTTP/1.1\r\nHost: x\r\n\r\n")), "not ZMTP" },
        { "01", "not ZMTP" },
        { Convert.ToHexString(Wire.Greeting(major: 0)), "before 3.0" },
        { Convert.ToHexString(Wire.Greeting(mechanism: "PLAIN")), "mechanisms differ" },
        { Convert.ToHexString(Wire.Join(Wire.Greeting(), Wire.Ready("PUSH"))), "socket types cannot be connected" },
        { Convert.ToHexString(Wire.Join(Wire.Greeting(), Wire.Ready("PUB"))), "socket types cannot be connected" },
        { Convert.ToHexString(Wire.Join(Wire.Greeting(), Wire.Ready("NONSENSE"))), "socket type is unknown" },
        { Convert.ToHexString(Wire.Join(Wire.Greeting(), Wire.Command("READY"))), "socket type is missing" },
        { Convert.ToHexString(Wire.Join(Wire.Greeting(), Wire.Hex("06 7fffffffffffffff"))), "command size limit" },
        { Convert.ToHexString(Wire.Join(Wire.Greeting(), Wire.Hex("06 ffffffffffffffff"))), "2^63-1" },
        { Convert.ToHexString(Wire.Join(Wire.Greeting(), Wire.Message([1]))), "before the handshake" },
        { Convert.ToHexString(Wire.Join(Wire.Greeting(), Wire.Command("ERROR", [3, .. "no\n"u8]))), "refused the connection: no?" },
    };

    public static TheoryData<string, string> Traffic => new()
    {
        { "02 7fffffffffffffff", "frame size limit" },
        { "02 8000000000000000", "2^63-1" },
        { "06 7fffffffffffffff", "command size limit" },
        { "f8 00", "reserved flag bits" },
        { "04 01 00", "no valid name" },
        { Convert.ToHexString(Wire.Command("SUBSCRIBE", Wire.Filled(200_000))), "command size limit" },
        { Convert.ToHexString(Wire.Message(Wire.Filled(200_000, 1))), "frame size limit" },
        { Convert.ToHexString(Wire.Command("PING")), "PING command is malformed" },
        { Convert.ToHexString(Wire.Join([.. Enumerable.Range(0, 6).Select(i => Wire.Command("SUBSCRIBE", (byte)i))])), "subscriptions" },
        { Convert.ToHexString(Wire.Join([.. Enumerable.Range(0, 6).Select(i => Wire.Message([1, (byte)i]))])), "subscriptions" },
        { Convert.ToHexString(Wire.Join([.. Enumerable.Range(0, 3).Select(i => Wire.Command("SUBSCRIBE", Wire.Filled(500, (byte)i)))])), "subscriptions" },
        { Convert.ToHexString(Wire.Join([.. Enumerable.Repeat(Wire.Frame(1), 65)])), "frame count limit" },
    };

    [Theory]
    [MemberData(nameof(Greetings))]
    public Task A_peer_that_fails_its_handshake_is_refused_with_the_reason(string hex, string reason)
        => RefuseAsync(endpoint => new RawPeer(endpoint).Send(Wire.Hex(hex)), reason);

    [Theory]
    [MemberData(nameof(Traffic))]
    public Task A_peer_that_breaks_a_rule_later_is_refused_with_the_reason(string hex, string reason)
        => RefuseAsync(endpoint => new RawPeer(endpoint).Handshake("SUB").Send(Wire.Hex(hex)), reason);

    [Fact]
    public Task A_peer_that_never_speaks_is_closed_at_the_handshake_timeout()
        => RefuseSlowAsync(endpoint => new RawPeer(endpoint));

    [Fact]
    public Task A_slow_greeting_does_not_extend_the_handshake_timeout() => RefuseSlowAsync(
        endpoint =>
        {
            var peer = new RawPeer(endpoint);
            _ = Task.Run(() => DribbleAsync(peer), TestContext.Current.CancellationToken);
            return peer;
        });

    [Fact]
    public async Task Random_bytes_after_the_handshake_disturb_no_other_peer()
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher();
        ZeroMqEndpoint endpoint = publisher.Bind(AnyPort);
        var random = new Random(Seed.Next());
        for (int i = 0; i < 200; i++)
        {
            byte[] noise = new byte[random.Next(1, 2000)];
            random.NextBytes(noise);
            using RawPeer peer = new RawPeer(endpoint).Handshake("SUB", (byte)(i & 1)).Send(noise);
        }

        await ServesAsync(rig, publisher, endpoint, "still there");
        Assert.DoesNotContain(rig.Events.TakeAll(), e => e.Reason is not null && e.Reason.Any(char.IsControl));
    }

    [Fact]
    public async Task A_refused_peer_is_sent_the_reason()
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher(o => o with { AcceptPeer = peer => peer.Zmtp.TryGetProperty("X-Key"u8, out _) ? null : "no key" });
        ZeroMqEndpoint endpoint = publisher.Bind(AnyPort);
        using RawPeer bad = new RawPeer(endpoint).Handshake("SUB");
        Assert.EndsWith("ERROR\u0006no-key", Encoding.Latin1.GetString(bad.ReadToEnd()), StringComparison.Ordinal);
        Assert.Equal("no key", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason);

        await using var other = new Rig();
        LoopSubscriber subscriber = other.Subscriber(o => o with { Properties = [new("X-Key", "k")] });
        subscriber.Subscribe([]);
        subscriber.Connect(endpoint.ToString());
        await rig.InterestAsync("+");
    }

    [Fact]
    public async Task One_peer_too_many_is_refused_until_another_disconnects()
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher(o => o with { MaxPeers = 2 });
        ZeroMqEndpoint endpoint = publisher.Bind(AnyPort);
        using RawPeer first = new RawPeer(endpoint).Handshake("SUB");
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        using (RawPeer second = new RawPeer(endpoint).Handshake("SUB"))
        {
            await rig.EventAsync(ZeroMqEventKind.PeerConnected);
            using var third = new RawPeer(endpoint);
            Assert.Equal("too many peers", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason);
        }

        await rig.EventAsync(ZeroMqEventKind.PeerDisconnected);
        using RawPeer fourth = new RawPeer(endpoint).Handshake("SUB");
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
    }

    [Fact]
    public async Task The_answers_queued_for_a_peer_that_reads_none_are_limited()
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher(o => o with { HighWaterMark = 100_000 });
        ZeroMqEndpoint endpoint = publisher.Bind(AnyPort);
        using RawPeer peer = new RawPeer(endpoint).Handshake("SUB");
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        byte[] pings = Wire.Join([.. Enumerable.Repeat(Wire.Command("PING", [0, 0, .. Wire.Filled(16)]), 4000)]);
        ZeroMqPeer info = Assert.Single(publisher.Peers);
        for (int i = 0; i < 200; i++)
        {
            peer.Send(pings);
            Assert.InRange(info.PendingBytes, 0, 1_000_000);
        }
    }

    [Fact]
    public async Task A_subscriber_refuses_a_message_over_its_limit_before_it_arrives()
    {
        await using var rig = new Rig();
        LoopSubscriber subscriber = rig.Subscriber(o => o with { Limits = new(maxFrameSize: 1000, maxMessageSize: 1500, maxFrames: 3) });
        subscriber.Subscribe([]);
        ZeroMqEndpoint endpoint = subscriber.Bind(AnyPort);
        foreach ((string? hex, string? reason) in new[]
        {
            ("02 00000000000003e9", "frame size limit"),
            ("03 7fffffffffffffff", "frame size limit"),
            (Convert.ToHexString(Wire.Join(Wire.Hex("03 0000000000000384"), Wire.Filled(900), Wire.Hex("02 0000000000000384"))), "message size limit"),
            ("0100 0100 0100 0000", "frame count limit"),
        })
        {
            using RawPeer peer = new RawPeer(endpoint).Handshake("PUB").Send(Wire.Hex(hex));
            Assert.Contains(reason, (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason, StringComparison.Ordinal);
            peer.ReadToEnd();
        }

        Assert.Empty(rig.Messages.TakeAll());
    }

    private static async Task RefuseAsync(Func<ZeroMqEndpoint, RawPeer> connect, string reason)
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher(o => o with
        {
            MaxSubscriptionsPerPeer = 5,
            MaxSubscriptionBytesPerPeer = 1000,
        });
        ZeroMqEndpoint endpoint = publisher.Bind(AnyPort);
        using (RawPeer peer = connect(endpoint))
        {
            Assert.Contains(reason, (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason, StringComparison.Ordinal);
            peer.ReadToEnd();
        }

        await ServesAsync(rig, publisher, endpoint, "good");
        Assert.DoesNotContain(rig.Events.TakeAll(), e => e.Kind == ZeroMqEventKind.PeerRefused);
    }

    // The served peer is connected to another endpoint's socket, because half a second can be too short for a handshake
    // on a busy machine.
    private static async Task RefuseSlowAsync(Func<ZeroMqEndpoint, RawPeer> connect)
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher(o => o with { HandshakeTimeout = TimeSpan.FromMilliseconds(500) });
        LoopPublisher patient = rig.Publisher();
        ZeroMqEndpoint good = patient.Bind(AnyPort);
        using (RawPeer peer = connect(publisher.Bind(AnyPort)))
        {
            await ServesAsync(rig, patient, good, "before");
            Assert.Contains("handshake took too long", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason, StringComparison.Ordinal);
            peer.ReadToEnd();
        }

        await ServesAsync(rig, patient, good, "after");
        Assert.DoesNotContain(rig.Events.TakeAll(), e => e.Kind == ZeroMqEventKind.PeerRefused);
    }

    private static async Task ServesAsync(Rig rig, LoopPublisher publisher, ZeroMqEndpoint endpoint, string topic)
    {
        using RawPeer good = new RawPeer(endpoint).Handshake("SUB").Send(Wire.Command("SUBSCRIBE", Wire.Ascii(topic)));
        await rig.InterestAsync("+" + topic);
        Assert.Equal(1, await rig.PublishAsync(publisher, Wire.Ascii(topic)));
        byte[] expected = Wire.Join(Wire.Greeting(), Wire.Ready("PUB"), Wire.Message(Wire.Ascii(topic)));
        Assert.Equal(expected, good.Read(expected.Length));
    }

    private static async Task DribbleAsync(RawPeer peer)
    {
        try
        {
            foreach (byte octet in Wire.Greeting())
            {
                peer.Send([octet]);
                await Task.Delay(50);
            }
        }
        catch (Exception e) when (e is System.Net.Sockets.SocketException or ObjectDisposedException)
        {
            // The other side must have closed the connection.
        }
    }
}
