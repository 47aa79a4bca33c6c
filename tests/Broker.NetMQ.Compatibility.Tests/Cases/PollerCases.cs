using System.ComponentModel;
using System.Net;
using System.Net.Sockets;
using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQCases;

internal static class PollerCases
{
    public static void A_poller_serves_a_request(Transcript t)
    {
        using var rep = new ResponseSocket();
        using var req = new RequestSocket();
        req.Connect(rep.BindTcp());
        using var poller = new NetMQPoller { rep };
        rep.ReceiveReady += (sender, e) =>
        {
            t.Show("sender", ReferenceEquals(sender, poller));
            t.Show("thread", poller.CanExecuteTaskInline);
            t.Show("request", e.Socket.ReceiveFrameString());
            e.Socket.SendFrame("reply");
        };
        t.Show("running", poller.IsRunning);
        poller.RunAsync();
        t.Show("running", poller.IsRunning);
        req.SendFrame("request");
        t.Show("reply", req.ReceiveFrameString());
        poller.Stop();
        t.Show("running", poller.IsRunning);
        poller.Dispose();
        t.Show("disposed", poller.IsDisposed);
        t.Show("socket", rep.IsDisposed);
    }

    public static void A_router_and_dealers_share_a_poller(Transcript t)
    {
        const int Count = 200;
        using var router = new RouterSocket();
        using var first = new DealerSocket();
        using var second = new DealerSocket();
        string address = router.BindTcp();
        first.Connect(address);
        second.Connect(address);
        int firstSum = 0, secondSum = 0, replies = 0;
        using var poller = new NetMQPoller();
        poller.Add(router);
        poller.Add(first);
        poller.Add(second);
        router.ReceiveReady += (_, e) => e.Socket.SendMultipartMessage(e.Socket.ReceiveMultipartMessage());
        first.ReceiveReady += (_, e) => Take(ref firstSum, e);
        second.ReceiveReady += (_, e) => Take(ref secondSum, e);
        for (int i = 1; i <= Count; i++)
        {
            first.SendFrame(NetworkOrderBitsConverter.GetBytes(i));
            second.SendFrame(NetworkOrderBitsConverter.GetBytes(2 * i));
        }

        poller.Run();
        t.Show("sums", $"{firstSum} {secondSum}");

        void Take(ref int sum, NetMQSocketEventArgs e)
        {
            sum += NetworkOrderBitsConverter.ToInt32(e.Socket.ReceiveFrameBytes());
            if (++replies == 2 * Count)
            {
                poller.Stop();
            }
        }
    }

    public static void Send_ready_is_raised_while_there_is_room(Transcript t)
    {
        PairSocket.CreateSocketPair(out PairSocket a, out PairSocket b);
        using (a)
        using (b)
        {
            using var poller = new NetMQPoller { a, b };
            int sent = 0, received = 0;
            void OnSend(object? sender, NetMQSocketEventArgs e)
            {
                t.Show("send", $"{e.IsReadyToReceive} {e.IsReadyToSend}");
                e.Socket.SendFrame("x");
                if (++sent == 3)
                {
                    a.SendReady -= OnSend;
                }
            }

            a.SendReady += OnSend;
            b.ReceiveReady += (_, e) =>
            {
                e.Socket.SkipFrame();
                if (++received == 3)
                {
                    poller.StopAsync();
                }
            };
            poller.Run();
            t.Show("counts", $"{sent} {received}");
        }
    }

    public static void A_poller_refuses_what_it_cannot_do(Transcript t)
    {
        using var pull = new PullSocket();
        var disposed = new PullSocket();
        disposed.Dispose();
        using var poller = new NetMQPoller();
        t.Try("stop", poller.Stop);
        t.Try("stop async", poller.StopAsync);
        t.Try("null socket", () => poller.Add((ISocketPollable)null!));
        t.Try("null timer", () => poller.Add((NetMQTimer)null!));
        t.Try("null handle", () => poller.Add(null!, _ => { }));
        t.Try("disposed socket", () => poller.Add(disposed));
        t.Try("remove null", () => poller.Remove((ISocketPollable)null!));
        t.Try("remove null timer", () => poller.Remove((NetMQTimer)null!));
        t.Try("remove null handle", () => poller.Remove((Socket)null!));
        t.Try("remove unknown", () => poller.Remove(pull));
        t.Try("remove disposed", () => poller.Remove(disposed));
        t.Try("dispose null", () => poller.RemoveAndDispose((PullSocket)null!));
    }

    public static void A_running_poller_refuses_what_it_cannot_do(Transcript t)
    {
        using var pull = new PullSocket();
        var poller = new NetMQPoller();
        poller.Add(pull);
        poller.RunAsync();
        bool isRefused = false;
        using var done = new ManualResetEventSlim();
        poller.Run(() =>
        {
            try
            {
                poller.Dispose();
            }
            catch (InvalidOperationException)
            {
                isRefused = true;
            }

            done.Set();
        });
        done.Wait();
        t.Try("run", poller.Run);
        t.Try("run async", poller.RunAsync);
        t.Show("dispose on its thread is refused", isRefused);
        poller.Dispose();
        t.Try("dispose again", poller.Dispose);
        t.Try("add after", () => poller.Add(pull));
        t.Try("remove after", () => poller.Remove(pull));
        t.Try("run after", poller.Run);
        t.Try("run async after", poller.RunAsync);
        t.Try("stop after", poller.Stop);
        t.Try("contains after", () => poller.ContainsAsync(pull));
    }

