using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Sockets;

/// <summary>The subscriptions of one peer use neither the memory nor the time of the others.</summary>
public sealed class SubscriptionShareTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    [Fact]
    public async Task A_greedy_peer_is_refused_at_its_share_and_the_others_have_theirs()
    {
        await using var rig = new Rig();

        // Each prefix uses some 250 bytes twice: 32 prefixes are reserved for each of four peers, and 128 go to the
        // peers that subscribe first.
        LoopPublisher publisher = rig.Publisher(o => o with { MaxPeers = 4, MaxSubscriptionMemory = 256 * 512 });
        ZeroMqEndpoint endpoint = publisher.Bind(AnyPort);
        using (RawPeer greedy = new RawPeer(endpoint).Handshake("SUB").Send(Subscriptions("g", 1000)))
        {
            Assert.Contains("share of the memory", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason, StringComparison.Ordinal);
            greedy.ReadToEnd();
        }

        // It counts as a peer until it has read why it was refused.
        await Wait.UntilAsync(() => publisher.ConnectionCount == 0, "the end of the connection");
        using RawPeer full = new RawPeer(endpoint).Handshake("SUB").Send(Subscriptions("f", 140));
        await rig.InterestAsync("+f139");
        using RawPeer one = new RawPeer(endpoint).Handshake("SUB").Send(Subscriptions("a", 30));
        using RawPeer two = new RawPeer(endpoint).Handshake("SUB").Send(Subscriptions("b", 30));
        using RawPeer three = new RawPeer(endpoint).Handshake("SUB").Send(Subscriptions("c", 30));
        await rig.InterestAsync("+c29");
        Assert.DoesNotContain(rig.Events.TakeAll(), e => e.Kind == ZeroMqEventKind.PeerRefused);
    }

    [Fact]
    public async Task Memory_of_cancelled_subscriptions_is_available_to_the_next_peer()
    {
        await using var rig = new Rig();
        ZeroMqEndpoint endpoint = rig.Publisher(o => o with { MaxPeers = 2, MaxSubscriptionMemory = 100 * 512 }).Bind(AnyPort);
        for (int i = 0; i < 10; i++)
        {
            using RawPeer peer = new RawPeer(endpoint).Handshake("SUB").Send(Subscriptions("x", 60), Subscriptions("x", 60, "CANCEL"));
            await rig.InterestAsync("-x59");
            peer.Send(Subscriptions("y", 60));
            await rig.InterestAsync("+y59");
            peer.Dispose();
            await LastGoneAsync(rig, "-y", 60);
        }

        Assert.DoesNotContain(rig.Events.TakeAll(), e => e.Kind == ZeroMqEventKind.PeerRefused);
    }

    [Fact]
    public async Task Many_subscriptions_are_added_and_removed_in_pieces_between_which_the_loop_serves_others()
    {
        const int Many = 65_536;
        int turn = 0;
        var added = new Dictionary<int, int>();
        var removed = new Dictionary<int, int>();
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var gone = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        int wantedNow = 0;
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher(o => o with
        {
            OnInterest = (_, wanted) =>
            {
                Dictionary<int, int> turns = wanted ? added : removed;
                turns[turn] = turns.GetValueOrDefault(turn) + 1;
                wantedNow += wanted ? 1 : -1;
                (wantedNow switch { Many => done, 0 => gone, _ => null })?.TrySetResult();
            },
        });
        bool over = false;
        void NextTurn()
        {
            turn++;
            if (!over)
            {
                rig.Loop.Post(NextTurn);
            }
        }

        rig.Loop.Post(NextTurn);
        using (RawPeer peer = new RawPeer(publisher.Bind(AnyPort)).Handshake("SUB").Send(Subscriptions("", Many)))
        {
            await Wait.For(done);
        }

        await Wait.For(gone);
        await rig.OnLoopAsync(() => over = true);

        // A piece has 256 subscriptions. The end of one read and the beginning of the next may occur between two posted
        // actions.
        Assert.InRange(added.Values.Max(), 1, 512);
        Assert.InRange(removed.Values.Max(), 1, 512);
        Assert.Equal(Many, added.Values.Sum());
        Assert.Equal(Many, removed.Values.Sum());
    }

    internal static async Task LastGoneAsync(Rig rig, string start, int count)
    {
        for (int left = count; left > 0; left--)
        {
            await rig.Interest.TakeAsync(line => line.StartsWith(start, StringComparison.Ordinal));
        }
    }

    internal static byte[] Subscriptions(string start, int count, string command = "SUBSCRIBE")
        => Wire.Join([.. Enumerable.Range(0, count).Select(i => Wire.Command(command, Wire.Ascii($"{start}{i}")))]);
}
