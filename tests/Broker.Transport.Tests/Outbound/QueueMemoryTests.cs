namespace Broker.Transport.Tests.Outbound;

/// <summary>
/// Tests that the memory of a queue is proportional to the bytes that wait, however few or many they are.
/// </summary>
public sealed class QueueMemoryTests
{
    // In a queue of a few messages, the first and the last block have the smallest size that an iteration begins with.
    private const long Slack = 2 * BlockSizes.Small;

    public static TheoryData<int, int> Turns
    {
        get
        {
            var rows = new TheoryData<int, int>();
            foreach (int size in (int[])[16, 100, 512, 1_025, 1_500, 4_097, 5_000, 16_385, 40_000, 70_000])
            {
                foreach (int messages in ((int[])[1, 3 * 1024, 20 * 1024, 64 * 1024, 250 * 1024]).Select(bytes => Math.Max(1, bytes / size)).Distinct())
                {
                    rows.Add(size, messages);
                }
            }

            return rows;
        }
    }

    [Theory]
    [MemberData(nameof(Turns))]
    public void A_queue_uses_at_most_twice_the_memory_of_its_bytes_at_every_length(int size, int messages)
    {
        var pool = new SharedBlockPool();
        var queue = new OutboundQueue(pool);
        while (queue.PendingBytes < 2_000_000)
        {
            queue.Add(Flushed(pool, size, messages), null);
            Assert.InRange(queue.BlockBytes, queue.PendingBytes, (2 * queue.PendingBytes) + Slack);
            Assert.InRange(queue.BufferedBytes, queue.PendingBytes, queue.BlockBytes);
        }
    }

    [Theory]
    [MemberData(nameof(Turns))]
    public void A_mostly_sent_first_block_is_trimmed_when_the_peer_stops(int size, int messages)
    {
        var framing = new EqualPieces(size);
        for (int left = 1; left <= 60_000; left += left < 1_000 ? 333 : 3_333)
        {
            var pool = new SharedBlockPool();
            var queue = new OutboundQueue(pool);
            FlushedBlocks first = Flushed(pool, size, Math.Max(1, 64 * 1024 / size));
            int unsent = (int)Math.Min(left, first.Bytes);
            BlockChain chain = queue.AddAndTakeAll(first);
            var tally = new SentTally { Bytes = first.Bytes - unsent };
            Block rest = BlockPools.Consume(chain.Head!, (int)tally.Bytes, null, ref tally.Unused)!;
            queue.PutBack(rest, chain.Tail, tally, null);
            for (int i = 0; i < 20; i++)
            {
                queue.Add(Flushed(pool, size, messages), null);
                queue.TrimForStopped(framing, null);
            }

            Assert.Equal(unsent + (20L * messages * size), queue.PendingBytes);
            Assert.InRange(queue.BlockBytes, queue.PendingBytes, (2 * queue.PendingBytes) + Slack + size);
            Assert.InRange(queue.BufferedBytes, queue.PendingBytes, queue.BlockBytes);
            // The message that was sent in part still counts as a message, and is not dropped, because its beginning
            // was sent.
            int cut = unsent % size;
            Assert.Equal(new OutboundCount((unsent / size) + (cut == 0 ? 0 : 1) + (20L * messages), queue.PendingBytes), queue.CountUnsent(framing));
            Assert.Equal(Expected(unsent, size, messages), Unsent(queue));
            OutboundCount dropped = queue.Drop(long.MaxValue, 0, firstIsBeingSent: false, isPartial: false, framing, null);
            Assert.Equal(queue.PendingBytes, unsent + (20L * messages * size) - dropped.Bytes);
            Assert.InRange(queue.PendingBytes, cut, first.Bytes);
            Assert.Equal(Expected(unsent, size, messages)[..(int)queue.PendingBytes], Unsent(queue));
            queue.Clear(null);
            Assert.Equal(0, queue.BlockBytes);
        }
    }

    // As a write buffer flushes it: the first block of a stream is large, and no message is cut.
    private static FlushedBlocks Flushed(SharedBlockPool pool, int size, int messages)
    {
        bool streams = (long)size * messages > BlockSizes.Small;
        Block? first = null;
        Block? last = null;
        long unused = 0;
        for (int i = 0; i < messages; i++)
        {
            if (last is null || last.FreeSpace < size)
            {
                Block block = pool.Rent(Math.Max(size, first is null && !streams ? BlockSizes.Small : BlockSizes.Stream));
                if (last is not null)
                {
                    unused += last.FreeSpace;
                    last.Next = block;
                }

                first ??= block;
                last = block;
            }

            Write(last.Array.AsSpan(last.End, size));
            last.End += size;
        }

        return new FlushedBlocks(first, last, (long)size * messages, unused);
    }

    private static void Write(Span<byte> message)
    {
        for (int i = 0; i < message.Length; i++)
        {
            message[i] = (byte)i;
        }
    }

    private static byte[] Expected(int unsent, int size, int messages)
    {
        byte[] message = new byte[size];
        Write(message);
        byte[] all = [.. Enumerable.Repeat(message, ((unsent + size - 1) / size) + (20 * messages)).SelectMany(static m => m)];
        return all[^(unsent + (20 * messages * size))..];
    }

    private static byte[] Unsent(OutboundQueue queue)
    {
        var bytes = new List<byte>();
        for (Block? at = queue.First; at is not null; at = at.Next)
        {
            bytes.AddRange(at.Array.AsSpan(at.Start, at.Length));
        }

        return [.. bytes];
    }

    private sealed class EqualPieces(int size) : IOutboundFraming
    {
        public int Measure(ReadOnlySpan<byte> written, out bool isMessage)
        {
            isMessage = true;
            return size;
        }
    }
}
