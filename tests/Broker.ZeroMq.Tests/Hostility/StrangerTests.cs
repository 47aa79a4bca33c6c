using Broker.ZeroMq.Tests.Mechanisms;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Hostility;

/// <summary>
/// Input that crashed other implementations, and similar input. The process must survive, the hostile peer must be
/// disconnected with one event, and the well-behaved peer beside it must be served.
/// </summary>
public sealed class StrangerTests
{
    private static readonly string[] Types = ["PULL", "ROUTER", "DEALER", "REP", "XPUB", "SUB"];

    private static readonly (string What, byte[] Says)[] Openings =
    [
        // Faults that end the process or overflow the stack in NetMQ: a length of ZMTP 1.0, and a negative length in
        // READY.
        ("a length of ZMTP 1.0 of 2^63", [0xFF, .. Wire.Big64(1UL << 63), 0]),
        ("a length of ZMTP 1.0 of 2^31", [0xFF, .. Wire.Big64(1UL << 31), 0]),
        ("a length of ZMTP 1.0 of 2^64-1", [0xFF, .. Wire.Big64(ulong.MaxValue), 0]),
        ("a short length of ZMTP 1.0", [0x7E, 0, .. Wire.Filled(125)]),
        ("a property with a length of -1", Wire.Join(Wire.Greeting(), Wire.Command("READY", [11, .. "Socket-Type"u8, .. Wire.Big32(uint.MaxValue)]))),
        ("a property with a length of -2^31", Wire.Join(Wire.Greeting(), Wire.Command("READY", [11, .. "Socket-Type"u8, .. Wire.Big32(1u << 31)]))),
        ("a property with a length of 2^31-1", Wire.Join(Wire.Greeting(), Wire.Command("READY", [11, .. "Socket-Type"u8, .. Wire.Big32(int.MaxValue)]))),
        ("a property with a name beyond the end", Wire.Join(Wire.Greeting(), Wire.Command("READY", 255, 1))),
        ("an identity of 256 octets", Wire.Join(Wire.Greeting(), Wire.Ready("DEALER", Wire.Property("Identity", Wire.Filled(256))))),
        ("a handshake command of 2^31", Wire.Join(Wire.Greeting(), [6, .. Wire.Big64(1UL << 31)])),
        ("a handshake command of 2^63", Wire.Join(Wire.Greeting(), [6, .. Wire.Big64(1UL << 63)])),
        ("CURVE where there is none", Wire.Greeting(mechanism: "CURVE")),
    ];

    private static readonly (string What, byte[] Says)[] Frames =
    [
        .. from exponent in (int[])[31, 32, 40, 62, 63]
           from flags in (byte[])[2, 3, 6]
           select ($"a frame of 2^{exponent} with flags {flags}", (byte[])[flags, .. Wire.Big64(1UL << exponent)]),
        .. from flags in (byte[])[2, 3, 6]
           from length in (ulong[])[int.MaxValue, (1UL << 63) - 1, ulong.MaxValue]
           select ($"a frame of {length} with flags {flags}", (byte[])[flags, .. Wire.Big64(length)]),
        ("a frame with all flags", [0xFF, 0xFF]),
        ("a command without a name", [4, 0, 1]),
        ("a command with a name beyond its end", [4, 2, 200, 65]),
        ("a command that promises more", [5, 2, 1, 65]),
        ("a PING that is too short", Wire.Command("PING", 0)),
        ("a PING with a context of 17 octets", Wire.Command("PING", [0, 0, .. Wire.Filled(17)])),
        ("an ERROR with a reason beyond its end", Wire.Command("ERROR", 200, 65)),
    ];

