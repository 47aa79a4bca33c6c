using System.Net.Sockets;
using Broker.Bridge.Tests.Contract.Support;
using Broker.Bridge.Tests.PubSub.Support;
using Broker.Bridge.Tests.Requests.Support;
using Broker.ZeroMq.Tests.Foreign;

namespace Broker.Bridge.Tests.Contract;

/// <summary>
/// Point 9 of "What is tested" in docs/migration.md: peers that violate the protocol, at every endpoint of every
/// pattern.
/// </summary>
public sealed class StrangerTests
{
    // The header of a frame of 2 GiB.
    private static readonly byte[] Huge = [2, 0, 0, 0, 0, 0x80, 0, 0, 0];

    [Theory]
    [MemberData(nameof(Parties.All), MemberType = typeof(Parties))]
    public async Task C09_Half_greetings_lengths_of_2_GiB_and_wrong_types_do_not_affect_other_peers(ForeignKind kind, byte minor, bool foreign)
    {
        await using ContractSite site = await ContractSite.StartAsync(
            kind, minor, foreign, ContractSite.PubSub, ContractSite.PushPull, ContractSite.Requests, ContractSite.Workers,
            ContractSite.Router, ContractSite.Dealer, ContractSite.Left, ContractSite.Right);
        (string Endpoint, string Right, string Wrong)[] doors =
        [
            (site.Bridge.Publishers(), "PUB", "PULL"), (site.Bridge.Subscribers(), "SUB", "PUB"), (site.Bridge.Pushers(), "PUSH", "PULL"),
            (site.Bridge.Pullers(), "PULL", "SUB"), (site.Bridge.Endpoint("request"), "REQ", "REP"), (site.Bridge.Endpoint("worker"), "REP", "PAIR"),
            (site.Bridge.Endpoint("router"), "DEALER", "PUB"), (site.Bridge.Endpoint("dealer"), "ROUTER", "SUB"), (site.Bridge.Endpoint("left"), "PAIR", "PULL"),
        ];
        var open = new List<IDisposable>();
        try
        {
            foreach ((string endpoint, string right, string wrong) in doors)
            {
                var half = new TcpClient();
                open.Add(half);
                var uri = new Uri(endpoint);
                await half.ConnectAsync(uri.Host, uri.Port, TestContext.Current.CancellationToken);
                await half.GetStream().WriteAsync(new byte[] { 0xFF, 0, 0, 0 }, TestContext.Current.CancellationToken);

                using RawPeer greedy = await RawPeer.ConnectAsync(endpoint, right);
                await greedy.SendAsync(Huge);
                await greedy.ReadToEndAsync();
                using RawPeer stranger = await RawPeer.ConnectAsync(endpoint, wrong);
                await stranger.ReadToEndAsync();

                // A libzmq program reconnects again and again.
                await site.ProgramAsync(wrong, endpoint);
            }

            ForeignSocket sub = await site.SubscriberAsync(site.Bridge.Subscribers());
            ForeignSocket pub = await site.PublisherAsync(site.Bridge.Publishers());
            await pub.SendTextAsync("t", "x");
            Assert.Equal("t|x", await sub.ReceiveTextAsync());
            ForeignSocket pull = await site.ProgramAsync("PULL", site.Bridge.Pullers());
            ForeignSocket push = await site.ProgramAsync("PUSH", site.Bridge.Pushers());
            await push.SendTextAsync("x");
            Assert.Equal("x", await pull.ReceiveTextAsync());
            ForeignSocket rep = await site.ProgramAsync("REP", site.Bridge.Endpoint("worker"));
            ForeignSocket req = await site.ProgramAsync("REQ", site.Bridge.Endpoint("request"));
            await req.SendTextAsync("x");
            Assert.Equal("x", await rep.ServeAsync("done"));
            Assert.Equal("done|x", await req.ReceiveTextAsync());
            ForeignSocket pair = await site.ProgramAsync("PAIR", site.Bridge.Endpoint("left"));
            ForeignSocket other = await site.ProgramAsync("PAIR", site.Bridge.Endpoint("right"));
            ForeignSocket server = await site.ProgramAsync("REP", site.Bridge.Endpoint("dealer"));
            ForeignSocket dealer = await site.ProgramAsync("DEALER", site.Bridge.Endpoint("router"));
            await site.Bridge.RawPeersAsync();
            await dealer.SendTextAsync("", "x");
            Assert.Equal("x", await server.ServeAsync("done"));
            Assert.Equal("|done|x", await dealer.ReceiveTextAsync());
            await pair.SendTextAsync("x");
            Assert.Equal("x", await other.ReceiveTextAsync());
            await other.SendTextAsync("y");
            Assert.Equal("y", await pair.ReceiveTextAsync());
            Assert.InRange(site.Bridge.Loops.BufferedBytes, 0, 16L << 20);
        }
        finally
        {
            open.ForEach(each => each.Dispose());
        }
    }
}
