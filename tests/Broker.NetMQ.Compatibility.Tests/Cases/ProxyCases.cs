using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQCases;

internal static class ProxyCases
{
    public static void A_proxy_passes_requests_and_replies(Transcript t)
    {
        using var router = new RouterSocket();
        using var dealer = new DealerSocket();
        using var rep = new ResponseSocket();
        using var req = new RequestSocket();
        req.Connect(router.BindTcp());
        rep.Connect(dealer.BindTcp());
        var proxy = new Proxy(router, dealer);
        var thread = new Thread(proxy.Start);
        thread.Start();
        for (int i = 0; i < 3; i++)
        {
            req.SendFrame($"{i}");
            t.Show("request", rep.ReceiveFrameString());
            rep.SendMoreFrame("re").SendFrame($"{i}");
            t.Show("reply", req.ReceiveMultipartMessage());
        }

        t.Try("start again", proxy.Start);
        proxy.Stop();
        thread.Join();
        t.Try("stop again", proxy.Stop);
        var again = new Thread(proxy.Start);
        again.Start();
        req.SendFrame("once more");
        t.Show("request", rep.ReceiveFrameString());
        proxy.Stop();
        again.Join();
    }

    public static void A_proxy_copies_to_its_control_socket(Transcript t)
    {
        PairSocket.CreateSocketPair(out PairSocket front, out PairSocket client);
        PairSocket.CreateSocketPair(out PairSocket back, out PairSocket worker);
        PairSocket.CreateSocketPair(out PairSocket control, out PairSocket watcher);
        var proxy = new Proxy(front, back, control);
        var thread = new Thread(proxy.Start);
        thread.Start();
        client.SendMoreFrame("a").SendFrame("b");
        t.Show("worker", worker.ReceiveMultipartMessage());
        t.Show("watcher", watcher.ReceiveMultipartMessage());
        worker.SendFrame("c");
        t.Show("client", client.ReceiveMultipartMessage());
        t.Show("watcher", watcher.ReceiveMultipartMessage());
        proxy.Stop();
        thread.Join();
        foreach (PairSocket socket in new[] { front, client, back, worker, control, watcher })
        {
            socket.Dispose();
        }
    }

    public static void A_proxy_has_a_control_socket_for_each_direction(Transcript t)
    {
        PairSocket.CreateSocketPair(out PairSocket front, out PairSocket client);
        PairSocket.CreateSocketPair(out PairSocket back, out PairSocket worker);
        PairSocket.CreateSocketPair(out PairSocket controlIn, out PairSocket watchIn);
        PairSocket.CreateSocketPair(out PairSocket controlOut, out PairSocket watchOut);
        var proxy = new Proxy(front, back, controlIn, controlOut);
        var thread = new Thread(proxy.Start);
        thread.Start();
        client.SendFrame("a");
        t.Show("worker", worker.ReceiveFrameString());
        t.Show("in", watchIn.ReceiveFrameString());
        worker.SendFrame("b");
        t.Show("client", client.ReceiveFrameString());
        t.Show("out", watchOut.ReceiveFrameString());
        proxy.Stop();
        thread.Join();
        foreach (PairSocket socket in new[] { front, client, back, worker, controlIn, watchIn, controlOut, watchOut })
        {
            socket.Dispose();
        }
    }

    public static void A_proxy_works_in_a_given_poller(Transcript t)
    {
        PairSocket.CreateSocketPair(out PairSocket front, out PairSocket client);
        PairSocket.CreateSocketPair(out PairSocket back, out PairSocket worker);
        using var poller = new NetMQPoller { front, back };
        var proxy = new Proxy(front, back, null, poller);
        t.Try("start before the poller", proxy.Start);
        t.Try("stop before the poller", proxy.Stop);
        proxy.Start();
        t.Try("start again", proxy.Start);
        poller.RunAsync();
        client.SendFrame("a");
        t.Show("worker", worker.ReceiveFrameString());
        worker.SendFrame("b");
        t.Show("client", client.ReceiveFrameString());
        proxy.Stop();
        t.Try("stop again", proxy.Stop);
        t.Show("running", poller.IsRunning);
        poller.Stop();
        poller.Dispose();
        foreach (PairSocket socket in new[] { front, client, back, worker })
        {
            socket.Dispose();
        }
    }
}
