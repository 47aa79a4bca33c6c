using System.Text;
using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQCases;

internal static class SocketCases
{
    public static void Push_to_pull_by_tcp(Transcript t)
    {
        using var pull = new PullSocket();
        using var push = new PushSocket();
        push.Connect(pull.BindTcp());
        for (int i = 0; i < 3; i++)
        {
            push.SendFrame($"message {i}");
        }

        for (int i = 0; i < 3; i++)
        {
            t.Show("received", pull.ReceiveFrameString());
        }

        t.Show("more", pull.TryReceiveFrameString(out _));
    }

    public static void Push_to_pull_by_inproc_at_once(Transcript t)
    {
        using var pull = new PullSocket();
        using var push = new PushSocket();
        push.Connect(pull.BindInproc());
        t.Show("sent", push.TrySendFrame("a"));
        t.Show("received", pull.TryReceiveFrameString(out string? text));
        t.Show("text", text);
        t.Show("again", pull.TryReceiveFrameString(out text));
        t.Show("text", text);
    }

    public static void A_bound_push_sends_by_inproc_at_once(Transcript t)
    {
        using var pull = new PullSocket();
        using var push = new PushSocket();
        t.Show("has room", push.HasOut);
        string address = push.BindInproc();
        t.Show("no peer", push.TrySendFrame("a"));
        pull.Connect(address);
        t.Show("sent", push.TrySendFrame("b"));
        t.Show("has room", push.HasOut);
        t.Show("has message", pull.HasIn);
        t.Show("received", pull.ReceiveFrameString());
        t.Show("has message", pull.HasIn);
    }

    public static void Publish_to_subscriber_by_inproc_at_once(Transcript t)
    {
        using var pub = new PublisherSocket();
        using var sub = new SubscriberSocket();
        sub.Connect(pub.BindInproc());
        sub.Subscribe("a");
        pub.SendFrame("abc");
        pub.SendFrame("bcd");
        pub.SendMoreFrame("a1").SendFrame("body");
        t.Show("first", sub.ReceiveFrameString());
        t.Show("second", sub.ReceiveMultipartStrings());
        sub.Unsubscribe("a");
        pub.SendFrame("abc");
        t.Show("none", sub.TryReceiveFrameString(TimeSpan.FromMilliseconds(50), out _));
        sub.SubscribeToAnyTopic();
        pub.SendFrame("xyz");
        t.Show("any", sub.ReceiveFrameString());
    }

    public static void Subscriptions_are_counted(Transcript t)
    {
        using var pub = new PublisherSocket();
        using var sub = new SubscriberSocket();
        sub.Subscribe("a"u8.ToArray());
        sub.Subscribe("a", Encoding.ASCII);
        sub.Connect(pub.BindInproc());
        sub.Unsubscribe("a", Encoding.ASCII);
        pub.SendFrame("a1");
        t.Show("still", sub.TryReceiveFrameString(Ports.Soon, out string? text));
        t.Show("text", text);
        sub.Unsubscribe("a"u8.ToArray());
        pub.SendFrame("a2");
        t.Show("none", sub.TryReceiveFrameString(TimeSpan.FromMilliseconds(50), out _));
    }

    public static void Publish_to_subscriber_by_tcp(Transcript t)
    {
        using var pub = new XPublisherSocket();
        using var sub = new SubscriberSocket();
        sub.Connect(pub.BindTcp());
        sub.Subscribe("topic");
        t.Show("subscription", pub.ReceiveFrameBytes());
        pub.SendMoreFrame("topic").SendFrame([1, 2]);
        pub.SendMoreFrame("other").SendFrame([3]);
        pub.SendMoreFrame("topic2").SendFrame([4]);
        t.Show("first", sub.ReceiveMultipartMessage());
        t.Show("second", sub.ReceiveMultipartMessage());
        sub.Unsubscribe("topic");
        t.Show("cancellation", pub.ReceiveFrameBytes());
    }

