using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQ.Compatibility.Tests;

/// <summary>
/// Calls allocate the arrays that they return and nothing else. The counts are exact: those of one large frame, or
/// those of the round that allocated least, since a round may contain the event of a lock or a block of a queue.
/// </summary>
[Collection(nameof(Alone))]
public sealed class AllocationTests
{
    // A frame whose array is on the heap of large objects.
    private const int Large = 3_000_001;

    private const int Rounds = 20;
    private const int PerRound = 100;

    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    [Theory]
    [InlineData(0)]
    [InlineData(64)]
    [InlineData(1024)]
    public void A_received_frame_allocates_its_array_only(int size)
    {
        using var pair = new Connected(new byte[size]);
        long returned = AllocatedBy(() => new byte[size]);

        Assert.Equal(PerRound * returned, pair.Receive(static pull => pull.TryReceiveFrameBytes(out _)));
    }

    [Fact]
    public void A_large_frame_is_copied_into_its_array_and_into_no_other_memory()
    {
        using var pair = new Connected(new byte[1]);
        pair.Receive(static pull => pull.TryReceiveFrameBytes(out _));
        byte[] sent = new byte[Large];
        sent[^1] = 7;
        pair.Push.SendFrame(sent);
        Wait.Until(() => pair.Pull.HasIn);
        byte[]? received = null;
        long allocated = AllocatedBy(() => pair.Pull.TryReceiveFrameBytes(out received));

        Assert.Equal(sent, received);
        Assert.Equal(AllocatedBy(static () => new byte[Large]), allocated);
    }

    [Fact]
    public void A_large_message_allocates_one_array_for_each_frame()
    {
        using var pair = new Connected(new byte[1]);
        List<byte[]>? frames = new(4);
        pair.Receive(pull => pull.TryReceiveMultipartBytes(ref frames));
        pair.Push.SendMoreFrame("id").SendMoreFrameEmpty().SendFrame(new byte[Large]);
        Wait.Until(() => pair.Pull.HasIn);
        long allocated = AllocatedBy(() => pair.Pull.TryReceiveMultipartBytes(ref frames));

        Assert.Equal([2, 0, Large], frames!.Select(static frame => frame.Length));
        int empty = frames![1].Length;
        Assert.Equal(AllocatedBy(static () => new byte[2]) + AllocatedBy(() => new byte[empty]) + AllocatedBy(static () => new byte[Large]), allocated);
    }

    [Theory]
    [InlineData("GATHER")]
    [InlineData("SERVER")]
    [InlineData("CLIENT")]
    [InlineData("DISH")]
    public void A_thread_safe_socket_copies_a_large_frame_into_its_array_and_into_no_other_memory(string type)
    {
        using var pair = new ThreadSafePair(type);
        Wait.Until(() => pair.TrySend(new byte[1]) && pair.TryReceive(TimeSpan.FromMilliseconds(50)));
        byte[] sent = new byte[Large];
        sent[^1] = 7;
        Assert.True(pair.TrySend(sent));
        long allocated = 0;
        Wait.Until(() =>
        {
            allocated = AllocatedBy(() => pair.TryReceive(TimeSpan.Zero));
            return pair.Content.Length == Large;
        });

        // The name of a group is small.
        Assert.True(pair.Content.SequenceEqual(sent));
        Assert.InRange(allocated, Large, Large + 4096);
    }

    [Fact]
    public void A_Msg_is_filled_from_the_pool_and_allocates_nothing()
    {
        var pool = new OneArrayPool();
        BufferPool.SetCustomBufferPool(pool);
        try
        {
            using var pair = new Connected(new byte[64]);
            long bytes = 0;
            long allocated = pair.Receive(pull =>
            {
                Msg msg = default;
                msg.InitEmpty();
                bool isReceived = pull.TryReceive(ref msg, TimeSpan.Zero);
                bytes += msg.Size;
                msg.Close();
                return isReceived;
            });

            Assert.Equal((0, Rounds * PerRound * 64), (allocated, bytes));
            Assert.Equal((1, Rounds * PerRound), (pool.Created, pool.Returned));
        }
        finally
        {
            BufferPool.SetGCBufferPool();
        }
    }

    [Fact]
    public void A_sent_frame_allocates_nothing()
    {
        using var pair = new Connected(new byte[64]);

        Assert.Equal(0, pair.SentBytes);
    }

    private static long AllocatedBy<T>(Func<T> action)
    {
        // The first call compiles the action.
        if (typeof(T) != typeof(bool))
        {
            _ = action();
        }

        long before = GC.GetAllocatedBytesForCurrentThread();
        _ = action();
        return GC.GetAllocatedBytesForCurrentThread() - before;
    }

    /// <summary>A PULL, and a PUSH that has sent it all messages of all rounds.</summary>
    private sealed class Connected : IDisposable
    {
        internal Connected(byte[] body)
        {
            Pull.Options.ReceiveHighWatermark = 0;
            Push.Options.SendHighWatermark = 0;
            Push.Connect($"tcp://127.0.0.1:{Pull.BindRandomPort("tcp://127.0.0.1")}");
            SentBytes = LeastOfRounds(() => Push.TrySendFrame(Limit, body));
        }

        internal PullSocket Pull { get; } = new();

        internal PushSocket Push { get; } = new();

        /// <summary>The bytes that the sends of a round have allocated.</summary>
        internal long SentBytes { get; }

        public void Dispose()
        {
            Push.Dispose();
            Pull.Dispose();
        }

        /// <summary>Receives all messages. Returns the bytes that the calls of a round have allocated.</summary>
        internal long Receive(Func<PullSocket, bool> tryReceive) => LeastOfRounds(() => tryReceive(Pull));

        private static long LeastOfRounds(Func<bool> tryPass)
        {
            long least = long.MaxValue;
            long end = Environment.TickCount64 + (long)Limit.TotalMilliseconds;
            for (int round = 0; round < Rounds; round++)
            {
                long before = GC.GetAllocatedBytesForCurrentThread();
                for (int passed = 0; passed < PerRound;)
                {
                    passed += tryPass() ? 1 : 0;
                    if (Environment.TickCount64 > end)
                    {
                        throw new TimeoutException($"Only {passed} messages of round {round} have passed.");
                    }
                }

                least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
            }

            return least;
        }
    }

    /// <summary>Creates an array only if none has been returned.</summary>
    private sealed class OneArrayPool : IBufferPool
    {
        private byte[]? _returned;

        public int Created { get; private set; }

        public int Returned { get; private set; }

        public byte[] Take(int size)
        {
            if (_returned is { } array)
            {
                _returned = null;
                return array;
            }

            Created++;
            return new byte[size];
        }

        public void Return(byte[] buffer)
        {
            _returned = buffer;
            Returned++;
        }

        public void Dispose()
        {
        }
    }
}
