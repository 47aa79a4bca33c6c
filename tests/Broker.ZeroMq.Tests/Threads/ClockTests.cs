using Broker.ZeroMq.Tests.Queues;

namespace Broker.ZeroMq.Tests.Threads;

/// <summary>
/// When a receive reads a clock. The original .NET binding spent most of its time on reading a clock before it checked
/// for a message.
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
    public async Task No_clock_is_read_for_an_available_message(string how)
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

        // The clock is read if no message is there and there is a timeout.
        Assert.False(pull.TryReceive(message, TimeSpan.FromMilliseconds(1)));
        Assert.NotEqual(0, _clock.Reads);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(100)]
    public async Task A_wait_without_a_limit_reads_no_clock_either(int attempts)
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
    public void A_message_that_arrives_while_the_clock_is_read_first_is_not_missed()
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
    public void A_send_with_room_reads_no_clock()
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
