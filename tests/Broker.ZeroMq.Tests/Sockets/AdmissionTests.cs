using System.Globalization;
using System.Net;
using System.Reflection;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Sockets;

/// <summary>Which peers are accepted, and which keep their connection.</summary>
public sealed class AdmissionTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    [Fact]
    public async Task A_peer_with_an_address_that_is_not_allowed_is_refused_before_the_handshake()
    {
        await using var rig = new Rig();
        ZeroMqEndpoint endpoint = rig.Publisher(o => o with { AllowedAddresses = [IPNetwork.Parse("10.0.0.0/8")] }).Bind(AnyPort);
        using var peer = new RawPeer(endpoint);
        Assert.Empty(peer.ReadToEnd());
        ZeroMqEvent refused = await rig.EventAsync(ZeroMqEventKind.PeerRefused);
        Assert.Equal("its address is not allowed", refused.Reason);
        Assert.StartsWith("tcp://127.0.0.1:", refused.Address, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("tcp://127.0.0.1:*", "127.0.0.0/8", true)]
    [InlineData("tcp://127.0.0.1:*", "127.0.0.2/32", false)]
    [InlineData("tcp://[::]:*", "127.0.0.1/32", true)]
    [InlineData("tcp://[::]:*", "::/0", false)]
    public async Task An_endpoint_can_have_its_own_allowed_addresses(string bind, string network, bool enters)
    {
        await using var rig = new Rig();
        ZeroMqEndpoint endpoint = rig.Publisher(o => o with { AllowedAddresses = [IPNetwork.Parse("192.0.2.0/24")] })
            .Bind(bind, [IPNetwork.Parse("198.51.100.0/24"), IPNetwork.Parse(network)]);
        using var peer = new RawPeer(endpoint);
        if (enters)
        {
            peer.Handshake("SUB");
            await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        }
        else
        {
            Assert.Empty(peer.ReadToEnd());
        }
    }

    [Fact]
    public async Task A_new_peer_replaces_a_peer_without_ping_support_that_has_sent_nothing()
    {
        await using var rig = new Rig();
        ZeroMqEndpoint endpoint = rig.Publisher(o => o with { MaxPeers = 3, SilenceAllowed = TimeSpan.Zero }).Bind(AnyPort);
        using RawPeer speaks = new RawPeer(endpoint).Handshake("SUB", minor: 0);
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        speaks.Send(Wire.Message([1, (byte)'s']));
        await rig.InterestAsync("+s");
        using RawPeer asked = new RawPeer(endpoint).Handshake("SUB", minor: 1);
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        using RawPeer dumb = new RawPeer(endpoint).Handshake("SUB", minor: 0);
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);

        using RawPeer newcomer = new RawPeer(endpoint).Handshake("SUB").Send(Wire.Command("SUBSCRIBE", (byte)'n'));
        await rig.InterestAsync("+n");
        dumb.ReadToEnd();
        Assert.Contains("sent nothing", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason, StringComparison.Ordinal);

        using var tooMany = new RawPeer(endpoint);
        tooMany.ReadToEnd();
        Assert.Equal("too many peers", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason);
        speaks.Send(Wire.Message([0, (byte)'s']));
        await rig.InterestAsync("-s");
    }

    [Fact]
    public async Task By_default_a_dead_or_silent_peer_does_not_keep_its_connection_forever()
    {
        await using var rig = new Rig();
        LoopPublisherOptions options = rig.Publisher().Options;
        Assert.InRange(options.HeartbeatInterval + (options.HeartbeatTimeout ?? options.HeartbeatInterval), TimeSpan.Zero, TimeSpan.FromSeconds(40));
        Assert.InRange(options.SilenceAllowed, TimeSpan.Zero, TimeSpan.FromSeconds(40));
        Assert.InRange(options.KeepAliveTime, TimeSpan.Zero, TimeSpan.FromSeconds(40));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task The_kernel_sends_keep_alive_probes_to_silent_peers(bool asks)
    {
        if (!OperatingSystem.IsLinux())
        {
            return;
        }

        await using var rig = new Rig();
        ZeroMqEndpoint endpoint = rig.Publisher(o => asks ? o : o with { KeepAliveTime = Timeout.InfiniteTimeSpan }).Bind(AnyPort);
        using RawPeer peer = new RawPeer(endpoint).Handshake("SUB", minor: 0);
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);

        // Fields of /proc/net/tcp: number, local address, remote address, state (01 is established), queues, timer (02
        // is keepalive). The timer for unacknowledged data (01) is shown first, so the test waits until it is over.
        string port = ":" + endpoint.Port.ToString("X4", CultureInfo.InvariantCulture);
        string? Timer() => File.ReadLines("/proc/net/tcp").Skip(1)
            .Select(line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries))
            .FirstOrDefault(fields => fields[1].EndsWith(port, StringComparison.Ordinal) && fields[3] == "01")?[5][..2];

        // The file is read in pieces, and a line that is moved meanwhile may be missing in all of them.
        string? timer = null;
        await Wait.UntilAsync(() => (timer = Timer()) is not (null or "01" or "04"), () => $"the timer is {timer}");
        Assert.Equal(asks ? "02" : "00", timer);
    }

    [Fact]
    public async Task A_link_reports_an_unexpected_failure_of_an_attempt_and_tries_again()
    {
        await using var rig = new Rig();
        LoopSubscriber subscriber = rig.Subscriber();

        // Each label is legal, but the whole is longer than a name may be. The lookup reports that by a different
        // exception type.
        string host = string.Join('.', Enumerable.Repeat(new string('a', 60), 6));
        subscriber.Connect($"tcp://{host}:5555");
        Assert.Equal(ZeroMqEventKind.ConnectFailed, (await rig.EventAsync(ZeroMqEventKind.ConnectFailed)).Kind);

        // The same reason is reported once; each attempt has its own session.
        var endpoints = (SocketEndpoints)typeof(LoopSocket).GetField("_endpoints", BindingFlags.Instance | BindingFlags.NonPublic)!.GetValue(subscriber)!;
        OutgoingLink link = endpoints.Links.First();
        PeerSession? session = link.Session;
        await Wait.UntilAsync(() => link.Session != session, "another attempt");
    }
}
