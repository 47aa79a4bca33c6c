using System.Runtime.CompilerServices;

namespace Broker.Transport;

/// <summary>
/// The write buffers that a loop has to flush, in the order of their flushes. One call flushes a limited number of
/// buffers. So an iteration that wrote for very many connections does not delay all other connections by the time of
/// that many sends. Not thread-safe: only the loop uses this object.
/// </summary>
/// <remarks>
/// <para>The order has three groups. The first group is all replies to the connection that is being read; the bytes of
/// this read limit their number. The second group is buffers that this iteration has written for other connections. The
/// third group is buffers that earlier iterations have left. Half of the sends are reserved for the third group. So
/// neither the second nor the third group waits for all buffers of the other.</para>
/// <para>A loop can write more bytes into a buffer that waits, and the whole content is flushed in one send. So
/// delaying a flush does not cause more system calls later, but fewer.</para>
/// </remarks>
internal sealed class FlushScheduler
{
    /// <summary>
    /// The largest number of sends in one flush. A send of 64 KiB counts as two. A send takes some microseconds.
    /// </summary>
    internal const int BatchSize = 64;

    /// <summary>
    /// The largest number of sends in one flush for each handler that has yielded, if many buffers wait. With this
    /// smaller number, connections that become ready meanwhile wait for a shorter time.
    /// </summary>
    internal const int BatchSizePerYield = 8;

    private const int SendCostShift = 16;

    private readonly Queue<LoopWriteBuffer> _delayed = new();
    private LoopWriteBuffer[] _replies = new LoopWriteBuffer[16];
    private LoopWriteBuffer[] _written = new LoopWriteBuffer[16];
    private int _replyCount;
    private int _writtenCount;

    /// <summary>The number of write buffers that wait for their flush.</summary>
    internal int Count => _replyCount + _writtenCount + _delayed.Count;

    /// <summary>The number of write buffers that have been added so far.</summary>
    internal long Added { get; private set; }

    internal void Add(LoopWriteBuffer buffer, bool isReply)
    {
        Added++;
        if (isReply)
        {
            Append(ref _replies, ref _replyCount, buffer);
        }
        else
        {
            Append(ref _written, ref _writtenCount, buffer);
        }
    }

    /// <summary>
    /// Moves the buffers that this iteration has written behind the buffers that earlier iterations have left.
    /// </summary>
    internal void DelayWritten()
    {
        for (int i = 0; i < _writtenCount; i++)
        {
            _delayed.Enqueue(_written[i]);
        }

        Array.Clear(_written, 0, _writtenCount);
        _writtenCount = 0;
    }

    /// <summary>
    /// Flushes as many buffers as <paramref name="budget"/> allows, and subtracts the number of sends from the budget.
    /// Buffers of this iteration that remain are appended to the buffers that earlier iterations have left.
    /// </summary>
    internal void Flush(EventLoop loop, ref int budget)
    {
        // Buffers of earlier iterations get half of the budget, whatever the number of replies.
        int ofLeft = budget / 2;
        // The loop uses an index, because a flush to an in-process link can add buffers to the list.
        for (int i = 0; i < _replyCount; i++)
        {
            budget -= FlushOne(loop, _replies[i]);
        }

        Array.Clear(_replies, 0, _replyCount);
        _replyCount = 0;

        int ofThisIteration = _delayed.Count == 0 ? budget : budget - ofLeft;
        int done = 0;
        for (; done < _writtenCount && ofThisIteration > 0; done++)
        {
            int cost = FlushOne(loop, _written[done]);
            ofThisIteration -= cost;
            budget -= cost;
        }

        // This must come before this iteration appends its remaining buffers to the same queue.
        ofLeft = Math.Max(ofLeft, budget);
        for (int left = _delayed.Count; left > 0 && ofLeft > 0; left--)
        {
            int cost = FlushOne(loop, _delayed.Dequeue());
            ofLeft -= cost;
            budget -= cost;
        }

        for (; done < _writtenCount; done++)
        {
            _delayed.Enqueue(_written[done]);
        }

        Array.Clear(_written, 0, _writtenCount);
        _writtenCount = 0;
    }

    // Returns the cost in sends. A failure ends only the connection of this buffer.
    private static int FlushOne(EventLoop loop, LoopWriteBuffer buffer)
    {
        int cost = 1 + (int)(buffer.Length >> SendCostShift);
        buffer.IsScheduled = false;
        try
        {
            buffer.Connection.Sender.Flush(buffer, loop);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            Connection failed = buffer.Connection;
            failed.Loop.Run(() => failed.Closing.Fail(e));
        }

        return cost;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Append(ref LoopWriteBuffer[] list, ref int count, LoopWriteBuffer buffer)
    {
        if (count == list.Length)
        {
            Array.Resize(ref list, count * 2);
        }

        list[count++] = buffer;
    }
}
