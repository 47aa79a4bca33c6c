using Broker.Transport;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Mechanisms;

/// <summary>Tests secured sockets with each other and with peers of other kinds.</summary>
public sealed class SecuredSocketTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Messages_of_all_sizes_pass_encrypted_on_either_poller(bool portable)
    {
        await using var rig = new Rig(portable: portable);
        LoopPublisher publisher = rig.Publisher(o => o with { Security = Curve.Server, HighWaterMark = 64 << 20 });
        LoopSubscriber subscriber = rig.Subscriber(o => o with { Security = Curve.Client });
        subscriber.Subscribe([]);
        subscriber.Connect(publisher.Bind(AnyPort).ToString());
        await rig.InterestAsync("+");
        int[] sizes = [0, 1, 254, 255, 256, 65_500, 65_536, 200_000, 5_000_000, 3];
        foreach (int size in sizes)
        {
            Assert.Equal(1, await rig.PublishAsync(publisher, [Wire.Filled(size % 300), Wire.Filled(size, (byte)'y')]));
        }

        foreach (int size in sizes)
        {
            Assert.Equal(LibzmqPeer.Show(Wire.Filled(size % 300), Wire.Filled(size, (byte)'y')), await rig.Messages.TakeAsync());
        }

        Assert.Equal(0, Assert.Single(publisher.Peers).PendingBytes);
    }

    [Fact]
    public async Task Several_loops_publish_to_an_encrypted_peer_without_loss_or_corruption()
    {
        const int Each = 3000;
        await using var rig = new Rig(loops: 3);
        LoopPublisher publisher = rig.Publisher(o => o with { Security = Curve.Server, HighWaterMark = 64 << 20 });
        LoopSubscriber subscriber = rig.Subscriber(o => o with { Security = Curve.Client });
        subscriber.Subscribe([]);
        subscriber.Connect(publisher.Bind(AnyPort).ToString());
        await rig.InterestAsync("+");
        for (int i = 0; i < 3; i++)
        {
            EventLoop loop = rig.Loops[i];
            byte topic = (byte)('a' + i);
            loop.Post(() =>
            {
                for (int n = 0; n < Each; n++)
                {
                    publisher.Publish(loop, [topic], Wire.Filled(n % 500));
                }
            });
        }

        int[] next = new int[3];
        for (int n = 0; n < 3 * Each; n++)
        {
            string message = await rig.Messages.TakeAsync();
            int from = Convert.FromHexString(message[..2])[0] - 'a';
            Assert.Equal(LibzmqPeer.Show([(byte)('a' + from)], Wire.Filled(next[from]++ % 500)), message);
        }
    }

    public static TheoryData<string, byte[]> Strangers => new()
    {
        { "a plaintext peer", Wire.Join(Wire.Greeting(), Wire.Ready("SUB"), Wire.Command("SUBSCRIBE")) },
        { "a plaintext peer that claims to be the server", Wire.Join(AsServer(Wire.Greeting()), Wire.Ready("SUB")) },
        { "PLAIN", Wire.Join(Wire.Greeting(mechanism: "PLAIN"), Wire.Command("HELLO", 0, 0)) },
        { "ZMTP 2.0", Wire.Join(Wire.Greeting(major: 1)[..11], [2], Wire.Frame(0), Wire.Message([1])) },
        { "ZMTP 2.1", Wire.Join(Wire.Greeting(major: 2)[..11], [2], Wire.Frame(0), Wire.Message([1])) },
        { "ZMTP 1.0", Wire.Join([1, 0], [2, 0, 1]) },
        { "ZMTP 1.0 with a length of 2^63", Wire.Join([0xFF, .. Wire.Big64(1UL << 63)], [0]) },
        { "the right mechanism and READY in clear", Wire.Join(Wire.Greeting(mechanism: "CURVE"), Wire.Ready("SUB")) },
        { "the right mechanism and a message in clear", Wire.Join(Wire.Greeting(mechanism: "CURVE"), Wire.Message([1])) },
        { "the right mechanism and MESSAGE before INITIATE", Wire.Join(Wire.Greeting(mechanism: "CURVE"), Wire.Command("MESSAGE", Wire.Filled(40))) },
    };

    [Theory]
    [MemberData(nameof(Strangers))]
    public async Task A_peer_without_CURVE_is_closed_with_one_event_and_others_are_still_served(string who, byte[] says)
    {
        Assert.NotEmpty(who);
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher(o => o with { Security = Curve.Server });
        ZeroMqEndpoint endpoint = publisher.Bind(AnyPort);
        using (RawPeer stranger = new RawPeer(endpoint).Send(says))
        {
            byte[] heard = stranger.ReadToEnd();
            Assert.InRange(heard.Length, 0, 64 + 100);
        }

        Assert.Equal(ZeroMqEventKind.PeerRefused, (await rig.Events.TakeAsync(e => e.Kind != ZeroMqEventKind.Listening)).Kind);
        LoopSubscriber subscriber = rig.Subscriber(o => o with { Security = Curve.Client, OnEvent = null });
        subscriber.Subscribe([]);
        subscriber.Connect(endpoint.ToString());
        await rig.InterestAsync("+");
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        Assert.Empty(rig.Events.TakeAll());
    }

    [Theory]
    [InlineData(70)]
    [InlineData(100)]
    [InlineData(-1)]
    public async Task A_changed_record_ends_the_connection_with_one_event(int at)
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher(o => o with { Security = Curve.Server });
        await using var link = new ChangingLink(publisher.Bind(AnyPort));
        LoopSubscriber subscriber = rig.Subscriber(o => o with { Security = Curve.Client, OnEvent = null });
        subscriber.Connect(link.Endpoint);
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        link.ChangeNext(at);
        subscriber.Subscribe(Wire.Filled(100));
        Assert.Contains("cannot be decrypted", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason, StringComparison.Ordinal);
        Assert.DoesNotContain(rig.Events.TakeAll(), e => e.Kind == ZeroMqEventKind.PeerDisconnected);
        Assert.Empty(rig.Interest.TakeAll());
    }

    [Fact]
    public async Task A_late_decision_admits_or_refuses_and_nothing_is_read_before()
    {
        await using var rig = new Rig();
        var asked = new Inbox<(ZeroMqCredentials Shown, TaskCompletionSource<ZeroMqAdmission> Answer)>();
        LoopPublisher publisher = rig.Publisher(o => o with
        {
            Authenticate = shown =>
            {
                var answer = new TaskCompletionSource<ZeroMqAdmission>(TaskCreationOptions.RunContinuationsAsynchronously);
                asked.Add((shown, answer));
                return new ValueTask<ZeroMqAdmission>(answer.Task);
            },
        });
        ZeroMqEndpoint endpoint = publisher.Bind(AnyPort);
        using RawPeer admitted = new RawPeer(endpoint).Handshake("SUB").Send(Wire.Command("SUBSCRIBE", 1));
        (ZeroMqCredentials? shown, TaskCompletionSource<ZeroMqAdmission>? answer) = await asked.TakeAsync();
        Assert.Equal(("NULL", null, null, null), (shown.Mechanism, shown.Username, shown.Password, shown.PublicKey));
        Assert.Equal(endpoint.ToString(), shown.Endpoint);
        Assert.Empty(rig.Interest.TakeAll());
        answer.SetResult(ZeroMqAdmission.Admit("bob"));
        await rig.InterestAsync("+\u0001");
        Assert.Equal("bob", Assert.Single(publisher.Peers).UserId);

        using RawPeer refused = new RawPeer(endpoint).Handshake("SUB");
        (_, answer) = await asked.TakeAsync();
        answer.SetResult(default);
        Assert.Equal(Wire.Command("ERROR", [3, .. "400"u8]), refused.ReadToEnd()[^12..]);
        Assert.Equal("the peer was not admitted: refused", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason);

        using RawPeer gone = new RawPeer(endpoint).Handshake("SUB");
        (_, answer) = await asked.TakeAsync();
        gone.Dispose();
        await rig.EventAsync(ZeroMqEventKind.PeerRefused);
        answer.SetResult(ZeroMqAdmission.Admit());
        Assert.Single(publisher.Peers);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_callback_that_throws_refuses_the_peer_and_is_reported(bool atOnce)
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher(o => o with
        {
            Authenticate = _ => atOnce
                ? throw new InvalidOperationException("secret")
                : new ValueTask<ZeroMqAdmission>(Task.FromException<ZeroMqAdmission>(new InvalidOperationException("secret"))),
        });
        using RawPeer peer = new RawPeer(publisher.Bind(AnyPort)).Handshake("SUB");
        Assert.Equal(Wire.Command("ERROR", [3, .. "500"u8]), peer.ReadToEnd()[^12..]);
        Assert.Equal("the peer was not admitted: the authentication failed", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason);
    }

    [Fact]
    public async Task A_missing_decision_ends_with_the_handshake_timeout()
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher(o => o with
        {
            HandshakeTimeout = TimeSpan.FromMilliseconds(300),
            Authenticate = _ => new ValueTask<ZeroMqAdmission>(new TaskCompletionSource<ZeroMqAdmission>().Task),
        });
        using RawPeer peer = new RawPeer(publisher.Bind(AnyPort)).Handshake("SUB");
        Assert.Equal("the handshake took too long", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason);
        peer.ReadToEnd();
    }

    [Fact]
    public async Task A_PLAIN_server_without_a_callback_is_refused()
    {
        await using var rig = new Rig();
        ArgumentException error = Assert.Throws<ArgumentException>(
            () => new LoopPublisher(rig.Loops, new LoopPublisherOptions { Security = ZeroMqSecurity.PlainServer }));
        Assert.Contains("Authenticate", error.Message, StringComparison.Ordinal);
    }

    private static byte[] AsServer(byte[] greeting)
    {
        greeting[32] = 1;
        return greeting;
    }
}
