using System.Buffers.Binary;

namespace Broker.Transport.Tests;

public abstract partial class TransportCompliance
{
    private const int Record = 16;

    // A far end that counts records of (writer, sequence) and fails on the first record that is out of its writer's
    // order.
    private static (Probe Probe, Task Done) Counter(int writers, int each)
    {
        int[] next = new int[writers];
        long left = (long)writers * each;
        TaskCompletionSource done = Signal();
        var probe = new Probe
        {
            WhenReceived = (Connection _, ReadOnlySpan<byte> bytes, ref int _) =>
            {
                int at = 0;
                for (; bytes.Length - at >= Record; at += Record)
                {
                    int writer = BinaryPrimitives.ReadInt32LittleEndian(bytes[at..]);
                    int sequence = BinaryPrimitives.ReadInt32LittleEndian(bytes[(at + 4)..]);
                    if (next[writer]++ != sequence)
                    {
                        done.TrySetException(new InvalidDataException($"{sequence} of {writer} came as {next[writer] - 1}."));
                    }

                    left--;
                }

                if (left == 0)
                {
                    done.TrySetResult();
                }

                return at;
            },
        };
        return (probe, done.Task);
    }

    private static void WriteRecord(LoopWriteBuffer buffer, int writer, int sequence)
    {
        Span<byte> span = buffer.GetSpan(Record);
        BinaryPrimitives.WriteInt32LittleEndian(span, writer);
        BinaryPrimitives.WriteInt32LittleEndian(span[4..], sequence);
        span[8..Record].Clear();
        buffer.Advance(Record);
    }

    [Fact]
    public async Task Many_loops_and_threads_write_to_one_connection_and_nothing_is_lost_or_out_of_order()
    {
        const int Loops = 4;
        const int Threads = 2;
        const int Each = 60_000;
        using var pairs = new ConnectionPairs(Kind, nearLoops: Loops);
        (Probe far, Task done) = Counter(Loops + Threads, Each);
        var near = new Probe();
        await pairs.ConnectAsync(near, far);
        Connection target = near.Connection;
        for (int i = 0; i < Loops; i++)
        {
            EventLoop loop = pairs.Near[i];
            int sequence = 0;
            loop.Post(Burst);

            void Burst()
            {
                for (int end = Math.Min(sequence + 1 + (sequence % 97), Each); sequence < end; sequence++)
                {
                    WriteRecord(target.GetWriteBuffer(loop), loop.Index, sequence);
                }

                if (sequence < Each)
                {
                    loop.Post(Burst);
                }
            }
        }

        var gate = new Lock();
        Thread[] threads = [.. Enumerable.Range(Loops, Threads).Select(writer => new Thread(() =>
        {
            for (int sequence = 0; sequence < Each; sequence++)
            {
                lock (gate)
                {
                    WriteRecord(target.ExternalWriteBuffer, writer, sequence);
                    if (sequence % 31 == 0 || sequence == Each - 1)
                    {
                        target.FlushExternal();
                    }
                }
            }
        }))];
        Array.ForEach(threads, thread => thread.Start());
        Array.ForEach(threads, thread => thread.Join());
        await Soon(done);
        // The far end may have all bytes before the near end has counted the last part.
        const long All = (long)(Loops + Threads) * Each * Record;
        await Soon(Wait.UntilAsync(() => target.SentBytes >= All && target.PendingBytes == 0, Cancellation));
        Assert.Equal(All, target.SentBytes);
    }

    [Fact]
    public async Task Many_connections_are_forwarded_to_one_and_nothing_is_lost_or_out_of_order()
    {
        const int Writers = 32;
        const int Each = 5_000;
        using var pairs = new ConnectionPairs(Kind, nearLoops: 4, farLoops: 2);
        (Probe sink, Task done) = Counter(Writers, Each);
        var target = new Probe();
        await pairs.ConnectAsync(target, sink);
        Connection to = target.Connection;
        for (int i = 0; i < Writers; i++)
        {
            int writer = i;
            var near = new Probe
            {
                WhenReceived = (Connection connection, ReadOnlySpan<byte> bytes, ref int _) =>
                {
                    int whole = bytes.Length / Record * Record;
                    to.GetWriteBuffer(connection.Loop).Write(bytes[..whole]);
                    return whole;
                },
            };
            var far = new Probe();
            await pairs.ConnectAsync(near, far);
            Connection source = far.Connection;
            source.Loop.Post(() =>
            {
                for (int sequence = 0; sequence < Each; sequence++)
                {
                    WriteRecord(source.GetWriteBuffer(source.Loop), writer, sequence);
                }
            });
        }

        await Soon(done);
    }

