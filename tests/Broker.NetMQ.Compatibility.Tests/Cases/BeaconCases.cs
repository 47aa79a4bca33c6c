using System.Net;
using System.Net.Sockets;
using System.Text;
using NetMQ;

namespace Broker.NetMQCases;

internal static class BeaconCases
{
    public static void A_beacon_sends_to_loopback_and_receives_from_it(Transcript t)
    {
        using var peer = new UdpClient(new IPEndPoint(IPAddress.Loopback, 0));
        int port = ((IPEndPoint)peer.Client.LocalEndPoint!).Port;
        int own = FreeUdpPort();
        using var beacon = new NetMQBeacon();
        t.Show("before", $"{beacon.HostName is null} {beacon.BoundTo is null} {beacon.IsDisposed}");
        t.Try("configure", () => beacon.Configure(own, "loopback"));
        t.Show("bound", beacon.BoundTo);
        t.Show("host", beacon.HostName is { Length: > 0 });
        var target = new IPEndPoint(IPAddress.Loopback, own);
        t.Try("subscribe", () => beacon.Subscribe("A"));
        t.Show("text", Receive(beacon, peer, "Abc", target));
        t.Show("sender", LastPeer(beacon, peer, target) == $"127.0.0.1:{port}");
        t.Show("host", LastHost(beacon, peer, target));
        peer.Send("Xbc"u8, target);
        peer.Send("Aend"u8, target);
        t.Show("filtered", Skip(beacon, "Abc").String);
        t.Try("subscribe", () => beacon.Subscribe("X"));
        t.Show("text", Receive(beacon, peer, "Xyz", target));
        peer.Send("Xend"u8, target);
        t.Show("bytes", Skip(beacon, "Xyz").Bytes);
        t.Try("unsubscribe", beacon.Unsubscribe);
        t.Try("silence", beacon.Silence);
        t.Try("dispose", beacon.Dispose);
        t.Show("disposed", beacon.IsDisposed);
        t.Try("twice", beacon.Dispose);
    }

    public static void A_beacon_publishes_in_each_form(Transcript t)
    {
        using var beacon = new NetMQBeacon();
        beacon.Configure(FreeUdpPort(), "loopback");
        t.Try("bytes", () => beacon.Publish([1, 2]));
        t.Try("text", () => beacon.Publish("text"));
        t.Try("encoding", () => beacon.Publish("text", Encoding.ASCII));
        t.Try("interval", () => beacon.Publish([1, 2], TimeSpan.FromMilliseconds(100)));
        t.Try("text, interval", () => beacon.Publish("text", TimeSpan.FromMilliseconds(100), Encoding.ASCII));
        t.Try("silence", beacon.Silence);
        t.Show("none", beacon.TryReceive(TimeSpan.Zero, out _));
        using var all = new NetMQBeacon();
        t.Try("all", () => all.ConfigureAllInterfaces(FreeUdpPort()));
        t.Show("bound", all.BoundTo);
    }

    public static void A_poller_serves_a_beacon(Transcript t)
    {
        using var peer = new UdpClient(new IPEndPoint(IPAddress.Loopback, 0));
        int own = FreeUdpPort();
        using var beacon = new NetMQBeacon();
        beacon.Configure(own, "loopback");
        beacon.Subscribe("");
        using var arrived = new ManualResetEventSlim();
        string seen = "";
        beacon.ReceiveReady += (_, e) =>
        {
            seen = $"{e.Beacon == beacon} {e.Beacon.Receive().String}";
            arrived.Set();
        };
        using var poller = new NetMQPoller { beacon };
        poller.RunAsync();
        for (int i = 0; i < 50 && !arrived.Wait(100); i++)
        {
            peer.Send("hello"u8, new IPEndPoint(IPAddress.Loopback, own));
        }

        poller.Stop();
        t.Show("seen", seen);
        t.Show("arguments", new NetMQBeaconEventArgs(beacon).Beacon == beacon);
    }

    public static void Interfaces_have_addresses(Transcript t)
    {
        t.Show("all", new InterfaceCollection().Select(item => $"{item.Address} {item.BroadcastAddress}").Order(StringComparer.Ordinal));
        var own = new InterfaceItem(IPAddress.Loopback, IPAddress.Broadcast);
        t.Show("own", $"{own.Address} {own.BroadcastAddress}");
    }

    private static int FreeUdpPort()
    {
        using var probe = new UdpClient(new IPEndPoint(IPAddress.Loopback, 0));
        return ((IPEndPoint)probe.Client.LocalEndPoint!).Port;
    }

    // A subscription takes effect a little later, so the datagram is sent again.
    private static string Receive(NetMQBeacon beacon, UdpClient peer, string text, IPEndPoint target)
    {
        for (int i = 0; i < 50; i++)
        {
            peer.Send(Encoding.UTF8.GetBytes(text), target);
            if (beacon.TryReceive(TimeSpan.FromMilliseconds(100), out BeaconMessage message))
            {
                return message.String;
            }
        }

        return "nothing";
    }

    private static string LastPeer(NetMQBeacon beacon, UdpClient peer, IPEndPoint target)
    {
        peer.Send("Abc"u8, target);
        return beacon.Receive().PeerAddress;
    }

    private static string LastHost(NetMQBeacon beacon, UdpClient peer, IPEndPoint target)
    {
        peer.Send("Abc"u8, target);
        return beacon.Receive().PeerHost;
    }

    // Takes beacons until one is another.
    private static BeaconMessage Skip(NetMQBeacon beacon, string repeated)
    {
        BeaconMessage message = beacon.Receive();
        while (message.String == repeated)
        {
            message = beacon.Receive();
        }

        return message;
    }
}
