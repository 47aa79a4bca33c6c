using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Sockets;

public sealed class InterestTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    private static byte[] Subscribe(string prefix) => Wire.Command("SUBSCRIBE", Wire.Ascii(prefix));

    private static byte[] Cancel(string prefix) => Wire.Command("CANCEL", Wire.Ascii(prefix));

    [Fact]
    public async Task Only_the_first_and_the_last_subscriber_of_a_prefix_are_reported()
    {
        await using var rig = new Rig();
        ZeroMqEndpoint endpoint = rig.Publisher().Bind(AnyPort);
        using RawPeer one = new RawPeer(endpoint).Handshake("SUB").Send(Subscribe("a"), Subscribe("a"), Subscribe("1"));
        await rig.InterestAsync("+1");
        using RawPeer two = new RawPeer(endpoint).Handshake("SUB", minor: 0).Send(Wire.Message([1, (byte)'a']), Subscribe("2"));
        await rig.InterestAsync("+2");
        one.Send(Cancel("a"), Cancel("a"), Cancel("never"), Cancel("1"));
        Assert.Equal("-1", await rig.Interest.TakeAsync());
        two.Send(Wire.Message([0, (byte)'a']));
        Assert.Equal("-a", await rig.Interest.TakeAsync());
    }

    [Fact]
    public async Task Rfc29_the_disconnect_of_a_peer_shall_end_its_subscriptions_and_no_others()
    {
        await using var rig = new Rig();
        ZeroMqEndpoint endpoint = rig.Publisher().Bind(AnyPort);
        using RawPeer stays = new RawPeer(endpoint).Handshake("SUB").Send(Subscribe("both"));
        await rig.InterestAsync("+both");
        RawPeer dies = new RawPeer(endpoint).Handshake("SUB").Send(Subscribe("both"), Subscribe("x"), Subscribe("xy"), Subscribe(""));
        await rig.InterestAsync("+");
        dies.Dispose();
        string[] gone = [await rig.Interest.TakeAsync(), await rig.Interest.TakeAsync(), await rig.Interest.TakeAsync()];
        Assert.Equal(["-", "-x", "-xy"], gone.Order(StringComparer.Ordinal));
        stays.Send(Cancel("both"));
        Assert.Equal("-both", await rig.Interest.TakeAsync());
    }

    [Fact]
    public async Task The_peer_that_exceeds_the_total_of_prefixes_is_refused_and_its_memory_is_freed()
    {
        await using var rig = new Rig();
        ZeroMqEndpoint endpoint = rig.Publisher(o => o with { MaxInterestPrefixes = 2 }).Bind(AnyPort);
        using RawPeer one = new RawPeer(endpoint).Handshake("SUB").Send(Subscribe("a"));
        await rig.InterestAsync("+a");
        using RawPeer two = new RawPeer(endpoint).Handshake("SUB").Send(Subscribe("a"), Subscribe("b"), Subscribe("c"));
        two.ReadToEnd();
        Assert.Equal("+b", await rig.Interest.TakeAsync());
        Assert.Equal("-b", await rig.Interest.TakeAsync());
        one.Send(Subscribe("d"));
        Assert.Equal("+d", await rig.Interest.TakeAsync());
    }

    [Fact]
    public async Task With_peers_on_several_loops_wanted_and_not_wanted_alternate_and_the_last_report_is_right()
    {
        const int Peers = 8;
        await using var rig = new Rig(loops: 3);
        LoopPublisher publisher = rig.Publisher();
        ZeroMqEndpoint endpoint = publisher.Bind(AnyPort);
        var peers = Enumerable.Range(0, Peers).Select(_ => new RawPeer(endpoint).Handshake("SUB")).ToList();
        int seed = Seed.Next();
        IEnumerable<Task> work = peers.Select((peer, at) => Task.Run(() =>
        {
            var random = new Random(seed + at);
            for (int i = 0; i < 2000; i++)
            {
                string prefix = ((char)('a' + random.Next(4))).ToString();
                peer.Send(random.Next(2) == 0 ? Subscribe(prefix) : Cancel(prefix));
            }

            peer.Send(Subscribe($"end{at}"));
        }));
        await Task.WhenAll(work);
        var lines = new List<string>();
        while (lines.Count(line => line.StartsWith("+end", StringComparison.Ordinal)) < Peers)
        {
            lines.Add(await rig.Interest.TakeAsync());
        }

        foreach (RawPeer? peer in peers)
        {
            peer.Dispose();
        }

        while (lines.Count(line => line.StartsWith("-end", StringComparison.Ordinal)) < Peers)
        {
            lines.Add(await rig.Interest.TakeAsync());
        }

        await rig.OnLoopAsync(() => 0, 0);
        await rig.OnLoopAsync(() => 0, 1);
        await rig.OnLoopAsync(() => 0, 2);
        lines.AddRange(rig.Interest.TakeAll());
        foreach (IGrouping<string, string> prefix in lines.GroupBy(line => line[1..]))
        {
            bool wanted = false;
            foreach (string line in prefix)
            {
                Assert.Equal(wanted ? '-' : '+', line[0]);
                wanted = !wanted;
            }

            Assert.False(wanted);
        }
    }
}
