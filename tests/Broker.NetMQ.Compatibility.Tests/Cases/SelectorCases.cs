using System.Net;
using System.Net.Sockets;
using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQCases;

internal static class SelectorCases
{
    public static void A_selector_marks_what_is_ready(Transcript t)
    {
        PairSocket.CreateSocketPair(out PairSocket a, out PairSocket b);
        using (a)
        using (b)
        {
            var selector = new NetMQSelector();
            var input = new NetMQSelector.Item(b, PollEvents.PollIn);
            t.Show("socket", ReferenceEquals(input.Socket, b));
            t.Show("event", input.Event);
            t.Show("handle", input.FileDescriptor is null);
            t.Show("nothing", selector.Select([input], 1, 10));
            t.Show("result", input.ResultEvent);
            var both = new NetMQSelector.Item(a, PollEvents.PollIn | PollEvents.PollOut);
            t.Show("room", selector.Select([input, both], 2, 5000));
            t.Show("results", $"{input.ResultEvent} {both.ResultEvent}");
            a.SendFrame("x");
            t.Show("message", selector.Select([input], 1, 5000));
            t.Show("result", input.ResultEvent);
            input.ResultEvent = PollEvents.None;
            t.Show("result", input.ResultEvent);
        }
    }

    public static void A_selector_waits_for_a_socket_of_the_base_library(Transcript t)
    {
        using var handle = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        handle.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        var item = new NetMQSelector.Item(handle, PollEvents.PollIn);
        var selector = new NetMQSelector();
        t.Show("nothing", selector.Select([item], 1, 10));
        handle.SendTo([1], handle.LocalEndPoint!);
        t.Show("message", selector.Select([item], 1, 5000));
        t.Show("result", item.ResultEvent);
    }

    public static void A_proactor_handles_messages(Transcript t)
    {
        PairSocket.CreateSocketPair(out PairSocket a, out PairSocket b);
        using (a)
        using (b)
        {
            using var done = new CountdownEvent(2);
            var proactor = new NetMQProactor(b, (socket, message) =>
            {
                t.Show("socket", ReferenceEquals(socket, b));
                t.Show("message", message);
                done.Signal();
            });
            a.SendMoreFrame("a").SendFrame("b");
            a.SendFrame("c");
            t.Show("done", done.Wait(Ports.Soon));
            proactor.Dispose();
            t.Show("disposed", b.IsDisposed);
        }
    }
}
