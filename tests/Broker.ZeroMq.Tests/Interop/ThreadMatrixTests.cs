using System.Text.Json.Nodes;
using Broker.ZeroMq.Tests.Foreign;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Interop;

/// <summary>
/// The same pairs for the sockets for threads, with libzmq by pyzmq and by npm's zeromq. The peers take turns so that each pair meets both,
/// by both transports.
/// </summary>
public sealed class ThreadMatrixTests
{
    private static readonly byte[][][] Shapes =
    [
        [Wire.Ascii("one")],
        [[]],
        [Wire.Ascii("a"), [], Wire.Filled(300), []],
        [Wire.Filled(255), Wire.Filled(256)],
        [Wire.Filled(1_000_000), Wire.Ascii("end")],
    ];

    public static TheoryData<string, string, bool, string, string> Cases
    {
        get
        {
            var all = new TheoryData<string, string, bool, string, string>();
            foreach (var (ours, theirs) in OurSocket.Pairs)
            {
                foreach (bool weBind in new[] { true, false })
                {
                    all.Add(ours, theirs, weBind, "tcp", weBind ? nameof(ForeignKind.Python) : nameof(ForeignKind.Node));
                    all.Add(ours, theirs, weBind, "ipc", weBind ? nameof(ForeignKind.Node) : nameof(ForeignKind.Python));
                }
            }

            return all;
        }
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Messages_of_all_shapes_pass_between_sockets_for_threads_and_others(string ours, string theirs, bool weBind, string transport, string peer)
    {
        Assert.SkipUnless(transport == "tcp" || OperatingSystem.IsLinux(), "libzmq has Unix sockets there");
        await using var here = ForeignHost.Take(ForeignKind.Ours);
        await using var there = ForeignHost.Take(Enum.Parse<ForeignKind>(peer));
        var own = new End(await here.SocketAsync(ours, OptionsOf(ours, "me")), ours, "me");
        var other = new End(await there.SocketAsync(theirs, OptionsOf(theirs, "you")), theirs, "you");
        string endpoint = transport == "tcp" ? "tcp://127.0.0.1:*" : $"ipc:///tmp/zmq-{Guid.NewGuid():N}";
        var (binds, connects) = weBind ? (own, other) : (other, own);
        await connects.Socket.ConnectAsync(await binds.Socket.BindAsync(endpoint));

        var (asks, answers) = own.Begins ? (own, other) : (other, own);
        await JoinAsync(asks, answers);
        foreach (byte[][] frames in Shapes)
        {
            byte[][] said = Said(asks, answers, frames);

            // A ROUTER says that it does not know the other end yet; nothing is doubled by asking again.
            await Wait.UntilAsync(() => asks.Socket.SendAsync(said));
            string got = await answers.Socket.ReceiveAsync() ?? throw new TimeoutException();
            Assert.Equal(ForeignSocket.Show(Seen(asks, answers, frames)).ToJsonString(), got);
            if (!answers.OnlyListens)
            {
                Assert.True(await answers.Socket.SendAsync(JsonNode.Parse(got)!.AsArray()));
                Assert.Equal(ForeignSocket.Show(said).ToJsonString(), await asks.Socket.ReceiveAsync());
            }
        }
    }

    private static (string Name, JsonNode Value)[] OptionsOf(string type, string id) => type switch
    {
        "ROUTER" => [("ROUTING_ID", id), ("ROUTER_MANDATORY", 1)],
        "DEALER" or "REQ" => [("ROUTING_ID", id)],
        _ => [],
    };

    private static byte[][] Said(End asks, End answers, byte[][] frames) => (asks.Type, answers.Type) switch
    {
        ("DEALER", "REP") => [[], .. frames],
        ("ROUTER", _) => [Wire.Ascii(answers.Id), .. frames],
        _ => frames,
    };

    private static byte[][] Seen(End asks, End answers, byte[][] frames) => (asks.Type, answers.Type) switch
    {
        ("REQ", "ROUTER") => [Wire.Ascii(asks.Id), [], .. frames],
        (_, "ROUTER") => [Wire.Ascii(asks.Id), .. frames],
        _ => frames,
    };

    private static async Task JoinAsync(End asks, End answers)
    {
        if (answers.Type == "SUB")
        {
            await answers.Socket.SubscribeAsync();
        }
        else if (answers.Type == "XSUB")
        {
            await answers.Socket.SendAsync([[1]]);
        }
        else
        {
            return;
        }

        if (asks.Type == "XPUB")
        {
            Assert.Equal("""["01"]""", await asks.Socket.ReceiveAsync());
            return;
        }

        // A PUB does not tell when a subscription has come.
        await Wait.UntilAsync(
            async () =>
            {
                await asks.Socket.SendAsync([Wire.Ascii("probe")]);
                return await answers.Socket.ReceiveAsync(timeout: 20) is not null;
            },
            "a probe");

        string over = ForeignSocket.Show(Wire.Ascii("over")).ToJsonString();
        await asks.Socket.SendAsync([Wire.Ascii("over")]);
        while (await answers.Socket.ReceiveAsync() is { } line && line != over)
        {
        }
    }

    private sealed record End(ForeignSocket Socket, string Type, string Id)
    {
        public bool Begins => Type is "PUB" or "XPUB" or "PUSH" or "PAIR" or "DEALER" or "REQ";

        public bool OnlyListens => Type is "SUB" or "XSUB" or "PULL";
    }
}
