using Broker.ZeroMq.Tests.Foreign;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Interop;

/// <summary>
/// The same pairs for the thread-safe sockets, with libzmq through pyzmq and through npm's zeromq, and with NetMQ. The
/// peers with libzmq alternate so that each pair is tested with both, by both transports.
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
            foreach ((string? ours, string? theirs) in OurSocket.Pairs)
            {
                foreach (bool weBind in new[] { true, false })
                {
                    all.Add(ours, theirs, weBind, "tcp", weBind ? nameof(ForeignKind.Python) : nameof(ForeignKind.Node));
                    all.Add(ours, theirs, weBind, "tcp", nameof(ForeignKind.NetMq));
                    all.Add(ours, theirs, weBind, "ipc", weBind ? nameof(ForeignKind.Node) : nameof(ForeignKind.Python));
                }
            }

            return all;
        }
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Messages_of_all_shapes_pass_between_thread_safe_sockets_and_others(string ours, string theirs, bool weBind, string transport, string peer)
    {
        Assert.SkipUnless(transport == "tcp" || OperatingSystem.IsLinux(), "libzmq has Unix sockets there");
        await using var here = ForeignHost.Take(ForeignKind.Ours);
        await using var there = ForeignHost.Take(Enum.Parse<ForeignKind>(peer));
        ConversationEnd own = await ConversationEnd.MakeAsync(here, ours, "me");
        ConversationEnd other = await ConversationEnd.MakeAsync(there, theirs, "you");
        string endpoint = transport == "tcp" ? "tcp://127.0.0.1:*" : $"ipc:///tmp/zmq-{Guid.NewGuid():N}";
        (ConversationEnd? binds, ConversationEnd? connects) = weBind ? (own, other) : (other, own);
        await connects.Socket.ConnectAsync(await binds.Socket.BindAsync(endpoint));

        var conversation = new Conversation(own, other);
        await conversation.JoinAsync();
        foreach (byte[][] frames in Shapes)
        {
            await conversation.ExchangeAsync(frames);
        }
    }
}
