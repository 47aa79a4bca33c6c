using System.Net;
using System.Runtime.CompilerServices;
using System.Text;
using Broker.Testing;

namespace Broker.Transport.Tests;

/// <summary>
/// Tests of loops whose iterations the test's thread runs. No test here is asynchronous, because it must stay on that
/// thread.
/// </summary>
public sealed class CallerDrivenTests
{
    private static readonly TimeSpan Day = TimeSpan.FromDays(1);

    private readonly VirtualTime _time = new();

    private EventLoopGroup Driven(bool portable = false)
        => new(new EventLoopOptions { CallerDriven = true, ForcePortable = portable, TimeProvider = _time });

    private static void RunAll(EventLoop loop)
    {
        while (loop.RunOnce(TimeSpan.Zero))
        {
        }
    }

    private static void RunUntil(EventLoop loop, Func<bool> condition)
    {
        DateTime end = DateTime.UtcNow + ConnectionPairs.WaitLimit;
        while (!condition())
        {
            Assert.True(DateTime.UtcNow < end, "it did not come about");
            loop.RunOnce(TimeSpan.FromMilliseconds(50));
        }
    }

    private static Probe Collector(StringBuilder into, bool echoes, List<int> threads) => new()
    {
        WhenReceived = (Connection connection, ReadOnlySpan<byte> bytes, ref int _) =>
        {
            threads.Add(Environment.CurrentManagedThreadId);
            into.Append(Encoding.ASCII.GetString(bytes));
            if (echoes)
            {
                connection.GetWriteBuffer(connection.Loop).Write(bytes);
            }

            return bytes.Length;
        },
        WhenClosed = _ => threads.Add(Environment.CurrentManagedThreadId),
    };

