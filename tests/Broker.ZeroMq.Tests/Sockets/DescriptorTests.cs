using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Sockets;

[Collection(Alone.Name)]
public sealed class DescriptorTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    [Fact]
    public async Task A_thousand_peers_come_and_go_and_every_descriptor_is_returned()
    {
        const int Peers = 1000;
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher();
        ZeroMqEndpoint endpoint = publisher.Bind(AnyPort);
        await RoundAsync(rig, publisher, endpoint, 10);
        int before = Descriptors();
        await RoundAsync(rig, publisher, endpoint, Peers);
        await RoundAsync(rig, publisher, endpoint, 10);
        Assert.InRange(Descriptors(), 0, before + 20);
    }

    private static async Task RoundAsync(Rig rig, LoopPublisher publisher, ZeroMqEndpoint endpoint, int count)
    {
        var peers = new List<RawPeer>();
        for (int i = 0; i < count; i++)
        {
            peers.Add(new RawPeer(endpoint).Handshake("SUB").Send(Wire.Command("SUBSCRIBE", Wire.Ascii("all")), Wire.Command("SUBSCRIBE", Wire.Ascii($"t{i:D4}"))));
        }

        for (int i = 0; i < count; i++)
        {
            await rig.Interest.TakeAsync(line => line.StartsWith("+t", StringComparison.Ordinal));
        }

        Assert.Equal(count, await rig.PublishAsync(publisher, Wire.Ascii("all"), Wire.Ascii("x")));
        Assert.Equal(1, await rig.PublishAsync(publisher, Wire.Ascii($"t{count - 1:D4}")));
        foreach (RawPeer peer in peers)
        {
            peer.Dispose();
        }

        await rig.InterestAsync("-all");
        Assert.Equal(0, await rig.PublishAsync(publisher, Wire.Ascii("all")));
    }

    private static int Descriptors() => Directory.GetFiles("/proc/self/fd").Length;
}
