using System.Text;
using Broker.ZeroMq.Tests.Foreign;
using Broker.ZeroMq.Tests.Sockets;

namespace Broker.ZeroMq.Tests.Threads;

/// <summary>
/// The properties that sockets announce to their peers, and the decision to accept a peer by its properties.
/// </summary>
public sealed class PeerOptionTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    public static TheoryData<string> Endpoints => [AnyPort, "ipc://*", "inproc://here"];

    [Theory]
    [MemberData(nameof(Endpoints))]
    public async Task A_peer_with_the_expected_property_is_accepted_and_another_is_sent_the_reason(string where)
    {
        using var context = new ZeroMqContext();
        var events = new Inbox<ZeroMqEvent>();
        using var pull = new PullSocket(new ZeroMqSocketOptions { AcceptPeer = RefusalOf, OnEvent = events.Add }, context);
        string endpoint = pull.Bind(where);
        var refused = new Inbox<ZeroMqEvent>();
        using var stranger = new PushSocket(new ZeroMqSocketOptions { OnEvent = refused.Add, Linger = TimeSpan.Zero }, context);
        stranger.Connect(endpoint);
        stranger.TrySend("from a stranger"u8);
        Assert.Equal("has no ticket", (await events.TakeAsync(e => e.Kind == ZeroMqEventKind.PeerRefused)).Reason);
        await refused.TakeAsync(e => e.Kind is ZeroMqEventKind.PeerRefused or ZeroMqEventKind.PeerDisconnected && e.Reason!.Contains("refused", StringComparison.Ordinal));

        using var guest = new PushSocket(new ZeroMqSocketOptions { Properties = [new("X-Ticket", "7"), new("X-Zone", "eu")] }, context);
        guest.Connect(endpoint);
        guest.Send("from a guest");
        using var message = new ZeroMqMessage();
        pull.Receive(message);
        Assert.Equal("from a guest", Encoding.UTF8.GetString(message.First));
        Assert.True(message.Peer!.TryGetProperty("x-zone"u8, out ReadOnlySpan<byte> zone));
        Assert.Equal("eu"u8, zone);
        Assert.False(message.Peer.TryGetProperty("X-Seat"u8, out _));
        Assert.False(pull.TryReceive(message));

        static string? RefusalOf(ZeroMqPeer peer) => peer.TryGetProperty("X-Ticket"u8, out _) ? null : "has no ticket";
    }

    [Fact]
    public async Task No_message_of_a_refused_libzmq_peer_is_received_and_another_peer_is_served()
    {
        await using var host = ForeignHost.Take();
        var events = new Inbox<ZeroMqEvent>();
        using var pull = new PullSocket(new ZeroMqSocketOptions
        {
            AcceptPeer = peer => peer.TryGetProperty("Identity"u8, out ReadOnlySpan<byte> id) && id.SequenceEqual("known"u8) ? null : "unknown",
            OnEvent = events.Add,
        });
        using var router = new RouterSocket(new RouterSocketOptions { AcceptPeer = pull.Options.AcceptPeer, OnEvent = events.Add });
        string toPull = pull.Bind(AnyPort);
        string toRouter = router.Bind(AnyPort);
        ForeignSocket push = await host.SocketAsync("PUSH", ("IDENTITY", "known"));
        await push.ConnectAsync(toPull);
        Assert.Equal("unknown", (await events.TakeAsync(e => e.Kind == ZeroMqEventKind.PeerRefused)).Reason);
        ForeignSocket dealer = await host.SocketAsync("DEALER", ("IDENTITY", "known"));
        await dealer.ConnectAsync(toRouter);
        await dealer.SendAsync([[1]]);
        Assert.Equal(["known"u8.ToArray(), [1]], router.ReceiveFrames());
    }

    [Fact]
    public async Task A_libzmq_peer_gets_a_sockets_properties_with_each_message()
    {
        await using var host = ForeignHost.Take();
        ForeignSocket pull = await host.SocketAsync("PULL");
        using var push = new PushSocket(new ZeroMqSocketOptions { Properties = [new("X-Zone", "eu-1"), new("X-Empty", "")] });
        push.Connect(await pull.BindAsync(AnyPort));
        push.Send("1");
        push.Send("2");
        Assert.Equal("eu-1", await pull.PropertyAsync("X-Zone"));
        Assert.Equal("PUSH", await pull.PropertyAsync("Socket-Type"));
    }

    [Fact]
    public async Task A_peer_is_refused_if_the_accept_callback_throws_and_others_are_served()
    {
        var events = new Inbox<ZeroMqEvent>();
        int asked = 0;
        using var pull = new PullSocket(new ZeroMqSocketOptions
        {
            AcceptPeer = _ => ++asked == 1 ? throw new InvalidOperationException("for the test") : null,
            OnEvent = events.Add,
        });
        string endpoint = pull.Bind(AnyPort);
        using var push = new PushSocket(new ZeroMqSocketOptions { ReconnectInitial = TimeSpan.FromMilliseconds(5) });
        push.Connect(endpoint);
        push.Send("kept");
        Assert.Equal("kept", pull.ReceiveString());
        Assert.Contains(nameof(InvalidOperationException), (await events.TakeAsync(e => e.Kind is ZeroMqEventKind.PeerRefused or ZeroMqEventKind.PeerDisconnected)).Reason, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("", "v")]
    [InlineData("a b", "v")]
    [InlineData("SOCKET-type", "PULL")]
    [InlineData("Identity", "me")]
    [InlineData("x-there", "twice")]
    public void An_invalid_property_is_refused(string name, string value)
        => Assert.ThrowsAny<ArgumentException>(
            () => new PushSocket(new ZeroMqSocketOptions { Properties = [new("X-There", "once"), new(name, value)] }));
}