    [Fact]
    public void Both_ends_of_an_in_process_link_reply_within_the_callers_iterations()
    {
        using EventLoopGroup group = Driven();
        EventLoop loop = group[0];
        loop.Attach();
        List<int> threads = [];
        StringBuilder near = new();
        StringBuilder far = new();
        (Connection a, _) = InProcessLink.Create(loop, Collector(near, echoes: false, threads), loop, Collector(far, echoes: true, threads));
        RunAll(loop);
        a.GetWriteBuffer(loop).Write("hello"u8);
        Assert.Equal("", far.ToString());
        Assert.True(loop.RunOnce(TimeSpan.Zero));
        Assert.Equal("hello", far.ToString());
        Assert.Equal("hello", near.ToString());
        Assert.False(loop.RunOnce(TimeSpan.Zero));
        Assert.All(threads, thread => Assert.Equal(Environment.CurrentManagedThreadId, thread));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Sockets_are_served_and_closed_on_the_callers_thread(bool portable)
    {
        EventLoopGroup group = Driven(portable);
        EventLoop loop = group[0];
        loop.Attach();
        List<int> threads = [];
        StringBuilder near = new();
        StringBuilder far = new();
        Probe server = Collector(far, echoes: true, threads);
        Probe client = Collector(near, echoes: false, threads);
        using var listener = Listener.Start(group, new IPEndPoint(IPAddress.Loopback, 0), (_, _) => server);
        Task<Connection> dialled = Dialer.ConnectAsync(loop, listener.EndPoint, client, TestContext.Current.CancellationToken);
        RunUntil(loop, () => dialled.IsCompleted && client.Opened.IsCompleted && server.Opened.IsCompleted);
        client.Connection.GetWriteBuffer(loop).Write("over TCP"u8);
        RunUntil(loop, () => near.Length == 8);
        Assert.Equal("over TCP", near.ToString());
        Assert.Equal("over TCP", far.ToString());

        group.Dispose();
        Assert.Equal(CloseReason.Shutdown, Result(client.Closed));
        Assert.Equal(CloseReason.Shutdown, Result(server.Closed));
        Assert.All(threads, thread => Assert.Equal(Environment.CurrentManagedThreadId, thread));
        Assert.Throws<ObjectDisposedException>(() => loop.RunOnce(TimeSpan.Zero));
        Assert.False(loop.TryPost(() => { }));
        group.Dispose();
    }

    private static T Result<T>(Task<T> task)
    {
        Assert.True(task.IsCompleted);
        return task.GetAwaiter().GetResult();
    }

    [Fact]
    public void A_cancelled_timer_does_not_keep_its_callback_in_memory()
    {
        using EventLoopGroup group = Driven(portable: false);
        group[0].Attach();
        (LoopTimer timer, WeakReference target) = Cancelled(group[0]);

        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();

        Assert.False(target.IsAlive);
        GC.KeepAlive(timer);

        [MethodImpl(MethodImplOptions.NoInlining)]
        static (LoopTimer Timer, WeakReference Target) Cancelled(EventLoop loop)
        {
            var target = new List<int>();
            LoopTimer timer = loop.StartTimer(Day, () => target.Add(1));
            timer.Cancel();
            return (timer, new WeakReference(target));
        }
    }

    [Fact]
    public void A_timer_can_be_restarted_after_it_fired_or_in_its_callback_but_not_before()
    {
        using EventLoopGroup group = Driven(portable: false);
        EventLoop loop = group[0];
        loop.Attach();
        int fired = 0;
        LoopTimer? timer = null;
        timer = loop.StartTimer(TimeSpan.FromMilliseconds(1), () =>
        {
            if (++fired < 3)
            {
                timer!.Restart(TimeSpan.FromMilliseconds(1));
            }
        });
        Assert.Throws<InvalidOperationException>(() => timer.Restart(TimeSpan.Zero));
        for (int millisecond = 1; millisecond <= 5; millisecond++)
        {
            _time.Advance(TimeSpan.FromMilliseconds(1));
            RunAll(loop);
            Assert.Equal(Math.Min(millisecond, 3), fired);
        }

        Assert.False(timer.IsPending);
        timer.Restart(TimeSpan.FromMilliseconds(1));
        Assert.True(timer.IsPending);
        timer.Cancel();
        Assert.Throws<InvalidOperationException>(() => timer.Restart(TimeSpan.Zero));
        _time.Advance(Day);
        RunAll(loop);
        Assert.Equal(3, fired);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_timer_fires_by_the_clock_of_the_group_and_not_by_the_systems_clock(bool portable)
    {
        using EventLoopGroup group = Driven(portable);
        EventLoop loop = group[0];
        loop.Attach();
        List<string> fired = [];
        loop.StartTimer(TimeSpan.FromMilliseconds(1), () => fired.Add("soon"));
        loop.StartTimer(Day, () => fired.Add("in a day"));
        LoopTimer cancelled = loop.StartTimer(TimeSpan.FromHours(1), () => fired.Add("never"));
        long before = loop.LastTick;

        // Far more than the timer's millisecond of real time.
        Thread.Sleep(20);
        loop.RunOnce(TimeSpan.FromMilliseconds(20));
        RunAll(loop);
        Assert.Empty(fired);
        Assert.Equal(before, loop.LastTick);

        _time.Advance(TimeSpan.FromMilliseconds(1));
        Assert.True(loop.RunOnce(TimeSpan.Zero));
        Assert.Equal(["soon"], fired);
        Assert.False(loop.RunOnce(TimeSpan.Zero));

        cancelled.Cancel();
        _time.Advance(Day - TimeSpan.FromMilliseconds(2));
        Assert.False(loop.RunOnce(TimeSpan.Zero));
        _time.Advance(TimeSpan.FromMilliseconds(1));
        // Even the longest wait returns at once if a timer is due.
        Assert.True(loop.RunOnce(Timeout.InfiniteTimeSpan));
        Assert.Equal(["soon", "in a day"], fired);
        Assert.Equal(before + (long)Day.TotalMilliseconds, loop.LastTick);
    }

    [Fact]
    public void A_wait_ends_when_a_timer_is_due_by_the_systems_time()
    {
        using var group = new EventLoopGroup(new EventLoopOptions { CallerDriven = true });
        EventLoop loop = group[0];
        loop.Attach();
        bool fired = false;
        loop.StartTimer(TimeSpan.FromMilliseconds(5), () => fired = true);
        while (!fired)
        {
            loop.RunOnce(Timeout.InfiniteTimeSpan);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_timer_of_the_applications_time_provider_wakes_a_waiting_loop(bool callerDriven)
    {
        var time = new AlarmTime();
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1, CallerDriven = callerDriven, TimeProvider = time });
        EventLoop loop = group[0];
        using var fired = new ManualResetEventSlim();
        loop.Post(() => loop.StartTimer(Day, fired.Set));
        var setter = new Thread(() =>
        {
            Assert.True(time.Armed.Wait(ConnectionPairs.WaitLimit));
            time.AdvanceAndRing(Day);
        });
        setter.Start();
        if (callerDriven)
        {
            while (!fired.IsSet)
            {
                loop.RunOnce(Timeout.InfiniteTimeSpan);
            }
        }

        Assert.True(fired.Wait(ConnectionPairs.WaitLimit, TestContext.Current.CancellationToken));
        setter.Join();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void An_action_that_another_thread_posts_ends_a_wait(bool portable)
    {
        using EventLoopGroup group = Driven(portable);
        EventLoop loop = group[0];
        loop.Attach();
        int ranOn = 0;
        for (int round = 0; round < 100; round++)
        {
            bool ran = false;
            var poster = new Thread(() => loop.Post(() => (ran, ranOn) = (true, Environment.CurrentManagedThreadId)));
            poster.Start();
            // Nothing else would end the wait.
            while (!ran)
            {
                Assert.True(loop.RunOnce(Timeout.InfiniteTimeSpan));
            }

            poster.Join();
            Assert.Equal(Environment.CurrentManagedThreadId, ranOn);
        }
    }

    [Fact]
    public void A_loop_belongs_to_the_thread_that_ran_it_first()
    {
        using EventLoopGroup group = Driven();
        EventLoop loop = group[0];
        Assert.True(loop.IsCallerDriven);
        Assert.False(loop.IsCurrent);
        Assert.Throws<InvalidOperationException>(() => loop.StartTimer(Day, () => { }));
        loop.RunOnce(TimeSpan.Zero);
        Assert.True(loop.IsCurrent);
        Assert.Same(loop, group.Current);
        loop.Attach();
        OnAnotherThread(() =>
        {
            Assert.False(loop.IsCurrent);
            Assert.Null(group.Current);
            Assert.Contains("RunOnce or Attach first", Assert.Throws<InvalidOperationException>(() => loop.RunOnce(TimeSpan.Zero)).Message, StringComparison.Ordinal);
            Assert.Throws<InvalidOperationException>(loop.Attach);
        });
        // The rejected call has changed nothing.
        Assert.False(loop.RunOnce(TimeSpan.Zero));
    }

    [Fact]
    public void During_an_iteration_no_other_begins_and_the_group_cannot_be_disposed()
    {
        using EventLoopGroup group = Driven();
        EventLoop loop = group[0];
        List<Exception?> thrown = [];
        loop.Post(() =>
        {
            thrown.Add(Record.Exception(() => loop.RunOnce(TimeSpan.Zero)));
            thrown.Add(Record.Exception(group.Dispose));
            OnAnotherThread(() => thrown.Add(Record.Exception(() => loop.RunOnce(TimeSpan.Zero))));
            OnAnotherThread(() => thrown.Add(Record.Exception(group.Dispose)));
        });
        Assert.True(loop.RunOnce(TimeSpan.Zero));
        Assert.Equal(4, thrown.Count);
        Assert.All(thrown, e => Assert.IsType<InvalidOperationException>(e));
        bool ran = false;
        loop.Post(() => ran = true);
        RunAll(loop);
        Assert.True(ran);
    }

    [Fact]
    public void Another_thread_may_dispose_between_two_iterations_and_gets_the_OnClosed_calls()
    {
        EventLoopGroup group = Driven();
        EventLoop loop = group[0];
        List<int> threads = [];
        Probe near = Collector(new StringBuilder(), echoes: false, threads);
        InProcessLink.Create(loop, near, loop, Collector(new StringBuilder(), echoes: false, threads));
        RunAll(loop);
        int disposer = 0;
        OnAnotherThread(() =>
        {
            disposer = Environment.CurrentManagedThreadId;
            group.Dispose();
        });
        Assert.Equal(CloseReason.Shutdown, Result(near.Closed));
        Assert.Equal([disposer, disposer], threads);
        Assert.False(loop.IsCurrent);
        Assert.Throws<ObjectDisposedException>(() => loop.RunOnce(TimeSpan.Zero));
        Assert.Throws<ObjectDisposedException>(loop.Attach);
    }

    [Fact]
    public void Disposing_a_group_that_never_ran_opens_and_closes_its_connections()
    {
        EventLoopGroup group = Driven();
        var near = new Probe();
        var far = new Probe();
        InProcessLink.Create(group[0], near, group[0], far);
        Assert.False(near.Opened.IsCompleted);
        group.Dispose();
        Assert.Equal(CloseReason.Shutdown, Result(near.Closed));
        Assert.Equal(CloseReason.Shutdown, Result(far.Closed));
        Assert.True(near.Opened.IsCompleted);
    }

    [Fact]
    public void A_loop_with_a_thread_cannot_be_run_by_a_caller()
    {
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        EventLoop loop = group[0];
        Assert.False(loop.IsCallerDriven);
        Assert.Contains(
            "thread of its own", Assert.Throws<InvalidOperationException>(() => loop.RunOnce(TimeSpan.Zero)).Message, StringComparison.Ordinal);
        Assert.Throws<InvalidOperationException>(loop.Attach);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_loop_without_connections_that_ask_it_to_spin_sleeps_without_polling(bool portable)
    {
        const int Polls = 50;
        using var group = new EventLoopGroup(new EventLoopOptions { CallerDriven = true, ForcePortable = portable, IdlePolls = Polls });
        EventLoop loop = group[0];
        loop.Attach();
        long LooksOfAWait()
        {
            RunAll(loop);
            long before = loop.Pacing.Polls;
            loop.RunOnce(TimeSpan.FromMilliseconds(1));
            return loop.Pacing.Polls - before;
        }

        Assert.Equal(1, LooksOfAWait());
        (Connection a, Connection b) = InProcessLink.Create(loop, new Probe(), loop, new Probe());
        Assert.Equal(1 + Polls, LooksOfAWait());
        a.SpinBeforeSleep = false;
        Assert.Equal(1 + Polls, LooksOfAWait());
        b.SpinBeforeSleep = false;
        Assert.Equal(1, LooksOfAWait());
        a.SpinBeforeSleep = true;
        Assert.Equal(1 + Polls, LooksOfAWait());
        a.Close();
        Assert.Equal(1, LooksOfAWait());
        OnAnotherThread(() => Assert.Throws<InvalidOperationException>(() => b.SpinBeforeSleep = true));
    }

    [Fact]
    public void Contradictory_options_are_rejected()
    {
        Assert.Throws<ArgumentException>(() => new EventLoopGroup(new EventLoopOptions { CallerDriven = true, Loops = 2 }));
        Assert.Throws<ArgumentNullException>(() => new EventLoopGroup(new EventLoopOptions { TimeProvider = null! }));
        using EventLoopGroup group = Driven();
        Assert.Throws<ArgumentOutOfRangeException>(() => group[0].RunOnce(TimeSpan.FromSeconds(-1)));
    }

    private static void OnAnotherThread(Action action)
    {
        Exception? failure = null;
        var thread = new Thread(() => failure = Record.Exception(action));
        thread.Start();
        thread.Join();
        Assert.Null(failure);
    }

    /// <summary>A clock that the test sets and that then fires its timer. For one timer.</summary>
    private sealed class AlarmTime : TimeProvider
    {
        private long _ticks = TimeSpan.TicksPerDay;
        private Action? _ring;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        internal ManualResetEventSlim Armed { get; } = new();

        public override long GetTimestamp() => Interlocked.Read(ref _ticks);

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            _ring = () => callback(state);
            return new Alarm(Armed);
        }

        internal void AdvanceAndRing(TimeSpan by)
        {
            Interlocked.Add(ref _ticks, by.Ticks);
            _ring!();
        }

        private sealed class Alarm(ManualResetEventSlim armed) : ITimer
        {
            public bool Change(TimeSpan dueTime, TimeSpan period)
            {
                armed.Set();
                return true;
            }

            public void Dispose()
            {
            }

            public ValueTask DisposeAsync() => default;
        }
    }
}