    public static void Request_and_reply_by_tcp(Transcript t)
    {
        using var rep = new ResponseSocket();
        using var req = new RequestSocket();
        req.Connect(rep.BindTcp());
        for (int i = 0; i < 2; i++)
        {
            req.SendMoreFrame("request").SendFrame($"{i}");
            t.Show("request", rep.ReceiveMultipartStrings());
            rep.SendFrame($"reply {i}");
            t.Show("reply", req.ReceiveFrameString());
        }
    }

    public static void Requests_out_of_turn(Transcript t)
    {
        using var rep = new ResponseSocket();
        using var req = new RequestSocket();
        req.Connect(rep.BindInproc());
        t.Try("reply first", () => rep.SendFrame("x"));
        t.Try("try reply first", () => rep.TrySendFrame("x"));
        t.Try("receive first", () => req.ReceiveFrameString());
        t.Try("try receive first", () => req.TryReceiveFrameString(out _));
        req.SendFrame("a");
        t.Try("second request", () => req.SendFrame("b"));
        t.Try("try second request", () => req.TrySendFrame("b"));
        t.Show("request", rep.ReceiveFrameString());
        t.Try("receive again", () => rep.TryReceiveFrameString(out _));
        rep.SendFrame("c");
        t.Try("reply again", () => rep.SendFrame("d"));
        t.Show("reply", req.ReceiveFrameString());
        t.Try("no reply", () => req.TryReceiveFrameString(out _));
    }

    public static void A_request_without_reply_blocks_the_next(Transcript t)
    {
        using var rep = new ResponseSocket();
        using var req = new RequestSocket();
        req.Connect(rep.BindInproc());
        req.SendFrame("a");
        t.Show("reply", req.TryReceiveFrameString(TimeSpan.FromMilliseconds(20), out _));
        t.Try("next", () => req.SendFrame("b"));
    }

    public static void A_relaxed_request_replaces_the_last(Transcript t)
    {
        using var rep = new RouterSocket();
        using var req = new RequestSocket();
        req.Options.Relaxed = true;
        req.Options.Correlate = true;
        req.Connect(rep.BindTcp());
        req.SendFrame("a");
        NetMQMessage first = rep.ReceiveMultipartMessage();
        t.Show("frames", first.FrameCount);
        req.SendFrame("b");
        NetMQMessage second = rep.ReceiveMultipartMessage();
        t.Show("body", second.Last.ConvertToString());
        rep.SendMultipartMessage(first);
        rep.SendMultipartMessage(second);
        t.Show("reply", req.ReceiveFrameString());
    }

    public static void A_router_replies_by_routing_id(Transcript t)
    {
        using var router = new RouterSocket();
        using var dealer = new DealerSocket();
        dealer.Options.Identity = "me"u8.ToArray();
        dealer.Connect(router.BindTcp());
        dealer.SendMoreFrameEmpty().SendFrame("hello");
        NetMQMessage message = router.ReceiveMultipartMessage();
        t.Show("message", message);
        router.SendMultipartMessage(message);
        t.Show("reply", dealer.ReceiveMultipartMessage());
        t.Show("identity", dealer.Options.Identity);
    }

    public static void A_router_replies_to_an_identity_that_begins_with_zero(Transcript t)
    {
        using var router = new RouterSocket();
        string endpoint = router.BindTcp();
        foreach (byte[] identity in (byte[][])[[0], [0, 1, 2, 3, 4], [0, 97]])
        {
            using var dealer = new DealerSocket();
            dealer.Options.Identity = identity;
            dealer.Connect(endpoint);
            dealer.SendFrame("hello");
            NetMQMessage message = router.ReceiveMultipartMessage();
            t.Show("message", message);
            router.SendMultipartMessage(message);
            t.Show("reply", dealer.ReceiveMultipartMessage());
        }
    }

