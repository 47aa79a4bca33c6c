using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQCases;

internal static class ActorCases
{
    public static void An_actor_answers(Transcript t)
    {
        using (var actor = NetMQActor.Create(new Doubler(t)))
        {
            for (int i = 1; i <= 3; i++)
            {
                actor.SendFrame(NetworkOrderBitsConverter.GetBytes(i));
                t.Show("answer", NetworkOrderBitsConverter.ToInt32(actor.ReceiveFrameBytes()));
            }

            t.Show("disposed", actor.IsDisposed);
        }

        t.Show("end", NetMQActor.EndShimMessage);
    }

    public static void An_actor_is_an_action(Transcript t)
    {
        int main = Environment.CurrentManagedThreadId;
        using (var actor = NetMQActor.Create(shim =>
        {
            shim.SignalOK();
            t.Show("thread", Environment.CurrentManagedThreadId == main);
            shim.SendFrame("from the shim");
            t.Show("end", shim.ReceiveFrameString());
        }))
        {
            t.Show("received", actor.ReceiveFrameString());
        }

        using var counted = NetMQActor.Create(
            (shim, count) =>
            {
                shim.SignalOK();
                for (int i = 0; i < count; i++)
                {
                    shim.SendFrame($"{i}");
                }

                shim.SkipFrame();
            },
            3);
        t.Show("all", $"{counted.ReceiveFrameString()} {counted.ReceiveFrameString()} {counted.ReceiveFrameString()}");
    }

    public static void An_actor_is_in_a_poller(Transcript t)
    {
        using var actor = NetMQActor.Create(new Doubler(t));
        using var poller = new NetMQPoller { actor };
        int count = 0;
        actor.ReceiveReady += (sender, e) =>
        {
            t.Show("sender", ReferenceEquals(sender, actor));
            t.Show("actor", ReferenceEquals(e.Actor, actor));
            t.Show("received", NetworkOrderBitsConverter.ToInt32(e.Actor.ReceiveFrameBytes()));
            if (++count == 2)
            {
                poller.Stop();
            }
        };
        bool isSent = false;
        void OnSend(object? sender, NetMQActorEventArgs e)
        {
            if (!isSent)
            {
                isSent = true;
                e.Actor.SendFrame(NetworkOrderBitsConverter.GetBytes(5));
                e.Actor.SendFrame(NetworkOrderBitsConverter.GetBytes(6));
            }

            actor.SendReady -= OnSend;
        }

        actor.SendReady += OnSend;
        poller.Run();
        t.Show("args", ReferenceEquals(new NetMQActorEventArgs(actor).Actor, actor));
    }

    public static void A_shim_has_a_poller_of_its_own(Transcript t)
    {
        using var rep = new ResponseSocket();
        using var req = new RequestSocket();
        req.Connect(rep.BindTcp());
        using (var actor = NetMQActor.Create(shim =>
        {
            using var poller = new NetMQPoller { shim, rep };
            shim.ReceiveReady += (_, e) =>
            {
                string command = e.Socket.ReceiveFrameString();
                if (command == NetMQActor.EndShimMessage)
                {
                    poller.Stop();
                }
            };
            rep.ReceiveReady += (_, e) =>
            {
                e.Socket.SkipFrame();
                e.Socket.SendFrame("from the actor");
            };
            shim.SignalOK();
            poller.Run();
        }))
        {
            req.SendFrame("hello");
            t.Show("reply", req.ReceiveFrameString());
        }

        t.Show("open", rep.IsDisposed);
    }

    public static void An_actor_whose_code_has_returned_is_disposed(Transcript t)
    {
        bool isBackground = false;
        var actor = NetMQActor.Create(shim =>
        {
            isBackground = Thread.CurrentThread.IsBackground;
            shim.SignalOK();
        });
        t.Show("background", isBackground);
        Thread.Sleep(50);
        t.Try("dispose", actor.Dispose);
        t.Show("disposed", actor.IsDisposed);
        t.Try("again", actor.Dispose);
        using var poller = new NetMQPoller();
        t.Try("poll", () => poller.Add(actor));
    }

    public static void Handlers_and_actions_are_called_directly(Transcript t)
    {
        IShimHandler handler = new Doubler(t);
        ShimAction run = handler.Run;
        ShimAction<int> withState = (shim, _) => run(shim);
        using (var actor = NetMQActor.Create(shim => withState(shim, 1)))
        {
            actor.SendFrame(NetworkOrderBitsConverter.GetBytes(4));
            t.Show("answer", NetworkOrderBitsConverter.ToInt32(actor.ReceiveFrameBytes()));
        }

        using (var actor = NetMQActor.Create(shim => handler.Run(shim)))
        {
            t.Show("disposed", actor.IsDisposed);
        }

        t.Try("begin", () => run.BeginInvoke(null!, null, null));
        t.Try("begin", () => withState.BeginInvoke(null!, 1, null, null));
        t.Try("end", () => run.EndInvoke(null!));
        t.Try("end", () => withState.EndInvoke(null!));
    }

    public static void An_actor_has_frames(Transcript t)
    {
        using var actor = NetMQActor.Create(static shim =>
        {
            shim.SignalOK();
            while (true)
            {
                NetMQMessage message = shim.ReceiveMultipartMessage();
                if (message.First.ConvertToString() == NetMQActor.EndShimMessage)
                {
                    return;
                }

                message.Push("echo");
                shim.SendMultipartMessage(message);
            }
        });
        actor.SendMoreFrame("a").SendFrame("b");
        t.Show("echo", actor.ReceiveMultipartMessage());
        Msg msg = default;
        msg.InitPool(1);
        msg.Put((byte)'x');
        t.Show("sent", actor.TrySend(ref msg, Ports.Soon, more: false));
        t.Show("received", actor.TryReceive(ref msg, Ports.Soon));
        t.Show("more", msg.HasMore);
        t.Show("next", actor.TryReceive(ref msg, Ports.Soon));
        t.Show("bytes", msg.ToArray());
        msg.Close();
    }

    private sealed class Doubler(Transcript t) : IShimHandler
    {
        public void Run(PairSocket shim)
        {
            shim.SignalOK();
            while (true)
            {
                byte[] bytes = shim.ReceiveFrameBytes();
                if (bytes.Length != sizeof(int))
                {
                    t.Show("asked", System.Text.Encoding.ASCII.GetString(bytes));
                    return;
                }

                shim.SendFrame(NetworkOrderBitsConverter.GetBytes(2 * NetworkOrderBitsConverter.ToInt32(bytes)));
            }
        }
    }
}