    [Fact]
    public async Task A_reader_that_resumes_gets_everything_and_OnDrained_is_called()
    {
        using var pairs = new ConnectionPairs(Kind, nearLoops: 2);
        byte[] sent = Pattern(24_000_000);
        (Probe far, Task<byte[]> all) = Collector(sent.Length);
        using var hold = new ManualResetEventSlim();
        TaskCompletionSource drained = Signal();
        var near = new Probe { WhenDrained = _ => drained.TrySetResult() };
        await pairs.ConnectAsync(near, far);
        // The reader must have stopped before there is anything to read.
        TaskCompletionSource stopped = Signal();
        pairs.Far[0].Post(() =>
        {
            stopped.SetResult();
            hold.Wait(ConnectionPairs.WaitLimit);
        });
        await Soon(stopped.Task);
        await near.WriteAsync(sent.AsMemory(0, 20_000_000));
        Assert.False(drained.Task.IsCompleted);
        // Another write from a thread that is not a loop, while the queue waits for the peer.
        near.Connection.ExternalWriteBuffer.Write(sent.AsSpan(20_000_000));
        near.Connection.FlushExternal();
        hold.Set();
        Assert.Equal(sent, await Soon(all));
        await Soon(drained.Task);
        Assert.Equal(0, near.Connection.PendingBytes);
        Assert.True(near.Connection.IsOpen);
    }