    public static void A_router_gives_five_bytes_to_a_nameless_peer(Transcript t)
    {
        using var router = new RouterSocket();
        using var dealer = new DealerSocket();
        dealer.Connect(router.BindTcp());
        dealer.SendFrame("hello");
        byte[] id = router.ReceiveFrameBytes(out bool more);
        t.Show("id", $"{id.Length} {id[0]} {more}");
        t.Show("body", router.ReceiveFrameString());
        router.SendMoreFrame(id).SendFrame("back");
        t.Show("reply", dealer.ReceiveFrameString());
    }

    public static void A_mandatory_router_refuses_an_unknown_id(Transcript t)
    {
        using var router = new RouterSocket();
        router.BindTcp();
        t.Try("optional", () => router.SendMoreFrame("nobody").SendFrame("x"));
        t.Try("optional try", () => router.TrySendFrame("nobody", true) && router.TrySendFrame("x"));
        router.Options.RouterMandatory = true;
        t.Try("mandatory", () => router.SendMoreFrame("nobody"));
        t.Try("mandatory try", () => router.TrySendFrame("nobody", true));
        t.Show("has room", router.HasOut);
    }

    public static void Routing_keys_on_sockets(Transcript t)
    {
        using var router = new RouterSocket();
        using var dealer = new DealerSocket();
        dealer.Options.Identity = [7, 8];
        dealer.Connect(router.BindTcp());
        dealer.SendRoutingKeys(new RoutingKey([1]), new RoutingKey([2])).SendFrame("a");
        t.Show("keys", router.ReceiveRoutingKeys().Select(key => key.ToString()));
        t.Show("body", router.ReceiveFrameString());
        dealer.SendEmptyRoutingKeys().SendFrame("b");
        RoutingKey key = router.ReceiveRoutingKey(out bool more);
        t.Show("key", $"{key} {more}");
        t.Show("rest", router.ReceiveMultipartStrings());
        router.SendMoreFrame(key);
        router.SendFrame("c");
        t.Show("reply", dealer.ReceiveFrameString());
        t.Show("try", router.TrySendFrame(key) && router.TrySendFrame("d"));
        t.Show("reply", dealer.ReceiveFrameString());
        t.Show("try", router.TrySendFrame(Ports.Soon, key) && router.TrySendFrame("e"));
        t.Show("reply", dealer.ReceiveFrameString());
        t.Show("sent", dealer.TrySendRoutingKeys([new RoutingKey([9])]) && dealer.TrySendFrame("f"));
        t.Show("keys", router.TryReceiveRoutingKeys(Ports.Soon, out IEnumerable<RoutingKey>? keys));
        t.Show("keys", keys?.Select(each => each.ToString()));
        router.SkipFrame();
        dealer.SendRoutingKeys(new List<RoutingKey> { new([3]) }).SendFrame("g");
        router.SkipMultipartMessage();
        t.Show("sent", dealer.TrySendRoutingKeys(Ports.Soon, [new RoutingKey([4]), new RoutingKey([5])]) && dealer.TrySendFrame("h"));
        RoutingKey got = default;
        t.Show("got", router.TryReceiveRoutingKey(Ports.Soon, ref got, out more) && more);
        t.Show("got", router.TryReceiveRoutingKey(ref got) ? got.ToString() : "none");
        t.Show("got", router.TryReceiveRoutingKey(ref got, out more) ? got.ToString() : "none");
        t.Show("got", router.TryReceiveRoutingKey(TimeSpan.Zero, ref got) ? got.ToString() : "none");
        t.Show("rest", router.ReceiveFrameString());
        t.Show("none", router.TryReceiveRoutingKeys(out _));
        dealer.SendFrame("i");
        t.Show("key", router.ReceiveRoutingKey().ToString());
    }

