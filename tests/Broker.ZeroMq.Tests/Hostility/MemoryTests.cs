using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Hostility;

/// <summary>How much memory hostile peers can make the process use. The tests measure the resident memory.</summary>
[Collection(Alone.Name)]
public sealed class MemoryTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";
    private const long Mebibyte = 1 << 20;

    public static TheoryData<bool> Pollers => [false, true];

    [Theory]
    [MemberData(nameof(Pollers))]
    public async Task A_peer_with_a_hundred_thousand_subscriptions_is_refused_and_its_memory_is_freed(bool portable)
    {
        await using var rig = new Rig(portable: portable);
        LoopPublisher publisher = rig.Publisher(o => o with { OnInterest = null });
        ZeroMqEndpoint endpoint = publisher.Bind(AnyPort);
        using RawPeer decent = new RawPeer(endpoint).Handshake("SUB").Send(Wire.Command("SUBSCRIBE", Wire.Ascii("topic")));
        await Wait.UntilAsync(async () => await rig.PublishAsync(publisher, Wire.Ascii("topic")) == 1);
        long resident = ResidentMemory.Octets();
        for (int round = 0; round < 3; round++)
        {
            using RawPeer greedy = new RawPeer(endpoint).Handshake("SUB").Send(SubscriptionShareTests.Subscriptions("prefix", 100_000));
            greedy.ReadToEnd();
            Assert.Contains("subscriptions", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason, StringComparison.Ordinal);
            Assert.Equal(1, await rig.PublishAsync(publisher, Wire.Ascii("topic")));
        }

        Assert.InRange(ResidentMemory.Octets() - resident, long.MinValue, 160 * Mebibyte);
        await Wait.UntilAsync(async () => await rig.PublishAsync(publisher, Wire.Ascii("prefix0")) == 0);
    }

    [Theory]
    [MemberData(nameof(Pollers))]
    public async Task Subscriptions_of_a_mebibyte_are_refused_by_default_and_use_no_stack_if_allowed(bool portable)
    {
        await using var rig = new Rig(portable: portable);
        byte[] topic = Wire.Filled((int)Mebibyte, (byte)'t');
        ZeroMqEndpoint strict = rig.Publisher().Bind(AnyPort);
        using (RawPeer peer = new RawPeer(strict).Handshake("SUB").Send(Wire.Command("SUBSCRIBE", topic)))
        {
            peer.ReadToEnd();
        }

        Assert.Contains("command size limit", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason, StringComparison.Ordinal);
        using (RawPeer peer = new RawPeer(strict).Handshake("SUB", minor: 0).Send(Wire.Message([1, .. topic])))
        {
            peer.ReadToEnd();
        }

        Assert.Contains("frame size limit", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason, StringComparison.Ordinal);
        LoopPublisher generous = rig.Publisher(o => o with { MaxSubscriptionSize = 2 << 20, OnInterest = null });
        using RawPeer wants = new RawPeer(generous.Bind(AnyPort)).Handshake("SUB").Send(Wire.Command("SUBSCRIBE", topic));
        await Wait.UntilAsync(async () => await rig.PublishAsync(generous, topic) == 1);
        Assert.Equal(0, await rig.PublishAsync(generous, topic[..^1]));
    }

    [Theory]
    [MemberData(nameof(Pollers))]
    public async Task An_announced_frame_uses_no_memory_before_its_bytes_arrive(bool portable)
    {
        const int Strangers = 200;
        await using var rig = new Rig(portable: portable);
        LoopPull pull = rig.Pull();
        ZeroMqEndpoint endpoint = pull.Bind(AnyPort);
        long resident = ResidentMemory.Octets();

        // Each peer announces a frame of the largest allowed size, sends a little of it, and waits.
        byte[] says = Wire.Join(Wire.Greeting(), Wire.Ready("PUSH"), [2, .. Wire.Big64(64 << 20)], Wire.Filled(5000));
        var strangers = Enumerable.Range(0, Strangers).Select(_ => new RawPeer(endpoint).Send(says)).ToList();
        await rig.ConnectedOnceAsync(Strangers);
        Assert.InRange(ResidentMemory.Octets() - resident, long.MinValue, 64 * Mebibyte);
        strangers.ForEach(stranger => stranger.Dispose());
        await Wait.UntilAsync(() => pull.ConnectionCount == 0);
    }
}