    public static TheoryData<string, bool> Cases
    {
        get
        {
            var all = new TheoryData<string, bool>();
            foreach (string type in Types)
            {
                all.Add(type, false);
                all.Add(type, true);
            }

            return all;
        }
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task A_peer_that_violates_the_protocol_is_refused_with_one_event_and_the_others_are_served(string type, bool amongFrames)
    {
        await using var listener = new Listener(type);
        listener.Serve();
        await listener.Events.TakeAsync(e => e.Kind == ZeroMqEventKind.PeerConnected);
        byte[] welcome = Wire.Join(Wire.Greeting(), Wire.Ready(listener.HostileType));
        (string What, byte[] Says)[] attacks = amongFrames
            ? [.. Frames.Select(f => (f.What, Wire.Join(welcome, f.Says))), .. Frames.Select(f => (f.What + " within a message", Wire.Join(welcome, [1, 1, 9], f.Says)))]
            : Openings;
        foreach ((string? what, byte[]? says) in attacks)
        {
            using (RawPeer stranger = new RawPeer(listener.Endpoint).Send(says))
            {
                try
                {
                    stranger.ReadToEnd();
                }
                catch (System.Net.Sockets.SocketException e)
                {
                    Assert.Fail($"{what}: {e.Message}");
                }
            }

            // The events until the peer is disconnected; exactly one of them has the reason.
            ZeroMqEvent dropped = await listener.Events.TakeAsync(e => e.Kind is ZeroMqEventKind.PeerRefused or ZeroMqEventKind.PeerDisconnected);
            Assert.True(dropped.Kind == ZeroMqEventKind.PeerRefused, $"{what}: {dropped.Kind}, {dropped.Reason}");
            Assert.DoesNotContain(dropped.Reason!, char.IsControl);
            listener.Serve();
        }

        await Wait.UntilAsync(() => listener.ConnectionCount == 1);
        Assert.DoesNotContain(listener.Events.TakeAll(), e => e.Kind is ZeroMqEventKind.PeerRefused or ZeroMqEventKind.PeerDisconnected);
    }

    [Fact]
    public async Task Fifty_silent_peers_and_fifty_slow_ones_are_closed_at_the_handshake_timeout()
    {
        const int Each = 50;
        var events = new Inbox<ZeroMqEvent>();
        using var patient = new PullSocket();
        using var push = new PushSocket();
        push.Connect(patient.Bind("tcp://127.0.0.1:*"));
        using var pull = new PullSocket(new ZeroMqSocketOptions { HandshakeTimeout = TimeSpan.FromMilliseconds(500), OnEvent = events.Add });
        var endpoint = ZeroMqEndpoint.Parse(pull.Bind("tcp://127.0.0.1:*"));
        var silent = Enumerable.Range(0, Each).Select(_ => new RawPeer(endpoint)).ToList();
        var dripping = Enumerable.Range(0, Each).Select(_ => new RawPeer(endpoint)).ToList();
        byte[] greeting = Wire.Greeting();
        int octet = 0;
        int dropped = 0;
        await Wait.UntilAsync(
            () =>
            {
                // Never the last peer, however long it takes: at most one and a half handshake timeouts have passed.
                if (octet < greeting.Length - 1)
                {
                    byte next = greeting[octet++];
                    dripping.ForEach(peer => peer.Send([next]));
                }

                push.Send("on it goes");
                Assert.Equal("on it goes", patient.ReceiveString());
                dropped += events.TakeAll().Count(e => e is { Kind: ZeroMqEventKind.PeerRefused, Reason: "the handshake took too long" });
                return dropped >= 2 * Each;
            },
            () => $"{dropped} were dropped");
        Assert.Equal(2 * Each, dropped);
        silent.ForEach(peer => peer.Dispose());
        dripping.ForEach(peer => peer.Dispose());
        Assert.Empty(events.TakeAll());
        await Wait.UntilAsync(() => pull.ConnectionCount == 0);
    }

    [Theory]
    [InlineData("CURVE")]
    [InlineData("PLAIN")]
    public async Task A_secured_endpoint_refuses_everything_unencrypted(string mechanism)
    {
        await using var listener = new Listener("PULL");
        var events = new Inbox<ZeroMqEvent>();
        using var pull = new PullSocket(new ZeroMqSocketOptions
        {
            OnEvent = events.Add,
            Security = mechanism == "CURVE" ? Curve.Server : ZeroMqSecurity.PlainServer,
            Authenticate = _ => ValueTask.FromResult(mechanism == "CURVE" ? ZeroMqAdmission.Admit() : ZeroMqAdmission.Refuse("nobody")),
        });
        var endpoint = ZeroMqEndpoint.Parse(pull.Bind("tcp://127.0.0.1:*"));
        byte[] message = Wire.Message("in clear"u8.ToArray());
        foreach (byte[] says in (byte[][])
        [
            // ZMTP 1.0, which NetMQ's CURVE server accepts; 2.0; 3.0 without encryption; and the mechanism's name with
            // nothing after it.
            Wire.Join([1, 0], [9, 0], "in clear"u8.ToArray()),
            Wire.Join([0xFF, .. Wire.Big64(1), 0x7F, 1, 8], Wire.Frame(0), message),
            Wire.Join(Wire.Greeting(), Wire.Ready("PUSH"), message),
            Wire.Join(Wire.Greeting(mechanism: mechanism), Wire.Ready("PUSH"), message),
            Wire.Join(Wire.Greeting(mechanism: mechanism), message),
        ])
        {
            using RawPeer stranger = new RawPeer(endpoint).Send(says);
            stranger.ReadToEnd();
            await events.TakeAsync(e => e.Kind == ZeroMqEventKind.PeerRefused);
        }

        await Wait.UntilAsync(() => pull.ConnectionCount == 0);
        Assert.DoesNotContain(events.TakeAll(), e => e.Kind is ZeroMqEventKind.PeerConnected or ZeroMqEventKind.PeerRefused);
        Assert.False(pull.HasMessages);
        listener.Serve();
    }
}
