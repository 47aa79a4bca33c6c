using Broker.Transport;

namespace Broker.ZeroMq.Tests.Threads;

/// <summary>How many times a send without room polls before its thread sleeps.</summary>
public sealed class SendAttemptTests
{
    private static readonly TimeSpan Moment = TimeSpan.FromMilliseconds(1);

    private readonly FirstRead _clock = new();

    [Theory]
    [InlineData(0, false)]
    [InlineData(7, false)]
    [InlineData(0, true)]
    [InlineData(7, true)]
    public void A_send_polls_for_room_the_set_number_of_times_before_it_reads_a_clock(int attempts, bool turns)
    {
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1, CallerDriven = turns });
        using var context = new ZeroMqContext(loops) { Clock = _clock };
        using var push = new PushSocket(new ZeroMqSocketOptions { Attempts = attempts }, context);
        int looks = 0;
        int before = 0;
        _clock.OnFirst = () => before = looks;

        Assert.False(push.Sender.TrySend(new CountingEncoder(() => looks++), Moment));

        // One of them is the call itself.
        Assert.Equal(1 + attempts, before);
    }

    [Fact]
    public void Room_found_by_polling_is_used_without_reading_the_clock()
    {
        using var context = new ZeroMqContext { Clock = _clock };
        using var push = new PushSocket(new ZeroMqSocketOptions { Attempts = 1000, Linger = TimeSpan.Zero }, context);
        int looks = 0;

        // A connected endpoint has room when Connect returns.
        Assert.True(push.Sender.TrySend(new CountingEncoder(Look), Wait.Limit));

        Assert.False(_clock.WasRead);

        void Look()
        {
            if (++looks == 3)
            {
                push.Connect("tcp://127.0.0.1:9");
            }
        }
    }

    [Fact]
    public void While_one_thread_polls_another_does_not()
    {
        using var context = new ZeroMqContext { Clock = _clock };
        using var push = new PushSocket(new ZeroMqSocketOptions { Attempts = 5 }, context);
        int looks = 0;
        int ofOther = 0;
        int before = 0;
        _clock.OnFirst = () => before = ofOther;

        Assert.False(push.Sender.TrySend(new CountingEncoder(Look), Moment));

        Assert.Equal(1, before);

        void Look()
        {
            if (++looks == 3)
            {
                var other = new Thread(() => push.Sender.TrySend(new CountingEncoder(() => ofOther++), Moment));
                other.Start();
                other.Join();
            }
        }
    }

    /// <summary>An encoder that counts how many times its size was requested, which is once for each poll.</summary>
    private readonly struct CountingEncoder(Action look) : IRoutableEncoder
    {
        public int EncodedSize
        {
            get
            {
                look();
                return ZmtpWriter.FrameSize(1);
            }
        }

        public void Encode(Span<byte> destination) => ZmtpWriter.WriteMessage(destination, "x"u8);

        public bool TryGetAddress(out ReadOnlySpan<byte> address)
        {
            address = default;
            return false;
        }
    }

    private sealed class FirstRead : TimeProvider
    {
        private int _reads;

        public bool WasRead => Volatile.Read(ref _reads) > 0;

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
