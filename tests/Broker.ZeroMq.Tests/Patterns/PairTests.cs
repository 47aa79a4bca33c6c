using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Patterns;

/// <summary>RFC 31, "The PAIR Socket Type".</summary>
public sealed class PairTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    public static TheoryData<RigTransport> Transports => Rig.Transports;

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Rfc31_a_pair_shall_send_and_receive(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopPair left = rig.Pair();
        LoopPair right = rig.Pair();
        left.Connect(right.Bind(rig.AnyPort).ToString());
        await rig.DoAsync(() => Assert.True(left.TrySend("to the right"u8)));
        Assert.Equal(LibzmqPeer.Show(Wire.Ascii("to the right")), await rig.Messages.TakeAsync());
        await rig.DoAsync(() => Assert.True(right.TrySend("to the left"u8)));
        Assert.Equal(LibzmqPeer.Show(Wire.Ascii("to the left")), await rig.Messages.TakeAsync());
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Rfc31_a_pair_shall_have_one_peer_at_most_and_accept_another_after_its_disconnect(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopPair pair = rig.Pair();
        string endpoint = pair.Bind(rig.AnyPort).ToString();
        LoopPair first = rig.Pair();
        first.Connect(endpoint);
        await rig.ConnectedAsync();
        LoopPair second = rig.Pair();
        second.Connect(endpoint);
        await rig.Events.TakeAsync(e => e.Kind == ZeroMqEventKind.PeerRefused && e.Reason == "the socket already has a peer");
        Assert.Single(pair.Peers);
        await first.DisposeAsync();

        await rig.ConnectedAsync();
        await rig.DoAsync(() => Assert.True(second.TrySend("2"u8)));
        Assert.Equal("32", await rig.Messages.TakeAsync());
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task A_pair_that_connects_accepts_only_the_peer_at_that_endpoint(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopPair pair = rig.Pair();
        string endpoint = pair.Bind(rig.AnyPort).ToString();
        pair.Connect(PushPullTests.FreeEndpoint(rig));
        rig.Pair().Connect(endpoint);
        await rig.Events.TakeAsync(e => e.Kind == ZeroMqEventKind.PeerRefused && e.Reason == "the socket already has a peer");
        Assert.Empty(pair.Peers);
    }

    [Fact]
    public async Task A_libzmq_pair_exchanges_messages_with_our_pair()
    {
        await using var rig = new Rig();
        LoopPair pair = rig.Pair();
        using LibzmqPeer peer = await LibzmqPeer.StartAsync("PAIR", "connect", pair.Bind(AnyPort).ToString());
        await peer.DoAsync("send", [1], []);
        Assert.Equal("01,-", await rig.Messages.TakeAsync());
        await rig.DoAsync(() => Assert.True(pair.TrySend([2])));
        Assert.Equal("02", await peer.ReceiveAsync());
    }
}
