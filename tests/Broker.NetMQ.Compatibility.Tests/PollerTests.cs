using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQ.Compatibility.Tests;

/// <summary>A poller under load and in the orders in which NetMQ's poller fails.</summary>
public sealed class PollerTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    [Fact]
    public void A_poller_runs_again_with_its_sockets_timers_and_tasks()
    {
        PairSocket.CreateSocketPair(out PairSocket a, out PairSocket b);
        using (a)
        using (b)
        {
            using var poller = new NetMQPoller { b };
            using var seen = new SemaphoreSlim(0);
            var timer = new NetMQTimer(1);
            timer.Elapsed += (_, e) =>
            {
                e.Timer.Enable = false;
                seen.Release();
            };
            poller.Add(timer);
            b.ReceiveReady += (_, e) =>
            {
                e.Socket.SkipFrame();
                seen.Release();
            };
            for (int run = 0; run < 3; run++)
            {
                poller.RunAsync();
                a.SendFrame("x");
                poller.Run(() => seen.Release());
                poller.Run(() => timer.Enable = true);
                Take(seen, run == 0 ? 3 : 2);
                poller.Stop();
                Assert.False(poller.IsRunning);
            }
        }
    }

    [Fact]
    public void A_socket_that_is_disposed_leaves_a_running_poller()
    {
        using var poller = new NetMQPoller();
        poller.RunAsync();
        for (int i = 0; i < 200; i++)
        {
            PairSocket.CreateSocketPair(out PairSocket a, out PairSocket b);
            b.ReceiveReady += static (_, e) => e.Socket.SkipFrame();
            poller.Add(b);
            a.SendFrame("1");
            a.SendFrame("2");
            b.Dispose();
            a.Dispose();
        }

        using var done = new ManualResetEventSlim();
        poller.Run(done.Set);
        Assert.True(done.Wait(Limit, TestContext.Current.CancellationToken));
        poller.Stop();
    }

    [Fact]
    public void Sockets_that_come_and_go_lose_no_message()
    {
        const int Pairs = 8;
        const int Each = 500;
        using var poller = new NetMQPoller();
        using var done = new CountdownEvent(Pairs * Each);
        int misplaced = 0;
        poller.RunAsync();
        Thread[] writers = [.. Enumerable.Range(0, Pairs).Select(_ => new Thread(Write))];
        Array.ForEach(writers, static writer => writer.Start());
        Array.ForEach(writers, static writer => writer.Join());
        poller.Stop();
        Assert.True(done.IsSet);
        Assert.Equal(0, misplaced);

        void Write()
        {
            PairSocket.CreateSocketPair(out PairSocket a, out PairSocket b);
            int expected = 0;
            using var taken = new SemaphoreSlim(0);
            b.ReceiveReady += (_, e) =>
            {
                misplaced += NetworkOrderBitsConverter.ToInt32(e.Socket.ReceiveFrameBytes()) == expected++ ? 0 : 1;
                done.Signal();
                taken.Release();
            };
            for (int i = 0; i < Each; i++)
            {
                poller.Add(b);
                a.SendFrame(NetworkOrderBitsConverter.GetBytes(i));
                Take(taken, 1);
                poller.Remove(b);
            }

            poller.RemoveAndDispose(b);
            a.Dispose();
        }
    }

    [Fact]
    public void Tasks_and_items_of_many_threads_are_served_once_each()
    {
        const int Writers = 6;
        const int Each = 2000;
        using var poller = new NetMQPoller();
        using var queue = new NetMQQueue<int>(100);
        using var done = new CountdownEvent(2 * Writers * Each);
        int items = 0, tasks = 0;
        queue.ReceiveReady += (_, e) =>
        {
            items += e.Queue.Dequeue();
            done.Signal();
        };
        poller.Add(queue);
        poller.RunAsync();
        Thread[] writers = [.. Enumerable.Range(0, Writers).Select(_ => new Thread(Write))];
        Array.ForEach(writers, static writer => writer.Start());
        Array.ForEach(writers, static writer => writer.Join());
        Assert.True(done.Wait(Limit, TestContext.Current.CancellationToken));
        poller.Stop();
        Assert.Equal(Writers * Each, items);
        Assert.Equal(Writers * Each, tasks);

        void Write()
        {
            for (int i = 0; i < Each; i++)
            {
                queue.Enqueue(1);
                poller.Run(() =>
                {
                    tasks++;
                    done.Signal();
                });
            }
        }
    }

    [Theory]
    [InlineData("pair other queue poller")]
    [InlineData("poller pair other queue")]
    [InlineData("queue poller other pair")]
    [InlineData("other queue pair poller")]
    [InlineData("stop queue other pair poller")]
    public void Disposal_in_any_order_ends(string order)
    {
        var poller = new NetMQPoller();
        var queue = new NetMQQueue<int>();
        PairSocket.CreateSocketPair(out PairSocket pair, out PairSocket other);
        pair.ReceiveReady += static (_, e) => e.Socket.SkipFrame();
        queue.ReceiveReady += static (_, e) => e.Queue.TryDequeue(out int _, TimeSpan.Zero);
        poller.Add(pair);
        poller.Add(queue);
        poller.Add(new NetMQTimer(1));
        poller.RunAsync();
        for (int i = 0; i < 50; i++)
        {
            other.SendFrame("x");
            queue.Enqueue(i);
        }

        foreach (string name in order.Split(' '))
        {
            switch (name)
            {
                case "pair":
                    pair.Dispose();
                    break;
                case "other":
                    other.Dispose();
                    break;
                case "queue":
                    queue.Dispose();
                    break;
                case "stop":
                    poller.Stop();
                    break;
                default:
                    poller.Dispose();
                    break;
            }
        }

        Assert.False(poller.IsRunning);
    }

    [Fact]
    public void Many_threads_may_stop_a_poller_from_its_handlers()
    {
        using var poller = new NetMQPoller();
        for (int i = 0; i < 100; i++)
        {
            poller.RunAsync();
            poller.Run(poller.Stop);
            while (poller.IsRunning)
            {
                Thread.Yield();
            }
        }

        Assert.False(poller.IsRunning);
    }

    [Fact]
    public void A_wait_for_room_ends_when_the_peer_has_taken_messages()
    {
        PairSocket.CreateSocketPair(out PairSocket a, out PairSocket b);
        using (a)
        using (b)
        {
            int sent = 0;
            while (a.TrySendFrame("x"))
            {
                sent++;
            }

            var reader = new Thread(() =>
            {
                for (int i = 0; i < sent; i++)
                {
                    b.SkipFrame();
                }
            });
            reader.Start();
            Assert.Equal(PollEvents.PollOut, a.Poll(PollEvents.PollOut, Limit));
            reader.Join();
        }
    }

    [Fact]
    public void A_wait_for_a_socket_ends_with_its_disposal()
    {
        var pull = new PullSocket("@inproc://ends-with-disposal");
        Exception? failure = null;
        var waiting = new Thread(() => failure = Record.Exception(() => pull.Poll(PollEvents.PollIn, Limit)));
        waiting.Start();
        while (waiting.ThreadState != ThreadState.WaitSleepJoin)
        {
            Thread.Yield();
        }

        pull.Dispose();
        waiting.Join();
        Assert.IsType<ObjectDisposedException>(failure);
    }

    private static void Take(SemaphoreSlim seen, int count)
    {
        for (int i = 0; i < count; i++)
        {
            Assert.True(seen.Wait(Limit, TestContext.Current.CancellationToken));
        }
    }
}