    public static void Pairs(Transcript t)
    {
        PairSocket.CreateSocketPair(out PairSocket one, out PairSocket two);
        using (one)
        using (two)
        {
            one.SendFrame("to two");
            two.SendFrame("to one");
            t.Show("two", two.ReceiveFrameString());
            t.Show("one", one.ReceiveFrameString());
        }

        PairSocket.CreateSocketPair(
            out one, out two, socket => socket.Options.SendHighWatermark = 5, socket => socket.Options.ReceiveHighWatermark = 5);
        using (one)
        using (two)
        {
            int sent = 0;
            while (sent < 10000 && one.TrySendFrame("x"))
            {
                sent++;
            }

            t.Show("full", sent == 10000);
        }
    }

    public static void The_high_water_mark_of_inproc_is_the_sum(Transcript t)
    {
        using var pull = new PullSocket();
        using var push = new PushSocket();
        push.Options.SendHighWatermark = 10;
        pull.Options.ReceiveHighWatermark = 10;
        push.Connect(pull.BindInproc());
        int sent = 0;
        while (sent < 10000 && push.TrySendFrame("x"))
        {
            sent++;
        }

        t.Show("bounded", sent is >= 10 and < 10000);
        int received = 0;
        while (pull.TryReceiveFrameString(TimeSpan.FromMilliseconds(100), out _))
        {
            received++;
        }

        t.Show("all received", received == sent);
    }

    public static void A_try_without_peer_fails(Transcript t)
    {
        using var push = new PushSocket();
        using var dealer = new DealerSocket();
        using var req = new RequestSocket();
        using var pair = new PairSocket();
        using var pub = new PublisherSocket();
        using var router = new RouterSocket();
        t.Show("push", push.TrySendFrame("x"));
        t.Show("push later", push.TrySendFrame(TimeSpan.FromMilliseconds(20), "x"));
        t.Show("dealer", dealer.TrySendFrame("x"));
        t.Show("dealer more", dealer.TrySendFrame("x", true));
        t.Show("req", req.TrySendFrame("x"));
        t.Show("pair", pair.TrySendFrame("x"));
        t.Show("pub", pub.TrySendFrame("x"));
        t.Show("router", router.TrySendFrame("x", true));
    }

    public static void A_connecting_socket_queues_at_once(Transcript t)
    {
        using var push = new PushSocket();
        push.Connect("tcp://127.0.0.1:9");
        t.Show("sent", push.TrySendFrame("x"));
        t.Show("has room", push.HasOut);
        using var pub = new PublisherSocket();
        pub.Connect("tcp://127.0.0.1:9");
        t.Show("published", pub.TrySendFrame("x"));
    }

    public static void Wrong_directions(Transcript t)
    {
        using var push = new PushSocket();
        using var pull = new PullSocket();
        using var pub = new PublisherSocket();
        using var sub = new SubscriberSocket();
        t.Try("push receives", () => push.TryReceiveFrameString(out _));
        t.Try("pull sends", () => pull.TrySendFrame("x"));
        t.Try("pub receives", () => pub.TryReceiveFrameString(out _));
        t.Try("sub sends", () => sub.TrySendFrame("x"));
        t.Show("push in", push.HasIn);
        t.Show("pull out", pull.HasOut);
    }

    public static void A_disposed_socket(Transcript t)
    {
        var push = new PushSocket();
        t.Show("disposed", push.IsDisposed);
        push.Dispose();
        t.Show("disposed", push.IsDisposed);
        t.Try("again", () => push.Dispose());
        t.Try("connect", () => push.Connect("tcp://127.0.0.1:9"));
        t.Try("bind", () => push.Bind("tcp://127.0.0.1:0"));
        t.Try("options", () => push.Options.Linger);
        t.Try("try", () => push.TrySendFrame("x"));
        var pull = new PullSocket();
        pull.Close();
        t.Try("try", () => pull.TryReceiveFrameString(out _));
    }

