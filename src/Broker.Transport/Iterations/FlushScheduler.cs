using System.Runtime.CompilerServices;

namespace Broker.Transport;

/// <summary>
/// The write buffers that a loop has to flush, in the order in which it flushes them. It flushes a limited number at a
/// time, so that an iteration that wrote for very many connections does not delay all others by as many sends. Not
/// thread-safe: only its loop uses it.
/// </summary>
/// <remarks>
/// <para>First come all replies to the connection that is being read; their amount is limited by what was read. Then
/// come buffers that this iteration has written for other connections, for half of the limit, and then buffers that
/// earlier iterations have left. So neither group waits for all of the other.</para>
/// <para>A buffer that waits can be written to further, and its whole content is flushed in one send. So a delayed
/// flush does not cost more system calls later, but fewer.</para>
/// </remarks>
internal sealed class FlushScheduler
{
    /// <summary>
    /// How many sends one flush makes; a send of 64 KiB counts as two. A send takes some microseconds.
    /// </summary>
    internal const int BatchSize = 64;

    /// <summary>
    /// How many sends one flush makes for each handler that has yielded, if the list is long. A connection that is
    /// read meanwhile waits less.
    /// </summary>
    internal const int BatchSizePerYield = 8;

    private const int SendCostShift = 16;

    private readonly Queue<LoopWriteBuffer> _delayed = new();
    private LoopWriteBuffer[] _replies = new LoopWriteBuffer[16];
    private LoopWriteBuffer[] _written = new LoopWriteBuffer[16];
    private int _replyCount;
    private int _writtenCount;

    /// <summary>How many write buffers wait for their flush.</summary>
    internal int Count => _replyCount + _writtenCount + _delayed.Count;

    /// <summary>How many write buffers have been added so far.</summary>
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
    /// Moves the buffers that this iteration has written behind those that earlier iterations have left.
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
    /// Flushes as many buffers as <paramref name="budget"/> allows, and subtracts their sends from it. Buffers that
    /// remain are appended to those that earlier iterations have left.
    /// </summary>
    internal void Flush(EventLoop loop, ref int budget)
    {
        // Buffers of earlier iterations get half of the budget, however many replies there are.
        int ofLeft = budget / 2;
        // By index: a flush to an in-process link can add buffers to the list.
        for (int i = 0; i < _replyCount; i++)
        {
            budget -= Flush(loop, _replies[i]);
        }

        Array.Clear(_replies, 0, _replyCount);
        _replyCount = 0;

        int ofThisIteration = _delayed.Count == 0 ? budget : budget - ofLeft;
        int done = 0;
        for (; done < _writtenCount && ofThisIteration > 0; done++)
        {
            int cost = Flush(loop, _written[done]);
            ofThisIteration -= cost;
            budget -= cost;
        }

        // Before this iteration appends its remaining buffers.
        ofLeft = Math.Max(ofLeft, budget);
        for (int left = _delayed.Count; left > 0 && ofLeft > 0; left--)
        {
            int cost = Flush(loop, _delayed.Dequeue());
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

    private static int Flush(EventLoop loop, LoopWriteBuffer buffer)
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
