using System.Threading.Channels;

namespace Broker.Client;

/// <summary>
/// The queue of messages for the reader of one subscription. The connection's loop fills it and never waits for a
/// reader. Readers may be on any thread. A waiting reader is woken when the queue is no longer empty, not for every
/// message. A program may have a hundred thousand queues, so an empty queue without a reader allocates as little as
/// possible.
/// </summary>
/// <remarks>
/// The loop and the readers have one lock and one ring each. When the readers' ring is empty, a reader exchanges it
/// for the loop's ring with all messages that have arrived meanwhile. So the loop and the readers contend once for many
/// messages. Code that needs both locks takes the readers' lock first.
/// </remarks>
internal sealed partial class SubscriptionQueue(QueueOptions options) : ChannelReader<Message>
{
    private readonly Lock _gate = new();

    // The messages that have arrived since the last exchange of the rings.
    private MessageRing _incoming = new();

    // Created under the gate when the first message comes or when a reader uses the queue.
    private volatile QueueReaders? _readers;
    private TaskCompletionSource? _completion;
    private Exception? _error;
    private volatile bool _isDropping;

    // One byte for both flags: another bool would increase the size of each queue by eight bytes.
    private volatile Ends _ends;
    private int _peak;

    // These fields must not be read-only, because their methods change them.
    private QueueCounters _counters;
    private ReaderWaits _waits;

    [Flags]
    private enum Ends : byte
    {
        None = 0,
        Ended = 1,
        Complete = 2,
    }

    private bool HasEnded => (_ends & Ends.Ended) != Ends.None;

    public override Task Completion
    {
        get
        {
            lock (_gate)
            {
                if (_completion is null)
                {
                    _completion = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                    if ((_ends & Ends.Complete) != Ends.None)
                    {
                        Settle(_completion);
                    }
                }

                return _completion.Task;
            }
        }
    }

    public override bool CanCount => true;

    public override bool CanPeek => true;

    public override int Count => (int)Pending;

    private long Pending => _counters.Pending(_readers);

    /// <summary>Copies a message into the queue if the limits allow it. Called on the loop.</summary>
    /// <param name="view">The message.</param>
    /// <param name="batch">Collects the messages of one read. Null to add the message at once.</param>
    internal EnqueueOutcome Enqueue(in MessageView view, MessageBatch? batch = null)
    {
        if (HasEnded)
        {
            return EnqueueOutcome.Dropped;
        }

        long size = (long)view.Subject.Length + view.ReplyTo.Length + view.Headers.Length + view.Body.Length;
        EnqueueOutcome outcome = EnqueueOutcome.Queued;
        // Only this thread adds messages, so without a lock the queue can only be emptier than it seems.
        (int messages, long bytes) = batch?.CountFor(this) ?? default;
        if (_counters.IsFull(options, _readers, size + bytes, messages))
        {
            batch?.Flush();
            outcome = MakeSpace(size, out bool hasSpace);
            if (!hasSpace)
            {
                return outcome;
            }
        }

        // There is still space. The copy is made without a lock, so it delays no reader.
        var message = new Message(in view);
        if (batch is not null)
        {
            batch.Add(this, in message);
        }
        else
        {
            Add(new ReadOnlySpan<Message>(in message), size);
        }

        return outcome;
    }

    /// <summary>Adds messages that fit into the limits. Called on the loop.</summary>
    /// <returns>Whether <see cref="LargeQueues"/> must watch the queue from now on.</returns>
    internal bool Add(ReadOnlySpan<Message> messages, long bytes)
    {
        QueueWaits waits;
        bool isLarge;
        lock (_gate)
        {
            if (HasEnded)
            {
                return false;
            }

            _readers ??= new QueueReaders();
            foreach (ref readonly Message message in messages)
            {
                _incoming.Add(in message);
            }

            _counters.Add(messages.Length, bytes, _readers);
            _peak = Math.Max(_peak, (int)Pending);
            waits = _waits.Take();
            isLarge = _incoming.IsLarge && !_readers.IsWatched;
            _readers.IsWatched |= isLarge;
        }

        waits.Complete(true, null);
        return isLarge;
    }

