using System.Diagnostics;
using System.Globalization;
using Broker.ZeroMq.Mechanisms;
using Broker.ZeroMq.Sockets;
using Broker.ZeroMq.Tests.Mechanisms;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Hostility;

/// <summary>What strangers can make the process hold, measured as the memory that it really occupies.</summary>
[Collection(Alone.Name)]
public sealed class MemoryTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";
    private const long Mebibyte = 1 << 20;

    // All of it by hand: BROKER_HOSTILE_BYTES=10000000 dotnet test --filter FullyQualifiedName~MemoryTests
    private static readonly long NoiseBytes =
        long.TryParse(Environment.GetEnvironmentVariable("BROKER_HOSTILE_BYTES"), CultureInfo.InvariantCulture, out long bytes) ? bytes : 300_000;

    public static TheoryData<string> States =>
        ["nothing said", "half a greeting", "greeted", "greeted with PLAIN", "greeted with CURVE", "connected", "within a message", "connected to a publisher", "held up"];

    [Theory]
    [MemberData(nameof(States))]
    public async Task Random_bytes_in_any_state_harm_nobody_and_cost_no_memory(string state)
    {
        int seed = Random.Shared.Next();
        TestContext.Current.TestOutputHelper?.WriteLine($"seed {seed}");
        var random = new Random(seed);
        await using var rig = new Rig();
        bool takes = state != "held up";
        var security = state switch
        {
            "greeted with PLAIN" => ZeroMqSecurity.PlainServer,
            "greeted with CURVE" => Curve.Server,
            _ => ZeroMqSecurity.Null,
        };
        LoopSocket socket = state == "connected to a publisher"
            ? rig.Publisher()
            : rig.Pull(
                o => o with { Security = security, Authenticate = security == ZeroMqSecurity.Null ? null : _ => ValueTask.FromResult(ZeroMqAdmission.Refuse("no")) },
                (ZeroMqPeer _, in Broker.ZeroMq.Zmtp.Framing.ZmtpMessage _) => takes);
        var endpoint = socket.Bind(AnyPort);
        byte[] before = state switch
        {
            "nothing said" => [],
            "half a greeting" => Wire.Greeting()[..20],
            "greeted" => Wire.Greeting(),
            "greeted with PLAIN" => Wire.Greeting(mechanism: "PLAIN"),
            "greeted with CURVE" => Wire.Greeting(mechanism: "CURVE"),
            "connected to a publisher" => Wire.Join(Wire.Greeting(), Wire.Ready("SUB")),
            "within a message" => Wire.Join(Wire.Greeting(), Wire.Ready("PUSH"), [1, 1, 9]),
            _ => Wire.Join(Wire.Greeting(), Wire.Ready("PUSH")),
        };
        long resident = 0;
        byte[] noise = new byte[4096];
        for (long sent = 0; sent < NoiseBytes; sent += noise.Length)
        {
            if (sent >= NoiseBytes / 4 && resident == 0)
            {
                resident = Resident();
            }

            random.NextBytes(noise);
            if (random.Next(2) == 0)
            {
                // Else most of it ends with its first octet.
                noise[0] &= 7;
                noise[1] = (byte)random.Next(40);
            }

            using var stranger = new RawPeer(endpoint).Send(before).Send(noise);
        }

        await Wait.UntilAsync(() => socket.ConnectionCount == 0, $"the end of all strangers, seed {seed}");
        Assert.InRange(Resident() - resident, long.MinValue, 64 * Mebibyte);
        await Wait.UntilAsync(() => rig.Loops.HeldBytes == 0, () => $"{rig.Loops.HeldBytes} bytes are held, seed {seed}");
        var faults = rig.Events.TakeAll().Where(e => e.Reason?.Contains("failed with", StringComparison.Ordinal) == true).ToList();
        Assert.True(faults.Count == 0, $"seed {seed}: {string.Join("; ", faults.Take(5))}");
        Assert.DoesNotContain(rig.Events.TakeAll(), e => e.Reason is not null && e.Reason.Any(char.IsControl));
    }

    [Fact]
    public async Task A_hundred_thousand_subscriptions_of_one_peer_are_too_many_and_leave_nothing_behind()
    {
        await using var rig = new Rig();
        var publisher = rig.Publisher(o => o with { OnInterest = null });
        var endpoint = publisher.Bind(AnyPort);
        using var decent = new RawPeer(endpoint).Handshake("SUB").Send(Wire.Command("SUBSCRIBE", Wire.Ascii("topic")));
        await Wait.UntilAsync(async () => await rig.PublishAsync(publisher, Wire.Ascii("topic")) == 1);
        long resident = Resident();
        for (int round = 0; round < 3; round++)
        {
            using var greedy = new RawPeer(endpoint).Handshake("SUB").Send(SubscriptionShareTests.Subscriptions("prefix", 100_000));
            greedy.ReadToEnd();
            Assert.Contains("subscriptions", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason, StringComparison.Ordinal);
            Assert.Equal(1, await rig.PublishAsync(publisher, Wire.Ascii("topic")));
        }

        Assert.InRange(Resident() - resident, long.MinValue, 160 * Mebibyte);
        await Wait.UntilAsync(async () => await rig.PublishAsync(publisher, Wire.Ascii("prefix0")) == 0);
    }

    [Fact]
    public async Task Topics_of_a_mebibyte_are_refused_by_default_and_need_no_stack_where_they_are_allowed()
    {
        await using var rig = new Rig();
        byte[] topic = Wire.Filled((int)Mebibyte, (byte)'t');
        var strict = rig.Publisher().Bind(AnyPort);
        using (var peer = new RawPeer(strict).Handshake("SUB").Send(Wire.Command("SUBSCRIBE", topic)))
        {
            peer.ReadToEnd();
        }

        Assert.Contains("command size limit", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason, StringComparison.Ordinal);
        using (var peer = new RawPeer(strict).Handshake("SUB", minor: 0).Send(Wire.Message([1, .. topic])))
        {
            peer.ReadToEnd();
        }

        Assert.Contains("frame size limit", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason, StringComparison.Ordinal);
        var generous = rig.Publisher(o => o with { MaxSubscriptionSize = 2 << 20, OnInterest = null });
        using var wants = new RawPeer(generous.Bind(AnyPort)).Handshake("SUB").Send(Wire.Command("SUBSCRIBE", topic));
        await Wait.UntilAsync(async () => await rig.PublishAsync(generous, topic) == 1);
        Assert.Equal(0, await rig.PublishAsync(generous, topic[..^1]));
    }

    [Fact]
    public async Task What_is_announced_costs_nothing_before_it_has_come()
    {
        const int Strangers = 200;
        await using var rig = new Rig();
        var pull = rig.Pull();
        var endpoint = pull.Bind(AnyPort);
        long resident = Resident();

        // Each announces a frame as large as may be, sends a little of it, and waits.
        byte[] says = Wire.Join(Wire.Greeting(), Wire.Ready("PUSH"), [2, .. Wire.Big64(16 << 20)], Wire.Filled(5000));
        var strangers = Enumerable.Range(0, Strangers).Select(_ => new RawPeer(endpoint).Send(says)).ToList();
        await rig.ConnectedOnceAsync(Strangers);
        Assert.InRange(Resident() - resident, long.MinValue, 64 * Mebibyte);
        strangers.ForEach(stranger => stranger.Dispose());
        await Wait.UntilAsync(() => pull.ConnectionCount == 0);
    }

    private static long Resident()
    {
        GC.Collect();
        using var process = Process.GetCurrentProcess();
        return process.WorkingSet64;
    }
}
