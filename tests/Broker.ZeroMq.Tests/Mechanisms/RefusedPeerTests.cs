using System.Text;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Foreign;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Mechanisms;

/// <summary>
/// The side that binds, or that is the server of PLAIN or CURVE, decides on a peer before it sends READY. So a refused
/// peer does not consider itself connected.
/// </summary>
public sealed class RefusedPeerTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    public static TheoryData<string, string, string> Cases
    {
        get
        {
            var all = new TheoryData<string, string, string>();
            foreach (string type in (string[])["PAIR", "ROUTER"])
            {
                foreach (string mechanism in (string[])["NULL", "PLAIN", "CURVE"])
                {
                    all.Add(type, mechanism, nameof(ForeignKind.Python));
                    all.Add(type, mechanism, nameof(ForeignKind.Ours));
                }
            }

            return all;
        }
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task A_peer_that_exceeds_the_limit_connects_later_and_loses_no_message(string type, string mechanism, string kind)
    {
        await using var rig = new Rig();
        await using var host = ForeignHost.Take(Enum.Parse<ForeignKind>(kind));
        LoopSocket socket = type == "PAIR" ? rig.Pair(Secured) : rig.Router(Secured);
        string endpoint = socket.Bind(AnyPort).ToString();
        ForeignSocket first = await PeerAsync();
        await first.ConnectAsync(endpoint);
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);

        ForeignSocket second = await PeerAsync();
        await second.ConnectAsync(endpoint);
        Assert.True(await second.SendAsync([Wire.Ascii("1")]));
        await rig.EventAsync(ZeroMqEventKind.PeerRefused);
        await rig.EventAsync(ZeroMqEventKind.PeerRefused);
        Assert.Empty(rig.Messages.TakeAll());
        await first.CloseAsync();
        Assert.Equal(LibzmqPeer.Show(Wire.Ascii("1")), await rig.Messages.TakeAsync());
        Assert.True(await second.SendAsync([Wire.Ascii("2")]));
        Assert.Equal(LibzmqPeer.Show(Wire.Ascii("2")), await rig.Messages.TakeAsync());

        Task<ForeignSocket> PeerAsync() => host.SocketAsync(type == "PAIR" ? "PAIR" : "DEALER", [("ROUTING_ID", "same"), .. ForeignSecurity.Client(mechanism)]);
        T Secured<T>(T options)
            where T : LoopSocketOptions => options with { Security = Server(mechanism), Authenticate = _ => ValueTask.FromResult(ZeroMqAdmission.Admit()) };
    }

    [Theory]
    [InlineData("NULL")]
    [InlineData("PLAIN")]
    [InlineData("CURVE")]
    public async Task A_peer_that_the_application_refuses_gets_an_error_and_keeps_its_message(string mechanism)
    {
        await using var rig = new Rig();
        LoopPull pull = rig.Pull(o => o with
        {
            Security = Server(mechanism),
            Authenticate = _ => ValueTask.FromResult(ZeroMqAdmission.Admit()),
            AcceptPeer = _ => "no key",
        });
        await using var other = new Rig();
        LoopPush push = other.Push(o => o with { Security = ClientOf(mechanism) });
        push.Connect(pull.Bind(AnyPort).ToString());
        await other.DoAsync(() => Assert.True(push.TrySend("kept"u8)));
        Assert.Equal("the peer refused the connection: no-key", (await other.EventAsync(ZeroMqEventKind.PeerRefused)).Reason);
        await rig.EventAsync(ZeroMqEventKind.PeerRefused);
        await rig.EventAsync(ZeroMqEventKind.PeerRefused);
        ZeroMqCloseReport report = await push.CloseAsync(TimeSpan.Zero);
        Assert.Equal(1, report.Undelivered);
        Assert.DoesNotContain(other.Events.TakeAll(), e => e.Kind == ZeroMqEventKind.PeerConnected);
    }

    [Fact]
    public async Task A_refused_peer_gets_ERROR_instead_of_READY()
    {
        await using var rig = new Rig();
        LoopPull pull = rig.Pull(o => o with
        {
            Security = ZeroMqSecurity.PlainServer,
            Authenticate = _ => ValueTask.FromResult(ZeroMqAdmission.Admit()),
            AcceptPeer = _ => "no key",
        });
        using RawPeer peer = new RawPeer(pull.Bind(AnyPort)).Send(
            Wire.Greeting(mechanism: "PLAIN"),
            Wire.Command("HELLO", 0, 0),
            Wire.Command("INITIATE", Wire.Property("Socket-Type", Wire.Ascii("PUSH"))));
        string said = Encoding.Latin1.GetString(peer.ReadToEnd());
        Assert.EndsWith("WELCOME\u0004\r\u0005ERROR\u0006no-key", said, StringComparison.Ordinal);
    }

    private static ZeroMqSecurity Server(string mechanism)
        => mechanism switch { "PLAIN" => ZeroMqSecurity.PlainServer, "CURVE" => Curve.Server, _ => ZeroMqSecurity.Null };

    private static ZeroMqSecurity ClientOf(string mechanism)
        => mechanism switch { "PLAIN" => ZeroMqSecurity.PlainClient("alice", "pw1"), "CURVE" => Curve.Client, _ => ZeroMqSecurity.Null };
}
