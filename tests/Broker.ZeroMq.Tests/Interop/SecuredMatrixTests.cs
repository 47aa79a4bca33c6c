using System.Text.Json.Nodes;
using Broker.ZeroMq.Tests.Foreign;
using Broker.ZeroMq.Tests.Mechanisms;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Interop;

/// <summary>
/// PLAIN and CURVE between the thread-safe sockets and libzmq, and CURVE with NetMQ, for every pair of socket types,
/// with either side as the server and either side binding. With libzmq, TCP is used if the PLAIN server or the CURVE
/// client binds, otherwise Unix sockets.
/// </summary>
public sealed class SecuredMatrixTests
{
    private static readonly byte[][][] Shapes =
    [
        [Wire.Ascii("one")],
        [[]],
        [Wire.Ascii("a"), [], Wire.Filled(300), []],
        [Wire.Filled(255), Wire.Filled(256)],
        [Wire.Filled(70_000)],
        [Wire.Filled(1_000_000), Wire.Ascii("end")],
    ];

    private static readonly byte[] Forbidden = Wire.Ascii("neither in nor out");

    public static TheoryData<string, string, string, bool, bool> Cases
    {
        get
        {
            var all = new TheoryData<string, string, string, bool, bool>();
            foreach ((string? ours, string? theirs) in OurSocket.Pairs)
            {
                foreach (string mechanism in (string[])["PLAIN", "CURVE"])
                {
                    foreach (bool weAreServer in new[] { true, false })
                    {
                        all.Add(ours, theirs, mechanism, weAreServer, true);
                        all.Add(ours, theirs, mechanism, weAreServer, false);
                    }
                }
            }

            return all;
        }
    }

    public static TheoryData<string, string, bool, bool> CasesOfNetMq => new(
        from pair in OurSocket.Pairs
        from weAreServer in (bool[])[true, false]
        from weBind in (bool[])[true, false]
        select (pair.Ours, pair.Theirs, weAreServer, weBind));

    // A PAIR of NetMQ that binds counts a peer from its connection on, and not from its handshake, until its own thread
    // learns that the connection has ended. A connection that begins earlier is rejected forever.
    public static IEnumerable<TheoryDataRow<string, string, bool, bool>> IntrudersOfNetMq
        => CasesOfNetMq.Where(static c => c.Data is not (_, "PAIR", false, false));

    // A libzmq PAIR that connects counts its peer until the socket is informed by another thread that the failed
    // connection has ended. No event reports that moment, and a connection that begins earlier is rejected forever.
    public static IEnumerable<TheoryDataRow<string, string, string, bool, bool>> CasesOfIntruders
        => Cases.Where(static c => c.Data is not (_, "PAIR", _, false, true));

    [Theory]
    [MemberData(nameof(Cases))]
    public Task Messages_of_all_shapes_pass_secured(string ours, string theirs, string mechanism, bool weAreServer, bool weBind)
    {
        bool byTcp = IsByTcp(mechanism, weAreServer == weBind);

        // The node peer cannot tell a PLAIN server which users it knows.
        bool isNode = !byTcp && (mechanism == "CURVE" || weAreServer);
        return ConverseAsync(ours, theirs, mechanism, weAreServer, weBind, byTcp, isNode ? ForeignKind.Node : ForeignKind.Python);
    }

    [Theory]
    [MemberData(nameof(CasesOfNetMq))]
    public Task Messages_of_all_shapes_pass_by_CURVE_with_NetMQ(string ours, string theirs, bool weAreServer, bool weBind)
        => ConverseAsync(ours, theirs, "CURVE", weAreServer, weBind, byTcp: true, ForeignKind.NetMq);

    private static async Task ConverseAsync(
        string ours, string theirs, string mechanism, bool weAreServer, bool weBind, bool byTcp, ForeignKind kind)
    {
        bool serverBinds = weAreServer == weBind;
        await using ForeignHost here = await TakeAsync(ForeignKind.Ours, mechanism);
        await using ForeignHost there = kind == ForeignKind.Python ? await TakeAsync(kind, mechanism) : ForeignHost.Take(kind);
        (ForeignHost? atServer, ForeignHost? atClient) = weAreServer ? (here, there) : (there, here);
        (string? serverType, string? clientType) = weAreServer ? (ours, theirs) : (theirs, ours);
        ConversationEnd server = await ConversationEnd.MakeAsync(atServer, serverType, "me", ForeignSecurity.Server(mechanism));
        ConversationEnd client = await ConversationEnd.MakeAsync(atClient, clientType, "you", ForeignSecurity.Client(mechanism));
        await MeetAsync(server, client, serverBinds, byTcp);

        var conversation = new Conversation(server, client);
        await conversation.JoinAsync();
        foreach (byte[][] frames in Shapes)
        {
            await conversation.ExchangeAsync(frames);
        }
    }

    [Theory]
    [MemberData(nameof(CasesOfIntruders))]
    public Task A_client_with_another_servers_key_or_a_wrong_password_exchanges_no_messages_and_the_next_is_served(
        string ours, string theirs, string mechanism, bool weAreServer, bool weBind)
        => RefuseAsync(ours, theirs, mechanism, weAreServer, weBind, IsByTcp(mechanism, weAreServer == weBind), ForeignKind.Python);

