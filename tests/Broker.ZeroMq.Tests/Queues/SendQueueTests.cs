using System.Buffers.Binary;
using Broker.Transport;

namespace Broker.ZeroMq.Tests.Queues;

public sealed class SendQueueTests
{
    private static readonly TimeSpan Guard = Wait.Limit;

    [Fact]
    public void Messages_reach_the_loop_in_order_and_their_memory_is_returned()
    {
        using var rig = new Line();
        for (int i = 0; i < 10_000; i++)
        {
            Assert.Equal(EnqueueResult.Sent, rig.Send(i, Timeout.InfiniteTimeSpan));
        }

        rig.End();
        Assert.Equal(Enumerable.Range(0, 10_000), rig.Sent);
        Assert.Equal(0, rig.Pool.Outstanding);
    }

    [Fact]
    public void A_single_message_is_sent_without_another_one()
    {
        using var rig = new Line();
        for (int i = 1; i <= 100; i++)
        {
            rig.Send(i, TimeSpan.Zero);
            int sent = i;
            Wait.Until(() => rig.SentCount == sent);
        }
    }

    [Fact]
    public void No_message_is_taken_while_there_is_no_room()
    {
        using var rig = new Line(isOpen: false);

        Assert.Equal(EnqueueResult.Full, rig.Send(0, TimeSpan.Zero));
        Assert.Equal(EnqueueResult.Full, rig.Send(0, TimeSpan.FromMilliseconds(5)));
        rig.Allow(3);

        int taken = 0;
        while (rig.Send(taken, TimeSpan.FromMilliseconds(50)) == EnqueueResult.Sent)
        {
            taken++;
        }

        // Three messages go to the peer, and the others wait for the loop.
        Wait.Until(() => rig.SentCount == 3);
        Assert.InRange(taken, 3, 3 + Line.Mark);
        Assert.Equal([0, 1, 2], rig.Sent);
        Assert.True(rig.Queue.Waiters.IsEmpty);
    }

    [Fact]
    public void A_blocked_writer_is_woken_by_room()
    {
        using var rig = new Line(isOpen: false);
        var writer = new Thread(() => rig.Send(7, Timeout.InfiniteTimeSpan));
        writer.Start();
        Wait.Until(() => !rig.Queue.Waiters.IsEmpty);

        rig.Allow(1);

        Assert.True(writer.Join(Guard));
        Wait.Until(() => rig.SentCount == 1);
    }

    [Fact]
    public async Task An_awaiting_writer_is_woken_by_room()
    {
        using var rig = new Line(isOpen: false);
        Task wait = rig.Queue.WaitAsync(size: 8, CancellationToken.None).AsTask();
        Assert.False(wait.IsCompleted);

        rig.Allow(1);

        await wait.WaitAsync(Guard, TestContext.Current.CancellationToken);
        Assert.Equal(EnqueueResult.Sent, rig.Send(7, TimeSpan.Zero));
    }

    [Fact]
    public async Task An_awaiting_writer_of_a_large_message_waits_until_there_is_room_for_it()
    {
        using var rig = new Line();
        using (rig.Hold())
        {
            Assert.Equal(EnqueueResult.Sent, rig.Send(0, TimeSpan.Zero, Line.MostBytes / 2));
            Assert.True(rig.Queue.HasRoom);
            Task wait = rig.Queue.WaitAsync(Line.MostBytes, CancellationToken.None).AsTask();
            Assert.False(wait.IsCompleted);

            rig.Release();
            await wait.WaitAsync(Guard, TestContext.Current.CancellationToken);
        }

        Assert.Equal(EnqueueResult.Sent, rig.Send(1, TimeSpan.Zero, Line.MostBytes));
    }

    // If two of them tried, they would wake each other without end.
    [Fact]
    public void Blocked_writers_of_large_messages_wait_until_there_is_room_for_one()
    {
        using var rig = new Line();
        Thread[] writers;
        using (rig.Hold())
        {
            Assert.Equal(EnqueueResult.Sent, rig.Send(0, TimeSpan.Zero, Line.MostBytes / 2));
            writers = [.. Enumerable.Range(1, 3).Select(i => new Thread(() => rig.Send(i, Timeout.InfiniteTimeSpan, Line.MostBytes)))];
            Array.ForEach(writers, writer => writer.Start());
            Wait.Until(() => rig.Queue.Waiters.Count == writers.Length);
            rig.Release();
        }

        Assert.All(writers, writer => Assert.True(writer.Join(Guard)));
        rig.End();
        Assert.Equal([0, 1, 2, 3], rig.Sent.Order());
    }

    [Fact]
    public void A_closed_queue_ends_all_waits_and_returns_Closed()
    {
        using var rig = new Line(isOpen: false);
        EnqueueResult outcome = EnqueueResult.Sent;
        var writer = new Thread(() => outcome = rig.Send(7, Timeout.InfiniteTimeSpan));
        writer.Start();
        Wait.Until(() => !rig.Queue.Waiters.IsEmpty);

        _ = rig.Queue.SealAsync();

        Assert.True(writer.Join(Guard));
        Assert.Equal(EnqueueResult.Closed, outcome);
        Assert.Equal(EnqueueResult.Closed, rig.Send(7, TimeSpan.Zero));
    }

    [Fact]
    public void A_large_message_is_accepted_by_an_empty_queue()
    {
        using var rig = new Line();
        for (int i = 0; i < 20; i++)
        {
            rig.Send(i, Timeout.InfiniteTimeSpan, size: 3 << 20);
        }

        rig.End();
        Assert.Equal(Enumerable.Range(0, 20), rig.Sent);
        Assert.Equal(0, rig.Pool.Outstanding);
    }