    public static void A_poller_knows_its_members(Transcript t)
    {
        using var pull = new PullSocket();
        using var other = new PullSocket();
        using var handle = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        var timer = new NetMQTimer(1000);
        using var poller = new NetMQPoller { pull };
        poller.Add(timer);
        handle.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        poller.Add(handle, _ => { });
        poller.RunAsync("named");
        t.Show("background", Task.Factory.StartNew(() => Thread.CurrentThread.IsBackground, CancellationToken.None, TaskCreationOptions.None, poller).Result);
        t.Show("socket", poller.ContainsAsync(pull).Result);
        t.Show("other", poller.ContainsAsync(other).Result);
        t.Show("timer", poller.ContainsAsync(timer).Result);
        t.Show("other timer", poller.ContainsAsync(new NetMQTimer(TimeSpan.FromSeconds(1))).Result);
        t.Show("handle", poller.ContainsAsync(handle).Result);
        poller.Remove(pull);
        poller.Remove(timer);
        poller.Remove(handle);
        t.Show("socket", poller.ContainsAsync(pull).Result);
        t.Show("timer", poller.ContainsAsync(timer).Result);
        t.Show("handle", poller.ContainsAsync(handle).Result);
        poller.Add(other);
        t.Show("added", poller.ContainsAsync(other).Result);
        poller.RemoveAndDispose(other);
        t.Show("removed", poller.ContainsAsync(pull).Result);
        poller.Stop();
        t.Show("disposed", other.IsDisposed);
        t.Show("open", pull.IsDisposed);
    }

    public static void A_poller_runs_tasks_on_its_thread(Transcript t)
    {
        using var poller = new NetMQPoller();
        int before = 0;
        poller.Run(() => before = Environment.CurrentManagedThreadId);
        t.Show("inline", before == Environment.CurrentManagedThreadId);
        poller.RunAsync("named", isBackgroundThread: true);
        t.Show("level", poller.MaximumConcurrencyLevel);
        t.Show("caller", poller.CanExecuteTaskInline);
        t.Show("background", Task.Factory.StartNew(() => Thread.CurrentThread.IsBackground, CancellationToken.None, TaskCreationOptions.None, poller).Result);
        t.Show("name", Task.Factory.StartNew(() => Thread.CurrentThread.Name, CancellationToken.None, TaskCreationOptions.None, poller).Result);
        t.Show("thread", Task.Factory.StartNew(() => poller.CanExecuteTaskInline, CancellationToken.None, TaskCreationOptions.None, poller).Result);
        int sum = 0;
        using var done = new ManualResetEventSlim();
        for (int i = 1; i <= 100; i++)
        {
            int value = i;
            poller.Run(() => sum += value);
        }

        poller.Run(done.Set);
        done.Wait();
        t.Show("sum", sum);
        poller.Run(() => throw new NotSupportedException());
        ISynchronizeInvoke invoke = poller;
        t.Show("required", invoke.InvokeRequired);
        t.Show("invoked", invoke.Invoke((int a, int b) => a + b, [1, 2]));
        t.Show("begun", invoke.EndInvoke(invoke.BeginInvoke((int a) => 2 * a, [21])));
        poller.Stop();
    }

    public static void Continuations_stay_on_the_poller(Transcript t)
    {
        using var poller = new NetMQPoller();
        using var done = new ManualResetEventSlim();
        poller.RunAsync();
        poller.Run(() => t.Show("background", Thread.CurrentThread.IsBackground));
        poller.Run(Continue);
        done.Wait();
        poller.Stop();

        async void Continue()
        {
            t.Show("before", poller.CanExecuteTaskInline);
            await Task.Run(() => t.Show("elsewhere", poller.CanExecuteTaskInline));
            t.Show("after", poller.CanExecuteTaskInline);
            await Task.Yield();
            t.Show("yielded", poller.CanExecuteTaskInline);
            done.Set();
        }
    }

    public static void A_poller_runs_with_a_given_context(Transcript t)
    {
        var context = new SynchronizationContext();
        using var poller = new NetMQPoller();
        var timer = new NetMQTimer(1);
        timer.Elapsed += (_, _) =>
        {
            t.Show("given", ReferenceEquals(SynchronizationContext.Current, context));
            timer.Enable = false;
            poller.Stop();
        };
        poller.Add(timer);
        poller.Run(context);
        t.Show("after", SynchronizationContext.Current is null);
    }

    public static void A_poller_watches_a_socket_of_the_base_library(Transcript t)
    {
        using var handle = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        using var sender = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        handle.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        using var poller = new NetMQPoller();
        int sum = 0;
        poller.Add(handle, socket =>
        {
            byte[] bytes = new byte[1];
            socket.Receive(bytes);
            sum += bytes[0];
            if (sum == 6)
            {
                poller.StopAsync();
            }
        });
        for (byte i = 1; i <= 3; i++)
        {
            sender.SendTo([i], handle.LocalEndPoint!);
        }

        poller.Run();
        t.Show("sum", sum);
    }

    public static void A_socket_joins_and_leaves_a_running_poller(Transcript t)
    {
        PairSocket.CreateSocketPair(out PairSocket a, out PairSocket b);
        using (a)
        using (b)
        {
            using var poller = new NetMQPoller();
            using var seen = new SemaphoreSlim(0);
            b.ReceiveReady += (_, e) =>
            {
                t.Show("received", e.Socket.ReceiveFrameString());
                seen.Release();
            };
            poller.RunAsync();
            a.SendFrame("one");
            poller.Add(b);
            seen.Wait();
            a.SendFrame("two");
            seen.Wait();
            poller.Remove(b);
            t.Show("left", poller.ContainsAsync(b).Result);
            a.SendFrame("three");
            t.Show("direct", b.ReceiveFrameString());
            poller.Add(b);
            a.SendFrame("four");
            seen.Wait();
            poller.Stop();
        }
    }
}
