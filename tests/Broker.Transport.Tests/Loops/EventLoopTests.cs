using System.Diagnostics;

namespace Broker.Transport.Tests;

public sealed class EventLoopTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    private static Task Soon(Task task) => task.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);

    private static Task OnLoop(EventLoop loop, Action action)
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        loop.Post(() =>
        {
            action();
            done.SetResult();
        });
        return Soon(done.Task);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_idle_group_sleeps(bool portable)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "looks into /proc");
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 2, ForcePortable = portable, ThreadName = "idle" });
        (Connection a, _) = InProcessLink.Create(group[0], new Probe(), group[1], new Probe());
        // Some traffic first, of the kind that makes a loop poll.
        for (int i = 0; i < 1000; i++)
        {
            await OnLoop(group[i % 2], () => a.GetWriteBuffer(group[i % 2]).Write([1]));
        }

        // It falls asleep a while after the last traffic, when it gets a processor for that.
        bool sleptThrough = false;
        for (int second = 0; second < 20 && !sleptThrough; second++)
        {
            long sleeps = ProcessFacts.Sleeps("idle ");
            long ticks = ProcessFacts.Ticks("idle ");
            await Task.Delay(1000, Cancellation);
            sleptThrough = ProcessFacts.Sleeps("idle ") == sleeps && ProcessFacts.Ticks("idle ") == ticks;
        }

        Assert.True(sleptThrough);
    }

    [Fact]
    public async Task An_action_after_the_flush_runs_once_for_each_iteration()
    {
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        EventLoop loop = group[0];
        var far = new Probe();
        (Connection near, _) = InProcessLink.Create(loop, new Probe(), loop, far);
        Assert.Throws<InvalidOperationException>(() => loop.PostAfterFlush(static () => { }));
        var seen = new List<(string What, long Received)>();
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        loop.Post(() =>
        {
            loop.PostAfterFlush(() => Write(3));
            loop.Post(() => Write(0, "posted"));
        });
        await Soon(done.Task);
        // What an iteration has written before is received before the action runs.
        Assert.Equal([("posted", 0), ("after", 1), ("posted", 1), ("after", 3), ("posted", 3), ("after", 5)], seen);

        void Write(int left, string what = "after")
        {
            seen.Add((what, far.Received));
            near.GetWriteBuffer(loop).Write([1]);
            if (left > 1)
            {
                loop.PostAfterFlush(() => Write(left - 1));
                loop.Post(() => Write(0, "posted"));
            }
            else if (left == 1)
            {
                done.SetResult();
            }
        }
    }

    [Fact]
    public async Task Posted_actions_of_any_thread_run_once_and_in_order()
    {
        const int Threads = 4;
        const int Each = 100_000;
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        EventLoop loop = group[0];
        int[] next = new int[Threads];
        int wrong = 0;
        int left = Threads * Each;
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Thread[] threads = [.. Enumerable.Range(0, Threads).Select(thread => new Thread(() =>
        {
            for (int i = 0; i < Each; i++)
            {
                int number = i;
                loop.Post(() =>
                {
                    wrong += next[thread]++ == number && loop.IsCurrent ? 0 : 1;
                    if (--left == 0)
                    {
                        done.SetResult();
                    }
                });
                if (i % 64 == 0)
                {
                    // Pauses now and then, so that the loop falls asleep.
                    Thread.Yield();
                }
            }
        }))];
        Array.ForEach(threads, thread => thread.Start());
        Array.ForEach(threads, thread => thread.Join());
        await Soon(done.Task);
        Assert.Equal(0, wrong);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_sleeping_loop_wakes_for_each_single_post(bool portable)
    {
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 2, IdlePolls = 0, ForcePortable = portable });
        for (int i = 0; i < 20_000; i++)
        {
            await OnLoop(group[i % 2], () => { });
        }
    }

    [Fact]
    public async Task A_link_whose_ends_reply_to_each_other_for_ever_does_not_block_its_loop()
    {
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        int left = 100_000;
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        int Answer(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
        {
            if (--left == 0)
            {
                done.SetResult();
            }

            connection.GetWriteBuffer(connection.Loop).Write(bytes);
            return bytes.Length;
        }

        (Connection a, _) = InProcessLink.Create(
            group[0], new Probe { WhenReceived = Answer }, group[0], new Probe { WhenReceived = Answer });
        await OnLoop(group[0], () => a.GetWriteBuffer(group[0]).Write([1]));
        await Soon(done.Task);
        await OnLoop(group[0], () => { });
    }

    [Fact]
    public async Task A_reply_beyond_the_rounds_of_one_iteration_is_delivered_in_the_next()
    {
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1, IdlePolls = 0 });
        // Whatever the number of rounds in an iteration is, some of these end just after the last round.
        for (int rounds = 1; rounds <= 70; rounds++)
        {
            int left = rounds;
            var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            int Answer(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
            {
                if (left-- == 0)
                {
                    done.SetResult();
                }
                else
                {
                    connection.GetWriteBuffer(connection.Loop).Write(bytes);
                }

                return bytes.Length;
            }

            (Connection a, _) = InProcessLink.Create(
                group[0], new Probe { WhenReceived = Answer }, group[0], new Probe { WhenReceived = Answer });
            group[0].Post(() => a.GetWriteBuffer(group[0]).Write([1]));
            await Soon(done.Task);
        }
    }

    [Fact]
    public async Task Timers_fire_once_in_order_of_their_time_and_not_when_cancelled()
    {
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        var fired = new List<int>();
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await OnLoop(group[0], () =>
        {
            group[0].StartTimer(TimeSpan.FromMilliseconds(120), done.SetResult);
            group[0].StartTimer(TimeSpan.FromMilliseconds(80), () => fired.Add(3));
            LoopTimer third = group[0].StartTimer(TimeSpan.FromMilliseconds(40), () => fired.Add(2));
            group[0].StartTimer(TimeSpan.FromMilliseconds(1), () =>
            {
                fired.Add(1);
                third.Cancel();
                third.Cancel();
            });
        });
        await Soon(done.Task);
        Assert.Equal([1, 3], fired);
    }

    [Fact]
    public async Task A_timer_that_restarts_itself_without_delay_does_not_block_the_loop()
    {
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        await OnLoop(group[0], Again);
        for (int i = 0; i < 100; i++)
        {
            await OnLoop(group[0], () => { });
        }

        void Again() => group[0].StartTimer(TimeSpan.Zero, Again);
    }

    [Fact]
    public async Task Timers_that_are_cancelled_and_started_repeatedly_do_not_use_more_memory()
    {
        const int Connections = 10_000;
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        long grown = 0;
        await OnLoop(group[0], () =>
        {
            var timers = new LoopTimer[Connections];
            Array.Fill(timers, group[0].StartTimer(TimeSpan.FromMinutes(2), () => { }));
            Move(timers);
            long before = GC.GetTotalMemory(forceFullCollection: true);
            for (int i = 0; i < 50; i++)
            {
                Move(timers);
            }

            grown = GC.GetTotalMemory(forceFullCollection: true) - before;
        });
        Assert.InRange(grown, long.MinValue, 8 * 1024 * 1024);

        void Move(LoopTimer[] timers)
        {
            for (int i = 0; i < timers.Length; i++)
            {
                timers[i].Cancel();
                timers[i] = group[0].StartTimer(TimeSpan.FromMinutes(2), () => { });
            }
        }
    }

    [Fact]
    public async Task A_loop_continues_after_exceptions_even_if_reporting_them_fails()
    {
        int faults = 0;
        using var group = new EventLoopGroup(new EventLoopOptions
        {
            Loops = 1,
            OnFault = _ =>
            {
                faults++;
                throw new InvalidOperationException("The report failed.");
            },
        });
        group[0].Post(() => throw new InvalidOperationException("The action failed."));
        await OnLoop(group[0], () => group[0].StartTimer(TimeSpan.Zero, () => throw new InvalidOperationException("The timer failed.")));
        await Soon(Wait.UntilAsync(() => Volatile.Read(ref faults) == 2, Cancellation));
        await OnLoop(group[0], () => { });
    }

    [Fact]
    public async Task A_loop_continues_after_an_exception_in_OnClosed_or_OnDrained()
    {
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 2 });
        using var hold = new ManualResetEventSlim();
        var near = new Probe
        {
            WhenDrained = _ => throw new InvalidOperationException("Drained badly."),
            WhenClosed = _ => throw new InvalidOperationException("Closed badly."),
        };
        (Connection a, _) = InProcessLink.Create(group[0], near, group[1], new Probe());
        group[1].Post(() => hold.Wait(ConnectionPairs.WaitLimit));
        for (int i = 0; i < 4; i++)
        {
            await OnLoop(group[0], () => a.GetWriteBuffer(group[0]).Write(new byte[1_000_000]));
        }

        hold.Set();
        await Soon(Wait.UntilAsync(() => near.Closings == 1, Cancellation));
        Assert.Equal("Drained badly.", near.Error?.Message);
        await OnLoop(group[0], () => { });
    }

    [Fact]
    public async Task A_group_responds_when_each_loop_runs_and_until_one_has_ended()
    {
        var group = new EventLoopGroup(new EventLoopOptions { Loops = 2 });
        Assert.True(await group.IsRespondingAsync(Cancellation));

        using var blocked = new ManualResetEventSlim();
        group[1].Post(() => blocked.Wait(Cancellation));
        using var limit = new CancellationTokenSource(TimeSpan.FromMilliseconds(50));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => group.IsRespondingAsync(limit.Token));

        blocked.Set();
        Assert.True(await group.IsRespondingAsync(Cancellation));
        group.Dispose();
        Assert.False(await group.IsRespondingAsync(Cancellation));
    }

    [Fact]
    public async Task TryPost_returns_whether_the_action_will_run()
    {
        for (int i = 0; i < 200; i++)
        {
            var group = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
            EventLoop loop = group[0];
            int accepted = 0;
            int ran = 0;
            var posting = new Thread(() =>
            {
                while (loop.TryPost(() => ran++))
                {
                    accepted++;
                }
            });
            posting.Start();
            await Task.Yield();
            group.Dispose();
            posting.Join();
            Assert.Equal(accepted, ran);
            Assert.False(loop.TryPost(() => { }));
        }
    }

    [Fact]
    public async Task An_action_that_posts_itself_for_ever_does_not_prevent_disposal()
    {
        var group = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        EventLoop loop = group[0];
        Action again = null!;
        again = () => loop.Post(again);
        loop.Post(again);
        await Soon(Task.Run(group.Dispose, Cancellation));
        Assert.False(loop.TryPost(again));
    }

    [Fact]
    public async Task Disposing_a_group_on_one_of_its_loops_is_refused()
    {
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 2 });
        Exception? refusal = null;
        await OnLoop(group[1], () => refusal = Record.Exception(group.Dispose));
        Assert.IsType<InvalidOperationException>(refusal);
        await OnLoop(group[0], () => { });
    }

    [Fact]
    public void A_stopped_loop_accepts_posts_and_does_not_use_reused_descriptors()
    {
        for (int i = 0; i < 50; i++)
        {
            var group = new EventLoopGroup(new EventLoopOptions { Loops = 2 });
            EventLoop[] loops = [group[0], group[1]];
            group.Dispose();
            group.Dispose();
            // These files get the numbers of the group's former descriptors.
            string path = Path.GetTempFileName();
            FileStream[] files = [.. Enumerable.Range(0, 8).Select(_ => new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite))];
            Array.ForEach(loops, loop => loop.Post(() => { }));
            Assert.Equal(0, new FileInfo(path).Length);
            Array.ForEach(files, file => file.Dispose());
            File.Delete(path);
        }
    }

    [Fact]
    public async Task A_group_may_be_disposed_while_links_are_created_and_each_end_is_closed_once()
    {
        for (int i = 0; i < 100; i++)
        {
            var group = new EventLoopGroup(new EventLoopOptions { Loops = 2 });
            var probes = new List<Probe>();
            var making = new Thread(() =>
            {
                try
                {
                    while (true)
                    {
                        var a = new Probe();
                        var b = new Probe();
                        (Connection first, _) = InProcessLink.Create(group[0], a, group[1], b);
                        probes.Add(a);
                        probes.Add(b);
                        first.ExternalWriteBuffer.Write([1]);
                        first.FlushExternal();
                    }
                }
                catch (ObjectDisposedException)
                {
                }
            });
            making.Start();
            await Task.Yield();
            group.Dispose();
            making.Join();
            Assert.All(probes, probe => Assert.Equal(1, probe.Closings));
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Actions_that_are_due_after_microseconds_run_on_time(bool portable)
    {
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1, ForcePortable = portable });
        EventLoop loop = group[0];
        Assert.Throws<InvalidOperationException>(() => loop.RunAfter(TimeSpan.FromMicroseconds(1), static () => { }));
        TimeSpan[] delays = [TimeSpan.FromMicroseconds(900), TimeSpan.Zero, TimeSpan.FromMicroseconds(300), TimeSpan.FromMilliseconds(20)];
        var passed = new TimeSpan[delays.Length];
        using var all = new CountdownEvent(delays.Length + 1);
        loop.Post(() =>
        {
            long begin = Stopwatch.GetTimestamp();
            for (int i = 0; i < delays.Length; i++)
            {
                int which = i;
                loop.RunAfter(delays[i], () =>
                {
                    passed[which] = Stopwatch.GetElapsedTime(begin);
                    all.Signal();
                });
            }

            // A timer that runs beside them still fires.
            loop.StartTimer(TimeSpan.FromMilliseconds(5), () => all.Signal());
        });
        Assert.True(all.Wait(ConnectionPairs.WaitLimit, TestContext.Current.CancellationToken));
        Assert.All(delays.Zip(passed), static d => Assert.True(d.Second + TimeSpan.FromMicroseconds(1) >= d.First, $"{d.Second} instead of {d.First}"));
    }
}