    /// <summary>The number of messages for which the queue has memory.</summary>
    internal int Capacity
    {
        get
        {
            QueueReaders readers = GetReaders();
            lock (readers.Gate)
            {
                lock (_gate)
                {
                    return readers.Messages.Capacity + _incoming.Capacity;
                }
            }
        }
    }

    /// <summary>
    /// Releases the memory of the queue if it is empty and no message has come since the last call. Called on the loop.
    /// </summary>
    /// <returns>True if the queue does not have to be watched any longer.</returns>
    internal bool TryRelease()
    {
        QueueReaders readers = GetReaders();
        lock (readers.Gate)
        {
            lock (_gate)
            {
                if (Pending == 0 && (HasEnded || readers.QueuedAtCheck == _counters.Queued))
                {
                    readers.Messages.Clear();
                    _incoming.Clear();
                }

                readers.QueuedAtCheck = _counters.Queued;
                readers.IsWatched = readers.Messages.IsLarge || _incoming.IsLarge;
                return !readers.IsWatched;
            }
        }
    }

    /// <summary>Ends the queue. Readers can still read the messages in it.</summary>
    internal void End(Exception? error)
    {
        QueueWaits waits;
        bool empty;
        lock (GetReaders().Gate)
        {
            lock (_gate)
            {
                if (HasEnded)
                {
                    return;
                }

                _ends |= Ends.Ended;
                _error = error;
                waits = _waits.Take();
                empty = Pending == 0;
            }
        }

        if (empty)
        {
            Complete();
        }

        // A waiting reader sees an empty queue.
        waits.Complete(false, error);
    }

    /// <summary>Discards the messages in the queue, because nobody will read them.</summary>
    internal void Clear()
    {
        QueueReaders readers = GetReaders();
        lock (readers.Gate)
        {
            lock (_gate)
            {
                readers.Messages.Clear();
                _incoming.Clear();
                readers.SetAllTaken(_counters.Queued, _counters.QueuedBytes);
                SetReaderIdle(readers);
            }
        }

        Complete();
    }

    /// <summary>
    /// For a queue that has ended: completes when each reader has processed its message and asked for another one.
    /// </summary>
    internal Task WhenReadersIdleAsync()
    {
        QueueReaders readers = GetReaders();
        lock (readers.Gate)
        {
            lock (_gate)
            {
                return readers.IsReaderBusy ? _waits.WaitWithOthersAsync() : Task.CompletedTask;
            }
        }
    }

    internal QueueStatistics GetStatistics()
    {
        QueueReaders readers = GetReaders();
        lock (readers.Gate)
        {
            lock (_gate)
            {
                return new QueueStatistics
                {
                    Pending = Count,
                    PendingBytes = _counters.PendingBytes(readers),
                    PeakPending = _peak,
                    PeakPendingBytes = _counters.PeakBytes,
                    Queued = _counters.Queued,
                    Dropped = readers.Dropped,
                };
            }
        }
    }

    private QueueReaders GetReaders()
    {
        if (_readers is { } readers)
        {
            return readers;
        }

        lock (_gate)
        {
            return _readers ??= new QueueReaders();
        }
    }

    // Called with both locks.
    private void SwapRingsIfEmpty(QueueReaders readers)
    {
        if (readers.Messages.Count == 0)
        {
            MessageRing emptied = readers.Messages;
            readers.Messages = _incoming;
            _incoming = emptied;
        }
    }

    private void Complete()
    {
        lock (_gate)
        {
            _ends |= Ends.Complete;
            if (_completion is not null)
            {
                Settle(_completion);
            }
        }
    }

    // The continuations run asynchronously, so this may be called under the gate.
    private void Settle(TaskCompletionSource completion)
    {
        if (_error is null)
        {
            completion.TrySetResult();
        }
        else if (completion.TrySetException(_error))
        {
            // This marks the exception as observed if nobody awaits the task.
            _ = completion.Task.Exception;
        }
    }
}
