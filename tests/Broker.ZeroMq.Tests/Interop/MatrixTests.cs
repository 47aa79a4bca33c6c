using System.Text.Json.Nodes;
using Broker.ZeroMq.Tests.Foreign;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Interop;

/// <summary>
/// Every pair of socket types, with either side binding, by TCP and by Unix sockets, with other implementations and
/// with this library. NetMQ has no Unix sockets.
/// </summary>
public sealed class MatrixTests
{
    private static readonly byte[][][] Shapes =
    [
        [Wire.Ascii("one")],
        [[]],
        [Wire.Ascii("a"), [], Wire.Filled(300), []],
        [Wire.Filled(255), Wire.Filled(256)],
        [Wire.Filled(100_000)],
        [Wire.Filled(3_000_000), Wire.Ascii("end")],
    ];

    public static TheoryData<string, string, bool, string, string> Cases
    {
        get
        {
            var all = new TheoryData<string, string, bool, string, string>();
            foreach ((string? ours, string? theirs) in OurSocket.Pairs)
            {
                foreach (bool weBind in new[] { true, false })
                {
                    all.Add(ours, theirs, weBind, "tcp", nameof(ForeignKind.NetMq));
                    foreach (string transport in new[] { "tcp", "ipc" })
                    {
                        foreach (string peer in new[] { nameof(ForeignKind.Python), nameof(ForeignKind.Node), nameof(ForeignKind.Ours) })
                        {
                            all.Add(ours, theirs, weBind, transport, peer);
                        }
                    }
                }
            }

            return all;
        }
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public Task Messages_of_all_shapes_pass(string ours, string theirs, bool weBind, string transport, string peer)
        => ConverseAsync(ours, theirs, weBind, transport, Enum.Parse<ForeignKind>(peer), portable: false);

    /// <summary>
    /// Assigns one peer to each case in turn. NetMQ, which has no Unix sockets, has a case for each pair.
    /// </summary>
    public static TheoryData<string, string, bool, string, string> PortableCases
    {
        get
        {
            string[] peers = [nameof(ForeignKind.Python), nameof(ForeignKind.Node), nameof(ForeignKind.Ours)];
            var all = new TheoryData<string, string, bool, string, string>();
            int turn = 0;
            foreach ((string? ours, string? theirs) in OurSocket.Pairs)
            {
                foreach (bool weBind in new[] { true, false })
                {
                    all.Add(ours, theirs, weBind, "tcp", peers[turn++ % peers.Length]);
                    all.Add(ours, theirs, weBind, "ipc", peers[turn++ % peers.Length]);
                }

                all.Add(ours, theirs, turn % 8 == 0, "tcp", nameof(ForeignKind.NetMq));
            }

            return all;
        }
    }

    [Theory]
    [MemberData(nameof(PortableCases))]
    public Task The_same_holds_on_the_portable_poller(string ours, string theirs, bool weBind, string transport, string peer)
        => ConverseAsync(ours, theirs, weBind, transport, Enum.Parse<ForeignKind>(peer), portable: true);

    private static async Task ConverseAsync(string ours, string theirs, bool weBind, string transport, ForeignKind kind, bool portable)
    {
        Assert.SkipUnless(transport == "tcp" || OperatingSystem.IsLinux(), "libzmq has Unix sockets there");
        await using var rig = new Rig(portable: portable);
        await using var host = ForeignHost.Take(kind);
        var options = new List<(string, JsonNode)>();
        if (theirs is "ROUTER" or "DEALER" or "REQ")
        {
            options.Add(("ROUTING_ID", "you"));
        }

        if (theirs == "ROUTER")
        {
            options.Add(("ROUTER_MANDATORY", 1));
        }

        ForeignSocket peer = await host.SocketAsync(theirs, [.. options]);
        var own = new OurSocket(rig, ours, theirs);
        string endpoint = transport == "tcp" ? "tcp://127.0.0.1:*" : $"ipc:///tmp/zmq-{Guid.NewGuid():N}";
        if (weBind)
        {
            await peer.ConnectAsync(own.Socket.Bind(endpoint).ToString());
        }
        else
        {
            own.Socket.Connect(await peer.BindAsync(endpoint));
        }

        await JoinAsync(rig, own, peer, theirs);
        foreach (byte[][] frames in Shapes)
        {
            if (own.Sends)
            {
                await own.SendAsync(frames);
                string got = await peer.ReceiveAsync() ?? throw new TimeoutException();
                Assert.Equal(ForeignSocket.Show(own.SeenByPeer(frames)).ToJsonString(), got);
                if (own.Receives)
                {
                    await peer.SendAsync(JsonNode.Parse(got)!.AsArray());
                    Assert.Equal(LibzmqPeer.Show(own.SeenByUs(frames)), await rig.Messages.TakeAsync());
                }
            }
            else
            {
                byte[][] said = own.AsSaidByPeer(frames);

                // The other side's ROUTER may know the peer later than the peer knows the ROUTER. A refused message was
                // not sent, so a retry does not duplicate it.
                await Wait.UntilAsync(() => peer.SendAsync(said));
                if (own.Answers)
                {
                    Assert.Equal(ForeignSocket.Show(said).ToJsonString(), await peer.ReceiveAsync());
                }
                else
                {
                    Assert.Equal(LibzmqPeer.Show(frames), await rig.Messages.TakeAsync());
                }
            }
        }
    }

    private static async Task JoinAsync(Rig rig, OurSocket own, ForeignSocket peer, string theirs)
    {
        if (theirs == "SUB")
        {
            await peer.SubscribeAsync();
            await rig.InterestAsync("+");
        }
        else if (theirs == "XSUB")
        {
            await peer.SendAsync([[1]]);
            await rig.InterestAsync("+");
        }
        else if (theirs == "XPUB")
        {
            Assert.Equal("""["01"]""", await peer.ReceiveAsync());
        }
        else if (theirs == "PUB")
        {
            // The socket does not report its subscriptions, so messages are sent until one arrives.
            Task<string> arrival = rig.Messages.TakeAsync();
            while (!arrival.IsCompleted)
            {
                await peer.SendAsync([Wire.Ascii("probe")]);
                await Task.WhenAny(arrival, Task.Delay(20, TestContext.Current.CancellationToken));
            }

            // When the last probe has arrived, all probes have arrived.
            await peer.SendAsync([Wire.Ascii("over")]);
            await rig.Messages.TakeAsync(m => m == LibzmqPeer.Show(Wire.Ascii("over")));
        }
        else
        {
            await own.ConnectedAsync();
        }
    }
}
