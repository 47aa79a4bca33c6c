using Broker.Transport;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Tests.Threads;

/// <summary>How often a send that finds no room looks again before it lets its thread sleep.</summary>
public sealed class SendAttemptTests
{
    private static readonly TimeSpan Moment = TimeSpan.FromMilliseconds(1);

    private readonly FirstRead _clock = new();

    [Theory]
    [InlineData(0, false)]
    [InlineData(7, false)]
    [InlineData(0, true)]
    [InlineData(7, true)]
    public void A_send_looks_for_room_as_often_as_it_was_told_before_it_reads_a_clock(int attempts, bool turns)
    {
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1, CallerDriven = turns });
        using var context = new ZeroMqContext(loops) { Clock = _clock };
        using var push = new PushSocket(new ZeroMqSocketOptions { Attempts = attempts }, context);
        int looks = 0;
        int before = 0;
        _clock.OnFirst = () => before = looks;

        Assert.False(push.TrySendMessage(new Looking(() => looks++), Moment));

        // One is the call itself.
        Assert.Equal(1 + attempts, before);
    }

    [Fact]
    public void Room_that_an_attempt_finds_is_taken_without_a_look_at_the_clock()
    {
        using var context = new ZeroMqContext { Clock = _clock };
        using var push = new PushSocket(new ZeroMqSocketOptions { Attempts = 1000, Linger = TimeSpan.Zero }, context);
        int looks = 0;

        // An endpoint that was connected to has room from the return on.
        Assert.True(push.TrySendMessage(new Looking(Look), Wait.Limit));

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
    public void While_one_thread_makes_attempts_another_one_makes_none()
    {
        using var context = new ZeroMqContext { Clock = _clock };
        using var push = new PushSocket(new ZeroMqSocketOptions { Attempts = 5 }, context);
        int looks = 0;
        int ofOther = 0;
        int before = 0;
        _clock.OnFirst = () => before = ofOther;

        Assert.False(push.TrySendMessage(new Looking(Look), Moment));

        Assert.Equal(1, before);

        void Look()
        {
            if (++looks == 3)
            {
                var other = new Thread(() => push.TrySendMessage(new Looking(() => ofOther++), Moment));
                other.Start();
                other.Join();
            }
        }
    }

    /// <summary>Its size is asked for by each look for room.</summary>
    private readonly struct Looking(Action look) : IZmtpEncoder
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
