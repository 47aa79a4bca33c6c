using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQCases;

internal static class PollCases
{
    public static void A_socket_is_polled(Transcript t)
    {
        PairSocket.CreateSocketPair(out PairSocket a, out PairSocket b);
        using (a)
        using (b)
        {
            t.Show("nothing", b.Poll(PollEvents.PollIn, TimeSpan.FromMilliseconds(10)));
            t.Show("room", a.Poll(PollEvents.PollIn | PollEvents.PollOut, TimeSpan.FromMilliseconds(10)));
            a.SendFrame("x");
            t.Show("message", b.Poll(PollEvents.PollIn, Ports.Soon));
            t.Show("still there", b.ReceiveFrameString());
            PollEvents events = PollEvents.PollIn | PollEvents.PollError;
            t.Show("flags", $"{events.HasIn()} {events.HasOut()} {events.HasError()}");
        }
    }

    public static void A_poll_raises_events(Transcript t)
    {
        PairSocket.CreateSocketPair(out PairSocket a, out PairSocket b);
        using (a)
        using (b)
        {
            void OnReceive(object? sender, NetMQSocketEventArgs e)
            {
                t.Show("receive", $"{ReferenceEquals(sender, b)} {ReferenceEquals(e.Socket, b)} {e.IsReadyToReceive} {e.IsReadyToSend}");
                t.Show("text", e.Socket.ReceiveFrameString());
            }

            b.ReceiveReady += OnReceive;
            t.Show("nothing", b.Poll(TimeSpan.FromMilliseconds(10)));
            a.SendFrame("one");
            t.Show("polled", b.Poll(Ports.Soon));
            a.SendFrame("two");
            b.Poll();
            b.ReceiveReady -= OnReceive;
            bool isSent = false;
            void OnSend(object? sender, NetMQSocketEventArgs e)
            {
                t.Show("send", $"{e.IsReadyToReceive} {e.IsReadyToSend}");
                isSent = true;
            }

            a.SendReady += OnSend;
            t.Show("polled", a.Poll(Ports.Soon));
            t.Show("sent", isSent);
            a.SendReady -= OnSend;
            var args = new NetMQSocketEventArgs(a);
            t.Show("args", $"{args.IsReadyToReceive} {args.IsReadyToSend}");
        }
    }

    public static void Readiness_of_requests(Transcript t)
    {
        using var rep = new ResponseSocket();
        using var req = new RequestSocket();
        req.Connect(rep.BindInproc());
        t.Show("before", $"{req.HasIn} {req.HasOut} {rep.HasIn} {rep.HasOut}");
        req.SendFrame("a");
        t.Show("sent", $"{req.HasIn} {req.HasOut} {rep.HasIn} {rep.HasOut}");
        rep.SkipFrame();
        t.Show("received", $"{req.HasIn} {req.HasOut} {rep.HasIn} {rep.HasOut}");
        rep.SendFrame("b");
        t.Show("replied", $"{req.HasIn} {req.HasOut} {rep.HasIn} {rep.HasOut}");
    }
}
