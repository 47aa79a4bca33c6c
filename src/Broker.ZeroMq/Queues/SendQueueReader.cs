namespace Broker.ZeroMq;

/// <summary>
/// The reader's side of a <see cref="SendQueue"/>: it passes the published messages to the sender and returns empty
/// chunks to the pool. Used by the loop, or by a writer that holds the sender's lock.
/// </summary>
/// <param name="first">The first chunk.</param>
/// <param name="pool">The pool of the chunks.</param>
/// <param name="sender">The object that passes the messages to the peers.</param>
/// <param name="counters">The queue's counters.</param>
/// <param name="room">The signal for writers.</param>
internal sealed class SendQueueReader(
    MessageChunk first, MessageChunkPool pool, IBatchSender sender, SendQueueCounters counters, RoomSignal room)
{
    // The most bytes that one iteration sends before other work on the loop runs.
    private const int MostPerIteration = 512 * 1024;

    private MessageChunk _head = first;
    private int _read;
    private int _readMessages;

    /// <summary>
    /// Whether a call of <see cref="TryDrain"/> is in progress. Callers check this, because the sender may call back
    /// into the queue.
    /// </summary>
    internal bool IsDraining { get; private set; }

    /// <summary>Whether messages are waiting.</summary>
    internal bool HasMore => _head.Published.End != _read || _head.Next is not null;

    /// <summary>
    /// Sends messages. Returns false if one iteration has sent as much as it may, and more messages may wait.
    /// <paramref name="isEmpty"/> is true if no message is left.
    /// </summary>
    internal bool TryDrain(out bool isEmpty)
    {
        IsDraining = true;
        try
        {
            return DrainSome(out isEmpty);
        }
        finally
        {
            sender.Flush();
            IsDraining = false;
        }
    }

    /// <summary>Returns all chunks to the pool and continues with the given chunk.</summary>
    internal void Reset(MessageChunk first)
    {
        for (MessageChunk? chunk = _head; chunk is not null;)
        {
            MessageChunk? next = chunk.Next;
            pool.Give(chunk);
            chunk = next;
        }

        _head = first;
        _read = _readMessages = 0;
    }

    private bool DrainSome(out bool isEmpty)
    {
        isEmpty = false;
        int left = MostPerIteration;
        while (true)
        {
            MessageChunk chunk = _head;
            MessageChunk? next = chunk.Next;
            (int end, int messages) = chunk.Published;
            if (end > _read)
            {
                int size = sender.Send(chunk.Array.AsSpan(_read, end - _read), messages - _readMessages, out int sent);
                bool all = size == end - _read;
                _read += size;
                _readMessages += sent;
                left -= size;
                counters.AddTaken(sent, size);
                if (sent > 0)
                {
                    room.WakeIfHalfEmpty();
                }

                if (!all)
                {
                    counters.IsPaused = true;
                    return true;
                }

                if (left <= 0)
                {
                    return false;
                }
            }
            else if (next is not null)
            {
                // A writer publishes the whole chunk before it appends the next one.
                _head = next;
                _read = _readMessages = 0;
                pool.Give(chunk);
            }
            else
            {
                isEmpty = true;
                return true;
            }
        }
    }
}
