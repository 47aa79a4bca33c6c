using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQCases;

internal static class EndpointCases
{
    public static void Connection_strings_bind_and_connect(Transcript t)
    {
        using var first = new PullSocket();
        string address = first.BindTcp();
        using var push = new PushSocket(">" + address);
        push.SendFrame("connected");
        t.Show("received", first.ReceiveFrameString());
        using var plain = new PushSocket(address);
        plain.SendFrame("by default");
        t.Show("received", first.ReceiveFrameString());
        using var bound = new PushSocket("@inproc://strings-1");
        using var both = new PullSocket(">inproc://strings-1, @inproc://strings-2");
        using var third = new PushSocket("inproc://strings-2");
        bound.SendFrame("one");
        t.Show("received", both.ReceiveFrameString());
        third.SendFrame("two");
        t.Show("received", both.ReceiveFrameString());
        using var empty = new PullSocket("");
        using var nothing = new PullSocket(null!);
    }

    public static void Sockets_have_default_actions(Transcript t)
    {
        t.Try("rep", () => new ResponseSocket("inproc://default-rep").IsDisposed);
        t.Try("pub", () => new PublisherSocket("inproc://default-pub").IsDisposed);
        t.Try("xpub", () => new XPublisherSocket("inproc://default-xpub").IsDisposed);
        t.Try("pull", () => new PullSocket("inproc://default-pull").IsDisposed);
        t.Try("router", () => new RouterSocket("inproc://default-router").IsDisposed);
        t.Try("req", () => new RequestSocket("inproc://nobody").IsDisposed);
        t.Try("sub", () => new SubscriberSocket("inproc://nobody").IsDisposed);
        t.Try("xsub", () => new XSubscriberSocket("inproc://nobody").IsDisposed);
        t.Try("push", () => new PushSocket("inproc://nobody").IsDisposed);
        t.Try("dealer", () => new DealerSocket("inproc://nobody").IsDisposed);
        t.Try("pair", () => new PairSocket("inproc://nobody").IsDisposed);
    }

    public static void Addresses_that_are_refused(Transcript t)
    {
        using var socket = new PullSocket();
        t.Try("null bind", () => socket.Bind(null!));
        t.Try("null connect", () => socket.Connect(null!));
        foreach (string address in new[]
        {
            "", "foo", "tcp://", "tcp://127.0.0.1", "tcp://127.0.0.1:x", "tcp://127.0.0.1:70000", "ws://127.0.0.1:80", "vmci://1:1",
        })
        {
            t.Try("bind " + address, () => socket.Bind(address));
            t.Try("connect " + address, () => socket.Connect(address));
        }
    }

    public static void Inproc_needs_a_bound_name(Transcript t)
    {
        using var one = new PullSocket();
        using var two = new PullSocket();
        t.Try("connect", () => one.Connect("inproc://never-bound"));
        t.Try("bind", () => one.Bind("inproc://bound-once"));
        t.Try("bind again", () => two.Bind("inproc://bound-once"));
        t.Try("unbind", () => one.Unbind("inproc://bound-once"));
        t.Try("bind after", () => two.Bind("inproc://bound-once"));
    }

    public static void Ports_are_bound_once(Transcript t)
    {
        using var one = new PullSocket();
        using var two = new PullSocket();
        string address = one.BindTcp();
        t.Try("again", () => two.Bind(address));
        t.Try("unbind unknown", () => one.Unbind("tcp://127.0.0.1:1"));
        t.Try("disconnect unknown", () => one.Disconnect("tcp://127.0.0.1:1"));
        t.Try("unbind", () => one.Unbind(address));
        t.Try("unbind again", () => one.Unbind(address));
    }

    public static void Last_endpoints(Transcript t)
    {
        using var socket = new PullSocket();
        t.Show("before", socket.Options.LastEndpoint);
        int port = socket.BindRandomPort("tcp://127.0.0.1");
        t.Show("random", socket.Options.LastEndpoint == $"tcp://127.0.0.1:{port}");
        socket.Bind("tcp://*:0");
        t.Show("any", socket.Options.LastEndpoint!.StartsWith("tcp://0.0.0.0:", StringComparison.Ordinal));
        t.Show("port", !socket.Options.LastEndpoint!.EndsWith(":0", StringComparison.Ordinal));
        socket.Bind("inproc://last-endpoint");
        t.Show("inproc", socket.Options.LastEndpoint);
        using var other = new PushSocket();
        other.Connect($"tcp://127.0.0.1:{port}");
        t.Show("connected", other.Options.LastEndpoint == $"tcp://127.0.0.1:{port}");
        other.Connect("inproc://last-endpoint");
        t.Show("connected", other.Options.LastEndpoint);
        t.Try("other transport", () => socket.BindRandomPort("inproc://x"));
    }

    public static void A_host_name_is_resolved(Transcript t)
    {
        using var pull = new PullSocket();
        int port = pull.BindRandomPort("tcp://localhost");
        using var push = new PushSocket();
        push.Connect($"tcp://localhost:{port}");
        push.SendFrame("x");
        t.Show("received", pull.TryReceiveFrameString(Ports.Soon, out string? text));
        t.Show("text", text);
    }

    public static void A_disconnected_socket_sends_no_more(Transcript t)
    {
        using var pull = new PullSocket();
        using var push = new PushSocket();
        string address = pull.BindInproc();
        push.Connect(address);
        t.Show("sent", push.TrySendFrame("a"));
        t.Show("received", pull.ReceiveFrameString());
        push.Disconnect(address);
        t.Show("sent", push.TrySendFrame(TimeSpan.FromMilliseconds(50), "b"));
    }

    public static void A_socket_is_unbound_once(Transcript t)
    {
        using var pull = new PullSocket();
        using var push = new PushSocket();
        string address = pull.BindTcp();
        push.Connect(address);
        push.SendFrame("a");
        t.Show("received", pull.ReceiveFrameString());
        pull.Unbind(address);
        t.Try("again", () => pull.Unbind(address));
    }

    public static void Messages_survive_an_inproc_sender(Transcript t)
    {
        using var pull = new PullSocket();
        string address = pull.BindInproc();
        using (var push = new PushSocket())
        {
            push.Connect(address);
            push.SendFrame("a");
            push.SendFrame("b");
        }

        t.Show("first", pull.TryReceiveFrameString(Ports.Soon, out string? text));
        t.Show("text", text);
        t.Show("second", pull.TryReceiveFrameString(Ports.Soon, out text));
    }
}
