using Broker.ZeroMq.Tests.Queues;

namespace Broker.ZeroMq.Tests.Threads;

/// <summary>
/// When a receive reads a clock. What the founding binding of .NET lost most of its time with was to read one before it had looked for a message.
/// </summary>
public sealed class ClockTests
{
    private static readonly TimeSpan Minute = TimeSpan.FromMinutes(1);

    private readonly CountedClock _clock = new();

    [Theory]
    [InlineData("Receive")]
    [InlineData("Receive within a time")]
    [InlineData("TryReceive")]
    [InlineData("TryReceive within a time")]
    [InlineData("ReceiveAsync")]
    public async Task For_a_message_that_is_there_no_clock_is_read(string how)
    {
        const int Count = 10;
        using var context = new ZeroMqContext { Clock = _clock };
        using var pull = new PullSocket(new ZeroMqSocketOptions { ReceiveTimeout = how == "Receive" ? Timeout.InfiniteTimeSpan : Minute }, context);
        using var push = new PushSocket();
        push.Connect(pull.Bind("tcp://127.0.0.1:*"));
        using var message = new ZeroMqMessage();
        for (int i = 0; i < Count; i++)
        {
            push.Send("x");
            await Wait.UntilAsync(() => pull.HasMessages);
            switch (how)
            {
                case "TryReceive":
                    Assert.True(pull.TryReceive(message));
                    break;
                case "TryReceive within a time":
                    Assert.True(pull.TryReceive(message, Minute));
                    break;
                case "ReceiveAsync":
                    await pull.ReceiveAsync(message, TestContext.Current.CancellationToken);
                    break;
                default:
                    pull.Receive(message);
                    break;
            }
        }

        Assert.Equal(0, _clock.Reads);
        Assert.False(pull.TryReceive(message));
        Assert.Equal(0, _clock.Reads);

        // Which it is where nothing is there and a time is to be kept.
        Assert.False(pull.TryReceive(message, TimeSpan.FromMilliseconds(1)));
        Assert.NotEqual(0, _clock.Reads);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(100)]
    public async Task A_wait_without_a_limit_reads_none_either(int attempts)
    {
        var bench = new Bench(clock: _clock);
        string? received = null;
        var receiver = new Thread(() => received = bench.Take(attempts, Timeout.InfiniteTimeSpan));
        receiver.Start();
        await Wait.UntilAsync(() => !bench.Queue.Waiters.IsEmpty);
        bench.Add(bench.Source(), "hello");
        receiver.Join();
        Assert.Equal("hello", received);
        Assert.Equal(0, _clock.Reads);
    }

    [Fact]
    public void What_comes_while_the_clock_is_read_for_the_first_time_is_not_slept_over()
    {
        var bench = new Bench(clock: _clock);
        _clock.OnFirst = () => bench.Add(bench.Source(), "just now");
        Assert.Equal("just now", bench.Take(attempts: 50, Minute));
        Assert.NotEqual(0, _clock.Reads);

        int before = _clock.Reads;
        bench.Add(bench.Source(), "there");
        Assert.Equal("there", bench.Take(attempts: 50, Minute));
        Assert.Equal(before, _clock.Reads);
    }

    [Fact]
    public void Sending_looks_at_no_limit_where_there_is_room()
    {
        using var context = new ZeroMqContext { Clock = _clock };
        using var push = new PushSocket(new ZeroMqSocketOptions { SendTimeout = Minute, Linger = TimeSpan.Zero }, context);
        push.Connect("tcp://127.0.0.1:9");
        for (int i = 0; i < 10; i++)
        {
            push.Send("x");
            Assert.True(push.TrySend("x"u8, Minute));
        }

        Assert.Equal(0, _clock.Reads);
    }

    private sealed class CountedClock : TimeProvider
    {
        private int _reads;

        public int Reads => Volatile.Read(ref _reads);

        public Action? OnFirst { get; set; }

        public override long GetTimestamp()
        {
            if (Interlocked.Increment(ref _reads) == 1)
            {
                OnFirst?.Invoke();
            }

            return base.GetTimestamp();
        }
    }
}
