using Broker.Transport.Buffers;

namespace Broker.Transport;

// For protocols that would rather lose messages than the peer, or the peer rather than the memory.
public abstract partial class Connection
{
    /// <summary>Bytes that <paramref name="loop"/> has written for this connection in the present turn. On that loop's thread.</summary>
    public long StagedBytes(EventLoop loop)
    {
        ArgumentNullException.ThrowIfNull(loop);
        return _stages[loop.Index]?.Length ?? 0;
    }

    /// <summary>Closes the connection with <see cref="CloseReason.SlowConsumer"/>; what is queued is dropped. Any thread.</summary>
    public void CloseAsSlowConsumer() => Loop.PostClose(this, CloseReason.SlowConsumer);

    /// <summary>
    /// Takes what has waited longest out of the queue, block by block, until <paramref name="bytes"/> are gone or there is
    /// no more. A block that was sent or encrypted in part, or is being sent, stays: the peer never sees half of anything.
    /// Any thread of the group.
    /// </summary>
    /// <param name="bytes">How many bytes to let go, at least if possible.</param>
    /// <param name="filter">Says what of a block must stay.</param>
    /// <param name="loop">The caller's loop, which gets the blocks back.</param>
    /// <returns>How many bytes were let go.</returns>
    public long DropOldest<TFilter>(long bytes, ref TFilter filter, EventLoop loop)
        where TFilter : struct, IQueueFilter
    {
        lock (_gate)
        {
            long dropped = 0;
            // While a sender has the front of the queue out, what is encrypted is there.
            long encrypted = _tls is null || (_sending && !_sendWaits) ? 0 : _tls.Encrypted;
            Block? kept = null;
            Block? at = _retired || _sealed ? null : _queueHead;
            while (at is not null && dropped < bytes)
            {
                Block? next = at.Next;
                // A send that waits has the first block out, and has not yet moved its start.
                if (at.Start != 0 || encrypted > 0 || (_sendWaits && at == _queueHead))
                {
                    encrypted -= at.Length;
                    kept = at;
                    at = next;
                    continue;
                }

                int left = filter.Keep(at.Array.AsSpan(0, at.End));
                dropped += at.End - left;
                at.End = left;
                if (left != 0)
                {
                    kept = at;
                }
                else
                {
                    Unlink(kept, at);
                    Give(at, loop);
                }

                at = next;
            }

            _pendingBytes -= dropped;
            return dropped;
        }
    }

    private void Unlink(Block? before, Block block)
    {
        if (before is null)
        {
            _queueHead = block.Next;
        }
        else
        {
            before.Next = block.Next;
        }

        if (_queueTail == block)
        {
            _queueTail = before;
        }
    }
}