    [Theory]
    [MemberData(nameof(IntrudersOfNetMq))]
    public Task With_NetMQ_too_a_client_with_another_servers_key_exchanges_no_messages_and_the_next_is_served(
        string ours, string theirs, bool weAreServer, bool weBind)
        => RefuseAsync(ours, theirs, "CURVE", weAreServer, weBind, byTcp: true, ForeignKind.NetMq);

    private static async Task RefuseAsync(
        string ours, string theirs, string mechanism, bool weAreServer, bool weBind, bool byTcp, ForeignKind kind)
    {
        bool serverBinds = weAreServer == weBind;
        await using ForeignHost here = await TakeAsync(ForeignKind.Ours, mechanism);
        await using ForeignHost there = await TakeAsync(kind, mechanism);
        (ForeignHost? atServer, ForeignHost? atClient) = weAreServer ? (here, there) : (there, here);
        (string? serverType, string? clientType) = weAreServer ? (ours, theirs) : (theirs, ours);
        ConversationEnd server = await ConversationEnd.MakeAsync(atServer, serverType, "me", ForeignSecurity.Server(mechanism));
        await server.Socket.MonitorAsync();
        if (!serverBinds && !weAreServer)
        {
            // libzmq stops connecting by itself then. If it is told to disconnect, it may just have reconnected, and
            // its process crashes if a connection ends while it is asking for the peer's identity (zap_client.cpp).
            await server.Socket.SetAsync("RECONNECT_IVL", -1);
            await server.Socket.SetAsync("IMMEDIATE", 1);
        }

        // A NetMQ server that binds counts every connection as a peer until its own thread learns that the connection
        // has ended. If the intruder connected again, a message for the guest could be lost with the intruder's
        // connection.
        bool isNetMqBound = kind == ForeignKind.NetMq && !weAreServer && serverBinds;
        (string, JsonNode)[] once = isNetMqBound ? [("RECONNECT_IVL", -1)] : [];
        ConversationEnd intruder = await ConversationEnd.MakeAsync(atClient, clientType, "you", [.. ForeignSecurity.Intruder(mechanism), .. once]);
        var attempted = new Conversation(server, intruder);
        if (attempted.Answers == intruder)
        {
            await intruder.SubscribeAsync(Forbidden);
        }

        string endpoint = await MeetAsync(server, intruder, serverBinds, byTcp);

        // A REQ of the server would have sent its request already and could not send one to the next peer.
        bool isSaid = (attempted.Asks != server || server.Type != "REQ") && await attempted.Asks.Socket.SendAsync(attempted.Said(Forbidden), timeout: 0);
        Assert.NotNull(await server.Socket.EventAsync(mechanism == "PLAIN" ? "EVENT_HANDSHAKE_FAILED_AUTH" : "EVENT_HANDSHAKE_FAILED_PROTOCOL"));
        if (!serverBinds && weAreServer)
        {
            await server.Socket.DisconnectAsync(endpoint);
        }

        ConversationEnd guest = await ConversationEnd.MakeAsync(atClient, clientType, "you", ForeignSecurity.Client(mechanism));
        if (serverBinds)
        {
            await guest.Socket.ConnectAsync(endpoint);
            if (isNetMqBound)
            {
                // NetMQ's I/O thread accepts the guest after it has ended the intruder's connection.
                Assert.NotNull(await server.Socket.EventAsync("EVENT_ACCEPTED"));
            }
        }
        else
        {
            await MeetAsync(server, guest, serverBinds, byTcp);
        }

        var conversation = new Conversation(server, guest);
        await conversation.JoinAsync();

        // Messages that the server sent without a peer may be delivered to the guest.
        await conversation.ExchangeAsync([Wire.Ascii("for the guest")], before: attempted.Asks == server ? Forbidden : null);
        if (MayReceive(intruder.Type, isSaid))
        {
            Assert.Null(await intruder.Socket.ReceiveAsync(timeout: 0));
        }
    }

    private static bool IsByTcp(string mechanism, bool serverBinds)
    {
        bool byTcp = serverBinds == (mechanism == "PLAIN");
        Assert.SkipUnless(byTcp || OperatingSystem.IsLinux(), "libzmq has Unix sockets there");
        return byTcp;
    }

    private static async Task<ForeignHost> TakeAsync(ForeignKind kind, string mechanism)
        => mechanism == "PLAIN" ? await ForeignHost.TakeAsync(kind, ForeignSecurity.Alice) : ForeignHost.Take(kind);

    private static async Task<string> MeetAsync(ConversationEnd server, ConversationEnd client, bool serverBinds, bool byTcp)
    {
        (ConversationEnd? binds, ConversationEnd? connects) = serverBinds ? (server, client) : (client, server);
        string endpoint = await binds.Socket.BindAsync(byTcp ? "tcp://127.0.0.1:*" : $"ipc:///tmp/zmq-{Guid.NewGuid():N}");
        await connects.Socket.ConnectAsync(endpoint);
        return endpoint;
    }

    private static bool MayReceive(string type, bool hasSent) => type is not ("PUB" or "PUSH") && (type != "REQ" || hasSent);
}
