using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Mechanisms;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Hostility;

/// <summary>
/// Random bytes in each state of a connection. The tests check the memory of the process, the reported events, and that
/// other peers are served.
/// </summary>
[Collection(Alone.Name)]
public sealed class NoiseTests
{
    private const long Mebibyte = 1 << 20;
    private const int StrangersPerRound = 16;

    // To run all of it: BROKER_HOSTILE_BYTES=10000000 dotnet test --filter FullyQualifiedName~NoiseTests
    private static readonly long NoiseBytes =
        long.TryParse(Environment.GetEnvironmentVariable("BROKER_HOSTILE_BYTES"), CultureInfo.InvariantCulture, out long bytes) ? bytes : 300_000;

    private static readonly string[] States =
    [
        "nothing said", "half a greeting", "greeted", "greeted as ZMTP 2.0", "greeted with PLAIN", "greeted with CURVE", "after CURVE's HELLO", "connected by CURVE",
        "connected", "within a message", "connected to a publisher", "held up", "refused",
    ];

    public static TheoryData<string, bool> Cases
    {
        get
        {
            var all = new TheoryData<string, bool>();
            foreach (string state in States)
            {
                all.Add(state, false);
                all.Add(state, true);
            }

            return all;
        }
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Random_bytes_in_any_state_use_no_memory_disturb_no_other_peer_and_are_reported_once(string state, bool portable)
    {
        int seed = Seed.Next();
        var random = new Random(seed);
        await using var rig = new Rig(portable: portable);
        var told = new List<ZeroMqEvent>();
        (LoopSocket? socket, Func<ZeroMqEndpoint, Task>? serve) = Serving(rig, state);
        ZeroMqEndpoint endpoint = socket.Bind("tcp://127.0.0.1:*");
        await serve(endpoint);
        long resident = 0;
        int strangers = 0;
        byte[] noise = new byte[4096];
        for (long sent = 0; sent < NoiseBytes; sent += noise.Length)
        {
            if (sent >= NoiseBytes / 4 && resident == 0)
            {
                resident = ResidentMemory.Octets();
            }

            random.NextBytes(noise);
            if (random.Next(2) == 0)
            {
                // Otherwise most inputs end with their first byte.
                noise[0] &= 7;
                noise[1] = (byte)random.Next(40);
            }

            using (RawPeer stranger = Stranger(endpoint, state).Send(noise))
            {
                // A peer that is paused may not be read to its end before the next round, and the listener is slow to
                // accept a new one. All other peers are read to the end.
                if (state != "held up")
                {
                    stranger.EndSending().ReadToEnd();
                }
                else
                {
                    stranger.HearUpTo(Wire.Greeting().Length + Wire.Ready("PULL").Length);
                }
            }

            if (++strangers % StrangersPerRound == 0)
            {
                await serve(endpoint);
            }
        }

        await serve(endpoint);
        await Wait.UntilAsync(() => socket.ConnectionCount == 1, $"the end of all strangers, seed {seed}");
        Assert.InRange(ResidentMemory.Octets() - resident, long.MinValue, 64 * Mebibyte);
        await Wait.UntilAsync(() => rig.Loops.BufferedBytes == 0, () => $"{rig.Loops.BufferedBytes} bytes are held, seed {seed}");
        told.AddRange(rig.Events.TakeAll());
        var faults = told.Where(e => e.Reason?.Contains("failed with", StringComparison.Ordinal) == true).ToList();
        Assert.True(faults.Count == 0, $"seed {seed}: {string.Join("; ", faults.Take(5))}");
        Assert.DoesNotContain(told, e => e.Reason is not null && e.Reason.Any(char.IsControl));
        int ends = told.Count(e => e.Kind is ZeroMqEventKind.PeerRefused or ZeroMqEventKind.PeerDisconnected);
        Assert.True(ends == strangers, $"seed {seed}: {ends} ends are told of {strangers} strangers");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Random_bytes_from_a_peer_whose_connection_is_draining_are_discarded(bool portable)
    {
        const int Messages = 12;
        int seed = Seed.Next();
        var random = new Random(seed);

        // More than the kernel's buffers contain for a connection whose other end does not read.
        byte[] body = Wire.Filled(1_000_000);
        long expected = Wire.Join(Wire.Greeting(), Wire.Ready("PUSH")).Length + ((long)Messages * Wire.Message(body).Length);
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        string endpoint = $"tcp://{listener.LocalEndpoint}";
        await using var rig = new Rig(portable: portable);
        LoopPush push = rig.Push();
        byte[] noise = new byte[100_000];
        for (long sent = 0; sent < NoiseBytes; sent += noise.Length)
        {
            push.Connect(endpoint);
            using Socket stranger = await Wait.For(listener.AcceptSocketAsync(TestContext.Current.CancellationToken).AsTask());
            stranger.Send(Wire.Join(Wire.Greeting(), Wire.Ready("PULL")));
            await rig.EventAsync(ZeroMqEventKind.PeerConnected);
            await rig.DoAsync(() =>
            {
                for (int i = 0; i < Messages; i++)
                {
                    Assert.True(push.TrySend(body));
                }
            });
            Assert.True(push.Disconnect(endpoint, Wait.Limit));

            // When the loop runs this action, the connection is draining.
            await rig.DoAsync(() => Assert.True(rig.Loops.BufferedBytes > body.Length));
            random.NextBytes(noise);
            stranger.Send(noise);
            long got = 0;
            byte[] buffer = new byte[65_536];
            for (int count; (count = stranger.Receive(buffer)) != 0;)
            {
                got += count;
            }

            Assert.True(got == expected, $"seed {seed}: {got} of {expected}");
            stranger.Dispose();
            ZeroMqEvent end = await rig.Events.TakeAsync(e => e.Kind is ZeroMqEventKind.PeerDisconnected or ZeroMqEventKind.PeerRefused);
            Assert.Equal((ZeroMqEventKind.PeerDisconnected, 0), (end.Kind, end.Undelivered));
        }

        await Wait.UntilAsync(() => rig.Loops.BufferedBytes == 0, () => $"{rig.Loops.BufferedBytes} bytes are held, seed {seed}");
    }

    // A socket, and a check that it serves a well-behaved peer.
    private static (LoopSocket Socket, Func<ZeroMqEndpoint, Task> Serve) Serving(Rig rig, string state)
    {
        int round = 0;
        if (state == "connected to a publisher")
        {
            LoopPublisher publisher = rig.Publisher(o => o with { OnInterest = null });
            LoopSubscriber subscriber = rig.Subscriber();
            subscriber.Subscribe("decent"u8);
            return (publisher, async endpoint =>
            {
                byte[] text = Wire.Ascii($"decent {round}");
                if (round++ == 0)
                {
                    subscriber.Connect(endpoint.ToString());
                }

                await Wait.UntilAsync(async () => await rig.PublishAsync(publisher, text) > 0);
                await rig.Messages.TakeAsync(m => m == LibzmqPeer.Show(text));
            }
            );
        }

        (ZeroMqSecurity? here, ZeroMqSecurity? there) = state switch
        {
            "greeted with PLAIN" => (ZeroMqSecurity.PlainServer, ZeroMqSecurity.PlainClient("decent", "secret")),
            "greeted with CURVE" or "after CURVE's HELLO" or "connected by CURVE" => (Curve.Server, Curve.Client),
            _ => (ZeroMqSecurity.Null, ZeroMqSecurity.Null),
        };
        bool takes = false;
        LoopPull pull = rig.Pull(
            o => o with
            {
                Security = here,
                Authenticate = here == ZeroMqSecurity.Null ? null : c => ValueTask.FromResult(
                    c.PublicKey is not null || c.Username == "decent" ? ZeroMqAdmission.Admit() : ZeroMqAdmission.Refuse("no")),
            },
            (ZeroMqPeer peer, in ZmtpMessage message) =>
                takes && (!message.FirstFrame.Body.StartsWith("decent"u8) || rig.Record(peer, message)));
        LoopPush push = rig.Push(o => o with { Security = there });
        return (pull, async endpoint =>
        {
            byte[] text = Wire.Ascii($"decent {round}");
            if (round++ == 0)
            {
                push.Connect(endpoint.ToString());
            }

            await rig.DoAsync(() =>
            {
                takes = true;
                pull.ResumeReceiving();
            });
            await Wait.UntilAsync(() => rig.OnLoopAsync(() => push.TrySend(text)));
            await rig.Messages.TakeAsync(m => m == LibzmqPeer.Show(text));
            await Wait.UntilAsync(() => pull.ConnectionCount == 1, "the end of the strangers so far");
            await rig.DoAsync(() => takes = state != "held up");
        }
        );
    }

    // A peer that has reached that state.
    private static RawPeer Stranger(ZeroMqEndpoint endpoint, string state)
    {
        var peer = new RawPeer(endpoint);
        switch (state)
        {
            case "after CURVE's HELLO":
                return ShakeHands(peer, toTheEnd: false);
            case "connected by CURVE":
                return ShakeHands(peer, toTheEnd: true);
            default:
                return peer.Send(state switch
                {
                    "nothing said" => [],
                    "half a greeting" => Wire.Greeting()[..20],
                    "greeted" => Wire.Greeting(),
                    "greeted as ZMTP 2.0" => [0xFF, .. Wire.Big64(1), 0x7F, 1, 8],
                    "greeted with PLAIN" => Wire.Greeting(mechanism: "PLAIN"),
                    "greeted with CURVE" => Wire.Greeting(mechanism: "CURVE"),
                    "connected to a publisher" or "refused" => Wire.Join(Wire.Greeting(), Wire.Ready("SUB")),
                    "within a message" => Wire.Join(Wire.Greeting(), Wire.Ready("PUSH"), [1, 1, 9]),
                    _ => Wire.Join(Wire.Greeting(), Wire.Ready("PUSH")),
                });
        }
    }

    private static RawPeer ShakeHands(RawPeer peer, bool toTheEnd)
    {
        const int GreetingSize = 64;
        var handshake = new ZmtpHandshake(new ZmtpHandshakeOptions(ZmtpSocketType.Push), Curve.Client.Create(asks: false, binds: false));
        byte[] output = new byte[handshake.MaxOutputSize];
        byte[] held = [];
        for (int said = 0; ;)
        {
            ZmtpHandshakeStep step = handshake.Advance(held, output);
            peer.Send(output[..step.Written]);
            said += step.Written;
            held = held[step.Consumed..];
            Assert.NotEqual(ZmtpHandshakeState.Failed, step.State);
            if (step.State == ZmtpHandshakeState.Active || (!toTheEnd && said > GreetingSize))
            {
                return peer;
            }

            if (step is { Written: 0, Consumed: 0 })
            {
                held = [.. held, .. peer.Read(1)];
            }
        }
    }
}
