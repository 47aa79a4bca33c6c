using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQCases;

internal static class OptionCases
{
    public static void Options_have_defaults(Transcript t)
    {
        using var socket = new DealerSocket();
        SocketOptions o = socket.Options;
        t.Show("Affinity", o.Affinity);
        t.Show("Identity", o.Identity);
        t.Show("SendBuffer", o.SendBuffer);
        t.Show("ReceiveBuffer", o.ReceiveBuffer);
        t.Show("ReceiveMore", o.ReceiveMore);
        t.Show("Linger", o.Linger);
        t.Show("ReconnectInterval", o.ReconnectInterval);
        t.Show("ReconnectIntervalMax", o.ReconnectIntervalMax);
        t.Show("Backlog", o.Backlog);
        t.Show("MaxMsgSize", o.MaxMsgSize);
        t.Show("SendHighWatermark", o.SendHighWatermark);
        t.Show("ReceiveHighWatermark", o.ReceiveHighWatermark);
        t.Show("SendLowWatermark", o.SendLowWatermark);
        t.Show("ReceiveLowWatermark", o.ReceiveLowWatermark);
        t.Show("IPv4Only", o.IPv4Only);
        t.Show("TcpKeepalive", o.TcpKeepalive);
        t.Try("TcpKeepaliveIdle", () => o.TcpKeepaliveIdle);
        t.Try("TcpKeepaliveInterval", () => o.TcpKeepaliveInterval);
        t.Show("DelayAttachOnConnect", o.DelayAttachOnConnect);
        t.Show("DisableTimeWait", o.DisableTimeWait);
        t.Show("Endian", o.Endian);
        t.Show("HeartbeatTtl", o.HeartbeatTtl);
        t.Show("HeartbeatInterval", o.HeartbeatInterval);
        t.Show("HeartbeatTimeout", o.HeartbeatTimeout);
        t.Show("MulticastHops", o.MulticastHops);
        t.Show("MulticastRate", o.MulticastRate);
        t.Show("MulticastRecoveryInterval", o.MulticastRecoveryInterval);
        t.Try("PgmMaxTransportServiceDataUnitLength", () => o.PgmMaxTransportServiceDataUnitLength);
        t.Try("TcpKeepaliveCnt", () => o.TcpKeepaliveCnt);
    }

    public static void Options_keep_what_is_set(Transcript t)
    {
        using var socket = new DealerSocket();
        var o = new SocketOptions(socket);
        o.Affinity = 3;
        o.Identity = [1, 2];
        o.SendBuffer = 1000;
        o.ReceiveBuffer = 2000;
        o.Linger = TimeSpan.FromSeconds(3);
        o.ReconnectInterval = TimeSpan.FromMilliseconds(50);
        o.ReconnectIntervalMax = TimeSpan.FromMilliseconds(500);
        o.Backlog = 7;
        o.MaxMsgSize = 12345;
        o.SendHighWatermark = 10;
        o.ReceiveHighWatermark = 11;
        o.SendLowWatermark = 2;
        o.ReceiveLowWatermark = 3;
        o.IPv4Only = false;
        o.TcpKeepalive = true;
        o.TcpKeepaliveIdle = TimeSpan.FromSeconds(60);
        o.TcpKeepaliveInterval = TimeSpan.FromSeconds(5);
        o.DelayAttachOnConnect = true;
        o.DisableTimeWait = true;
        o.Endian = Endianness.Little;
        o.HeartbeatTtl = TimeSpan.FromSeconds(1);
        o.HeartbeatInterval = TimeSpan.FromSeconds(2);
        o.HeartbeatTimeout = TimeSpan.FromSeconds(3);
        o.MulticastHops = 2;
        o.MulticastRate = 200;
        o.MulticastRecoveryInterval = TimeSpan.FromSeconds(9);
        SocketOptions s = socket.Options;
        t.Show("some", $"{s.Affinity} {s.SendBuffer} {s.ReceiveBuffer} {s.Linger} {s.ReconnectInterval} {s.ReconnectIntervalMax}");
        t.Show("identity", s.Identity);
        t.Show("more", $"{s.Backlog} {s.MaxMsgSize} {s.SendHighWatermark} {s.ReceiveHighWatermark} {s.SendLowWatermark} {s.ReceiveLowWatermark}");
        t.Show("flags", $"{s.IPv4Only} {s.TcpKeepalive} {s.TcpKeepaliveIdle} {s.TcpKeepaliveInterval} {s.DelayAttachOnConnect} {s.DisableTimeWait} {s.Endian}");
        t.Show("heartbeat", $"{s.HeartbeatTtl} {s.HeartbeatInterval} {s.HeartbeatTimeout}");
        t.Show("multicast", $"{s.MulticastHops} {s.MulticastRate} {s.MulticastRecoveryInterval}");
        t.Try("TcpKeepaliveCnt", () => o.TcpKeepaliveCnt = 3);
        t.Try("PgmMaxTransportServiceDataUnitLength", () => o.PgmMaxTransportServiceDataUnitLength = 3);
    }

    public static void Options_may_follow_a_connection_string(Transcript t)
    {
        using var router = new RouterSocket("@tcp://127.0.0.1:0") { Options = { RouterMandatory = true } };
        string address = router.Options.LastEndpoint!;
        t.Try("mandatory", () => router.SendMoreFrame("nobody"));
        using var dealer = new DealerSocket(">" + address) { Options = { Linger = TimeSpan.FromSeconds(1) } };
        dealer.SendFrame("x");
        router.SkipFrame();
        t.Show("body", router.ReceiveFrameString());
        t.Show("linger", dealer.Options.Linger);
    }

    public static void Hello_and_disconnect_messages(Transcript t)
    {
        using var router = new RouterSocket();
        router.Options.HelloMessage = "H"u8.ToArray();
        router.Options.DisconnectMessage = "D"u8.ToArray();
        string address = router.BindTcp();
        using (var dealer = new DealerSocket())
        {
            dealer.Connect(address);
            t.Show("hello", dealer.TryReceiveFrameString(Ports.Soon, out string? text));
            t.Show("text", text);
        }

        t.Show("id", router.TryReceiveFrameBytes(Ports.Soon, out byte[]? id) && id.Length == 5);
        t.Show("disconnect", router.TryReceiveFrameString(Ports.Soon, out string? end));
        t.Show("text", end);
    }

    public static void A_router_hands_an_id_over(Transcript t)
    {
        using var router = new RouterSocket();
        router.Options.RouterHandover = true;
        string address = router.BindTcp();
        using var first = new DealerSocket();
        first.Options.Identity = "same"u8.ToArray();
        first.Connect(address);
        first.SendFrame("first");
        t.Show("first", router.ReceiveMultipartStrings());
        using var second = new DealerSocket();
        second.Options.Identity = "same"u8.ToArray();
        second.Connect(address);
        second.SendFrame("second");
        t.Show("second", router.ReceiveMultipartStrings());
        router.SendMoreFrame("same").SendFrame("back");
        t.Show("reply", second.TryReceiveFrameString(Ports.Soon, out string? text));
        t.Show("text", text);
    }

    public static void Receive_more_follows_the_frames(Transcript t)
    {
        using var pull = new PullSocket();
        using var push = new PushSocket();
        push.Connect(pull.BindInproc());
        push.SendMoreFrame("a").SendMoreFrame("b").SendFrame("c");
        for (int i = 0; i < 3; i++)
        {
            pull.SkipFrame(out bool more);
            t.Show("more", $"{more} {pull.Options.ReceiveMore}");
        }
    }
}
