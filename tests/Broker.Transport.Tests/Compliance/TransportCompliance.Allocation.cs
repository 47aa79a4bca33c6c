namespace Broker.Transport.Tests;

public abstract partial class TransportCompliance
{
    // Allocations that do not depend on the count: a timer of the runtime, the compilation of a first call, another
    // block of a pool.
    private const long AFewBytes = 64 * 1024;

    private const int Rounds = 3;

    [Fact]
    public async Task A_steady_echo_allocates_nothing()
    {
        const int Size = 64;
        using var pairs = new ConnectionPairs(Kind);
        int toSend = 0, toCome = 0;
        TaskCompletionSource done = Signal();
        var near = new Probe
        {
            WhenReceived = (Connection connection, ReadOnlySpan<byte> bytes, ref int _) =>
            {
                int again = Math.Min(toSend, bytes.Length);
                if (again > 0)
                {
                    toSend -= again;
                    connection.GetWriteBuffer(connection.Loop).Write(bytes[..again]);
                }

                toCome -= bytes.Length;
                if (toCome == 0)
                {
                    done.SetResult();
                }

                return bytes.Length;
            },
        };
        await pairs.ConnectAsync(near, Echo());
        await RunAsync(2_000, together: 1);
        await RunAsync(10_000, together: 16);
        // Counts all allocations of the process; the least of several rounds are those of the connections.
        long least = long.MaxValue;
        for (int round = 0; round < Rounds && least > AFewBytes; round++)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            // The smallest object for each message would be twice as much as is allowed.
            await RunAsync(5_000, together: 1);
            await RunAsync(10_000, together: 16);
            least = Math.Min(least, GC.GetTotalAllocatedBytes(precise: true) - before);
        }

        Assert.InRange(least, 0, AFewBytes);

        async Task RunAsync(int messages, int together)
        {
            done = Signal();
            toCome = messages * Size;
            toSend = (messages - together) * Size;
            await near.WriteAsync(new byte[together * Size]);
            await WhileItGoesOnAsync(done.Task, () => Volatile.Read(ref toCome));
        }
    }

    [Fact]
    public async Task Steady_forwarding_to_another_loop_allocates_nothing()
    {
        const int Messages = 1_000_000;
        using var pairs = new ConnectionPairs(Kind, nearLoops: 2);
        long expected = 0;
        TaskCompletionSource done = Signal();
        long received = 0;
        var sink = new Probe
        {
            WhenReceived = (Connection _, ReadOnlySpan<byte> bytes, ref int _) =>
            {
                received += bytes.Length;
                if (received == expected)
                {
                    done.SetResult();
                }

                return bytes.Length;
            },
        };
        var outward = new Probe();
        await pairs.ConnectAsync(outward, sink, pairs.Near[1]);
        Connection target = outward.Connection;
        var inward = new Probe
        {
            WhenReceived = (Connection connection, ReadOnlySpan<byte> bytes, ref int _) =>
            {
                target.GetWriteBuffer(connection.Loop).Write(bytes);
                return bytes.Length;
            },
        };
        var source = new Probe();
        await pairs.ConnectAsync(inward, source, pairs.Near[0]);
        Connection from = source.Connection;
        byte[] message = new byte[64];
        int left = 0;
        Action burst = null!;
        burst = () =>
        {
            LoopWriteBuffer buffer = from.GetWriteBuffer(from.Loop);
            // Not more than the pools keep: blocks of a larger burst are left to the garbage collector.
            if (from.PendingBytes + target.PendingBytes < 100_000)
            {
                for (int end = Math.Max(0, left - 200); left > end; left--)
                {
                    buffer.Write(message);
                }
            }

            if (left > 0)
            {
                from.Loop.Post(burst);
            }
        };
        await RunAsync(100_000);
        long before = GC.GetTotalAllocatedBytes(precise: true);
        await RunAsync(Messages);
        Assert.InRange(GC.GetTotalAllocatedBytes(precise: true) - before, 0, WhatPoolsMayHold);

        async Task RunAsync(int count)
        {
            done = Signal();
            left = count;
            expected += (long)count * message.Length;
            from.Loop.Post(burst);
            await WhileItGoesOnAsync(done.Task, () => Volatile.Read(ref received));
        }
    }

    // A test may be slow without being stuck: on a busy machine every switch between threads may wait for a processor.
    private static async Task WhileItGoesOnAsync(Task done, Func<long> progress)
    {
        while (true)
        {
            long before = progress();
            try
            {
                await Soon(done);
                return;
            }
            catch (TimeoutException) when (progress() != before)
            {
            }
        }
    }

    // Blocks move between three loops: if one of them is delayed, the pools grow once to the number of blocks in use
    // then.
    private const long WhatPoolsMayHold = 16 * 1024 * 1024;
}