    public static void Xpub_and_xsub_pass_messages_both_ways(Transcript t)
    {
        using var xpub = new XPublisherSocket();
        using var xsub = new XSubscriberSocket();
        xsub.Connect(xpub.BindInproc());
        xsub.SendFrame([1, 65]);
        t.Show("subscription", xpub.ReceiveFrameBytes());
        xsub.SendFrame([1, 68]);
        t.Show("subscription", xpub.ReceiveFrameBytes());
        xpub.SendFrame("A1");
        xpub.SendFrame("E1");
        xpub.SendFrame("D1");
        t.Show("message", xsub.ReceiveFrameString());
        t.Show("message", xsub.ReceiveFrameString());
        xsub.SendFrame([0, 68]);
        t.Show("cancellation", xpub.ReceiveFrameBytes());
        xsub.SendFrame("upstream");
        t.Show("upstream", xpub.ReceiveFrameString());
    }

    public static void A_verbose_xpub_sees_duplicates(Transcript t)
    {
        using var quiet = new XPublisherSocket();
        using var verbose = new XPublisherSocket();
        verbose.Options.XPubVerbose = true;
        using var sub1 = new XSubscriberSocket();
        using var sub2 = new XSubscriberSocket();
        string quietAddress = quiet.BindInproc();
        string verboseAddress = verbose.BindInproc();
        foreach (XSubscriberSocket sub in new[] { sub1, sub2 })
        {
            sub.Connect(quietAddress);
            sub.Connect(verboseAddress);
            sub.SendFrame([1, 65]);
        }

        t.Show("quiet", Count(quiet));
        t.Show("verbose", Count(verbose));
    }

    public static void A_manual_xpub_subscribes_its_peers(Transcript t)
    {
        using var xpub = new XPublisherSocket();
        xpub.Options.ManualPublisher = true;
        using var sub = new SubscriberSocket();
        sub.Connect(xpub.BindInproc());
        sub.Subscribe("A");
        t.Show("subscription", xpub.ReceiveFrameBytes());
        xpub.Subscribe("A", Encoding.ASCII);
        sub.Subscribe("B");
        t.Show("subscription", xpub.ReceiveFrameBytes());
        xpub.Subscribe("B");
        sub.Subscribe("C");
        t.Show("subscription", xpub.ReceiveFrameBytes());
        xpub.Subscribe("C"u8.ToArray());
        sub.Subscribe("D");
        t.Show("subscription", xpub.ReceiveFrameBytes());
        xpub.Unsubscribe("A", Encoding.ASCII);
        sub.Subscribe("E");
        t.Show("subscription", xpub.ReceiveFrameBytes());
        xpub.Unsubscribe("C"u8.ToArray());
        xpub.SendFrame("A1");
        xpub.SendFrame("B1");
        xpub.SendFrame("C1");
        t.Show("message", sub.ReceiveFrameString());
        t.Show("none", sub.TryReceiveFrameString(TimeSpan.FromMilliseconds(50), out _));
        sub.Subscribe("F");
        t.Show("subscription", xpub.ReceiveFrameBytes());
        xpub.Unsubscribe("B");
        xpub.SendFrame("B2");
        t.Show("none", sub.TryReceiveFrameString(TimeSpan.FromMilliseconds(50), out _));
        using var other = new XPublisherSocket();
        t.Try("not manual", () => other.Subscribe("A"));
    }

    public static void A_welcome_message_is_set(Transcript t)
    {
        using var xpub = new XPublisherSocket();
        using var other = new XPublisherSocket();
        other.SetWelcomeMessage("other", Encoding.ASCII);
        other.SetWelcomeMessage([1]);
        other.ClearWelcomeMessage();
        t.Try("text", () => xpub.SetWelcomeMessage("welcome"));
        t.Try("null", () => xpub.SetWelcomeMessage((byte[])null!));
    }

    private static int Count(XPublisherSocket socket)
    {
        int count = 0;
        while (socket.TryReceiveFrameBytes(TimeSpan.FromMilliseconds(100), out _))
        {
            count++;
        }

        return count;
    }
}