    [Fact]
    public async Task OnDrained_is_called_each_time_a_slow_reader_catches_up()
    {
        const int Each = 2_000_000;
        using var pairs = new ConnectionPairs(Kind);
        (Probe far, Task done) = Counter(1, Each);
        int drained = 0;
        var near = new Probe { WhenDrained = _ => Volatile.Write(ref drained, drained + 1) };
        await pairs.ConnectAsync(near, far);
        Connection target = near.Connection;
        target.WriteDeadline = TimeSpan.FromMinutes(5);
        target.MaxPendingBytes = long.MaxValue;
        var writing = new Thread(() =>
        {
            for (int sequence = 0; sequence < Each; sequence++)
            {
                WriteRecord(target.ExternalWriteBuffer, 0, sequence);
                if (sequence % 997 == 0 || sequence == Each - 1)
                {
                    target.FlushExternal();
                }
            }
        });
        writing.Start();
        writing.Join();
        await Soon(done);
        await Soon(Wait.UntilAsync(() => target.PendingBytes == 0, Cancellation));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_slow_reader_is_disconnected_and_others_are_not(bool byDeadline)
    {
        using var pairs = new ConnectionPairs(Kind, farLoops: 2);
        using var hold = new ManualResetEventSlim();
        var slow = new Probe();
        var stuck = new Probe();
        await pairs.ConnectAsync(slow, stuck);
        (Probe good, Task<byte[]> all) = Collector(100_000);
        Probe echo = Echo();
        await pairs.ConnectAsync(good, echo);
        Assert.NotEqual(stuck.Connection.Loop.Index, echo.Connection.Loop.Index);
        stuck.Connection.Loop.Post(() => hold.Wait(ConnectionPairs.WaitLimit));
        slow.Connection.MaxPendingBytes = byDeadline ? long.MaxValue : 1024 * 1024;
        slow.Connection.WriteDeadline = byDeadline ? TimeSpan.FromMilliseconds(300) : TimeSpan.FromMinutes(5);
        await slow.WriteAsync(new byte[20_000_000]);
        await slow.WriteAsync(new byte[20_000_000]);
        Assert.Equal(byDeadline ? CloseReason.WriteTimeout : CloseReason.QueueFull, await Soon(slow.Closed));
        byte[] sent = Pattern(100_000);
        await good.WriteAsync(sent);
        Assert.Equal(sent, await Soon(all));
        hold.Set();
        await Soon(stuck.Closed);
        Assert.Equal(1, slow.Closings);
    }

    [Fact]
    public async Task Unsent_bytes_are_counted_exactly()
    {
        using var pairs = new ConnectionPairs(Kind);
        using var hold = new ManualResetEventSlim();
        long unsent = -1;
        long sent = -1;
        var slow = new Probe
        {
            WhenClosed = connection =>
            {
                unsent = connection.CountUnsent().Bytes;
                sent = connection.SentBytes;
            },
        };
        await pairs.ConnectAsync(slow, new Probe());
        pairs.Far[0].Post(() => hold.Wait(ConnectionPairs.WaitLimit));
        for (int i = 0; i < 20; i++)
        {
            await slow.WriteAsync(new byte[1_000_000]);
        }

        slow.Connection.Close();
        await Soon(slow.Closed);
        hold.Set();
        Assert.Equal(20_000_000, sent + unsent);
        Assert.NotEqual(0, unsent);
    }

    [Fact]
    public async Task Dropping_the_oldest_leaves_whole_messages_in_order()
    {
        // A size that does not divide the size of a block or of a TLS record.
        const int Size = 24;
        const int Count = 1_000_000;
        const int Wanted = 5_000_000;
        using var pairs = new ConnectionPairs(Kind);
        using var hold = new ManualResetEventSlim();
        int last = -1;
        long received = 0;
        TaskCompletionSource done = Signal();
        var far = new Probe
        {
            WhenReceived = (Connection _, ReadOnlySpan<byte> bytes, ref int _) =>
            {
                int at = 0;
                for (; bytes.Length - at >= Size; at += Size)
                {
                    int sequence = BinaryPrimitives.ReadInt32LittleEndian(bytes[at..]);
                    if (sequence <= last || BinaryPrimitives.ReadInt32LittleEndian(bytes[(at + Size - 4)..]) != ~sequence)
                    {
                        done.TrySetException(new InvalidDataException($"{sequence} came after {last}."));
                    }

                    last = sequence;
                }

                received += at;
                if (last == Count - 1)
                {
                    done.TrySetResult();
                }

                return at;
            },
        };
        var near = new Probe();
        await pairs.ConnectAsync(near, far);
        near.Connection.Framing = new Sized(Size);
        TaskCompletionSource stopped = Signal();
        pairs.Far[0].Post(() =>
        {
            stopped.SetResult();
            hold.Wait(ConnectionPairs.WaitLimit);
        });
        await Soon(stopped.Task);
        Connection connection = near.Connection;
        var dropped = new TaskCompletionSource<long>(TaskCreationOptions.RunContinuationsAsynchronously);
        connection.Loop.Post(() =>
        {
            for (int sequence = 0; sequence < Count; sequence++)
            {
                LoopWriteBuffer buffer = connection.GetWriteBuffer(connection.Loop);
                Span<byte> span = buffer.GetSpan(Size)[..Size];
                span.Clear();
                BinaryPrimitives.WriteInt32LittleEndian(span, sequence);
                BinaryPrimitives.WriteInt32LittleEndian(span[(Size - 4)..], ~sequence);
                buffer.Advance(Size);
            }

            // In the next iteration, when the queue has to wait for the peer.
            connection.Loop.Post(() =>
            {
                OutboundCount count = connection.DropOldest(Wanted, connection.Loop);
                Assert.Equal(count.Bytes, count.Messages * Size);
                dropped.SetResult(count.Bytes);
            });
        });
        long gone = await Soon(dropped.Task);
        hold.Set();
        Assert.InRange(gone, Wanted, Wanted + (256 * 1024));
        await Soon(done.Task);
        Assert.Equal(((long)Count * Size) - gone, received);
        await Soon(Wait.UntilAsync(() => connection.SentBytes == received && connection.PendingBytes == 0, Cancellation));
    }

    // Messages of one size, and nothing else.
    private sealed class Sized(int size) : IOutboundFraming
    {
        public int Measure(ReadOnlySpan<byte> written, out bool isMessage)
        {
            isMessage = true;
            return size;
        }
    }
}