    [Fact]
    public void A_message_that_cannot_be_encoded_does_not_block_others()
    {
        using var rig = new Line();
        for (int i = 0; i < 2; i++)
        {
            // The first send is on the thread to which the gate is biased, and the second one is on another thread.
            Assert.Throws<InvalidDataException>(() => rig.Queue.Enqueue(new Unreadable()));
            int number = i;
            var other = new Thread(() => rig.Send(number, TimeSpan.Zero)) { IsBackground = true };
            other.Start();
            Assert.True(other.Join(Guard));
        }

        rig.End();
        Assert.Equal([0, 1], rig.Sent);
        Assert.Equal(0, rig.Pool.Outstanding);
    }

    /// <summary>
    /// Eight threads send to a peer that has room from time to time. All messages arrive, and each thread's messages
    /// arrive in order.
    /// </summary>
    [Theory]
    [InlineData(1)]
    [InlineData(8)]
    public void Each_message_is_sent_once_and_in_the_order_of_its_thread(int threads)
    {
        const int PerThread = 20_000;
        using var rig = new Line(isOpen: false);
        Thread[] writers = Enumerable.Range(0, threads).Select(t => new Thread(() =>
        {
            for (int i = 0; i < PerThread; i++)
            {
                rig.Send((t * PerThread) + i, Timeout.InfiniteTimeSpan, size: 8 + (i % 100));
            }
        })).ToArray();
        Array.ForEach(writers, writer => writer.Start());
        var random = new Random(Seed.Next());
        while (rig.SentCount < threads * PerThread)
        {
            rig.Allow(random.Next(1, 500));
        }

        Assert.All(writers, writer => Assert.True(writer.Join(Guard)));
        rig.End();
        int[] sent = [.. rig.Sent];
        Assert.Equal(threads * PerThread, sent.Length);
        for (int t = 0; t < threads; t++)
        {
            Assert.Equal(Enumerable.Range(t * PerThread, PerThread), sent.Where(n => n / PerThread == t));
        }

        Assert.Equal(0, rig.Pool.Outstanding);
    }

    [Fact]
    public void Sending_allocates_nothing()
    {
        using var rig = new Line();
        byte[] body = new byte[64];
        Some(rig, body);

        Assert.Equal(0, Allocations.Of(() => Some(rig, body)));

        static void Some(Line rig, byte[] body)
        {
            for (int i = 0; i < 50_000; i++)
            {
                rig.Queue.Add(new Encoders.OneFrame(body), Timeout.InfiniteTimeSpan);
            }
        }
    }

    private readonly struct Unreadable : IZmtpEncoder
    {
        public int EncodedSize => 3;

        public void Encode(Span<byte> destination) => throw new InvalidDataException();
    }

    /// <summary>A queue whose peer is the test.</summary>
    private sealed class Line : IBatchSender, IDisposable
    {
        public const int Mark = 100;
        public const int MostBytes = 64 * 1024;

        private readonly EventLoopGroup _loops = new(new EventLoopOptions { Loops = 1 });
        private readonly List<int> _sent = [];
        private readonly ManualResetEventSlim _released = new();
        private int _room;

        public Line(bool isOpen = true)
        {
            _room = isOpen ? int.MaxValue : 0;
            Queue = new SendQueue(Pool, _loops[0], this, Mark, MostBytes, isOpen);
        }

        public MessageChunkPool Pool { get; } = new();

        public SendQueue Queue { get; }

        public int SentCount => Sent.Count;

        public IReadOnlyList<int> Sent
        {
            get
            {
                lock (_sent)
                {
                    return [.. _sent];
                }
            }
        }

        public EnqueueResult Send(int number, TimeSpan timeout, int size = 8)
        {
            byte[] body = new byte[size];
            BinaryPrimitives.WriteInt32LittleEndian(body, number);
            return Queue.Add(new Encoders.OneFrame(body), timeout);
        }

        public void Allow(int messages)
        {
            using var done = new ManualResetEventSlim();
            _loops[0].Post(() =>
            {
                _room = (int)Math.Min((long)_room + messages, int.MaxValue);
                Queue.Resume();
                done.Set();
            });
            Assert.True(done.Wait(Guard, TestContext.Current.CancellationToken));
        }

        /// <summary>
        /// Keeps the loop from taking messages until <see cref="Release"/> is called or the result is disposed.
        /// </summary>
        public IDisposable Hold()
        {
            using var held = new ManualResetEventSlim();
            _loops[0].Post(() =>
            {
                held.Set();
                _released.Wait();
            });
            Assert.True(held.Wait(Guard, TestContext.Current.CancellationToken));
            return new Releaser(this);
        }

        public void Release() => _released.Set();

        public int Send(ReadOnlySpan<byte> messages, int count, out int sent)
        {
            int at = 0;
            lock (_sent)
            {
                for (sent = 0; sent < count && _room > 0; sent++, _room -= _room == int.MaxValue ? 0 : 1)
                {
                    int size = EncodedMessage.Measure(messages[at..]);
                    _sent.Add(BinaryPrimitives.ReadInt32LittleEndian(EncodedMessage.SplitFrame(messages[at..], out _, out _)));
                    at += size;
                }
            }

            return at;
        }

        public void End()
        {
            Allow(int.MaxValue);
            Assert.True(Queue.SealAsync().Wait(Guard));
            using var done = new ManualResetEventSlim();
            _loops[0].Post(() =>
            {
                Assert.Equal(0, Queue.Drop());
                done.Set();
            });
            Assert.True(done.Wait(Guard, TestContext.Current.CancellationToken));
        }

        public void Dispose()
        {
            _loops.Dispose();
            _released.Dispose();
        }

        private sealed class Releaser(Line line) : IDisposable
        {
            public void Dispose() => line.Release();
        }
    }
}
