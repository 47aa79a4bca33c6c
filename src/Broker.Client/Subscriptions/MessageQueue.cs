using System.Threading.Channels;

namespace Broker.Client.Subscriptions;

/// <summary>
/// What waits for the reader of one subscription. Filled by the connection's loop, which never waits for a reader; read by any
/// thread. A waiting reader is woken when the queue is no longer empty and not for every message. What is not needed while nothing
/// waits and nobody asks is not there: a program may have a hundred thousand of them.
/// </summary>
/// <remarks>
/// The loop and the readers have a lock and a ring each. Readers who have emptied theirs change it for the loop's, with all that came
/// meanwhile: so the two meet once for many messages. Who needs both locks takes the readers' first.
/// </remarks>
internal sealed partial class MessageQueue(QueueOptions options) : ChannelReader<Message>
{
    private readonly Lock _gate = new();

    // What was put in since the readers last changed rings.
    private MessageRing _coming = new();

    // Made under the gate, when the first message comes or somebody asks.
    private volatile ReadersSide? _front;
    private TaskCompletionSource? _completion;
    private ReadWaiter? _waiter;

    // Of readers beside the first; behind the end, when nobody waits for a message, of who waits for the reader that is out.
    private TaskCompletionSource<bool>? _others;

    private Exception? _error;
    private bool _isAwaited;
    private volatile bool _inEpisode;

    // In one octet: beside the other three and what follows another bool would cost each queue eight.
    private volatile Ends _ends;
    private int _most;
    private long _mostBytes;
    private long _dropped;

    // All that was ever put in: what waits is what of that has not been taken out.
    private long _queued;
    private long _queuedBytes;

    // The loop's: of what has been taken out, so much at least.
    private long _knownTaken;
    private long _knownTakenBytes;

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

    // These two by any thread as a moment's truth. What was taken is read first: so it is never less than what waits.
    private long Pending
    {
        get
        {
            long taken = _front?.Taken ?? 0;
            return Volatile.Read(ref _queued) - taken;
        }
    }

    private long PendingBytes
    {
        get
        {
            long taken = _front?.TakenBytes ?? 0;
            return Volatile.Read(ref _queuedBytes) - taken;
        }
    }

    /// <summary>What happened to a message that was put in.</summary>
    internal enum Outcome
    {
        Queued,

        /// <summary>One was dropped, this or another, and it was not the first of the episode.</summary>
        Dropped,

        /// <summary>The first since the reader had caught up.</summary>
        FirstDropped,

        /// <summary>The queue has ended with an error.</summary>
        Overrun,
    }

    /// <summary>Copies a message in, if it may. On the loop.</summary>
    /// <param name="view">The message.</param>
    /// <param name="batch">What collects those of one read; null to put it in at once.</param>
    internal Outcome Put(in MessageView view, MessageBatch? batch = null)
    {
        if (HasEnded)
        {
            return Outcome.Dropped;
        }

        long size = (long)view.Subject.Length + view.ReplyTo.Length + view.Headers.Length + view.Body.Length;
        var outcome = Outcome.Queued;
        // Nobody else puts anything in: what is seen without a lock can only have become less.
        (int messages, long bytes) = batch?.Of(this) ?? default;
        if (IsFull(size + bytes, messages))
        {
            batch?.Flush();
            outcome = MakeRoom(size, out bool hasRoom);
            if (!hasRoom)
            {
                return outcome;
            }
        }

        // There is still room; and the copy holds up no reader.
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

    /// <summary>Puts messages in that there is room for. On the loop.</summary>
    internal void Add(ReadOnlySpan<Message> messages, long bytes)
    {
        Awaited awaited;
        lock (_gate)
        {
            if (HasEnded)
            {
                return;
            }

            _front ??= new ReadersSide();
            foreach (ref readonly Message message in messages)
            {
                _coming.Add(in message);
            }

            Volatile.Write(ref _queued, _queued + messages.Length);
            Volatile.Write(ref _queuedBytes, _queuedBytes + bytes);
            _most = Math.Max(_most, (int)Pending);
            _mostBytes = Math.Max(_mostBytes, PendingBytes);
            awaited = TakeAwaited();
        }

        awaited.End(true, null);
    }

    /// <summary>Nothing more comes. What waits can still be read.</summary>
    internal void End(Exception? error)
    {
        Awaited awaited;
        bool empty;
        lock (Front().Gate)
        {
            lock (_gate)
            {
                if (HasEnded)
                {
                    return;
                }

                _ends |= Ends.Ended;
                _error = error;
                awaited = TakeAwaited();
                empty = Pending == 0;
            }
        }

        if (empty)
        {
            Complete();
        }

        // Whoever waits sees an empty queue.
        awaited.End(false, error);
    }

    /// <summary>Throws away what waits: nobody will read it.</summary>
    internal void Clear()
    {
        ReadersSide front = Front();
        lock (front.Gate)
        {
            lock (_gate)
            {
                front.Messages.Clear();
                _coming.Clear();
                front.TookAll(_queued, _queuedBytes);
                ComeBack(front);
            }
        }

        Complete();
    }

    /// <summary>Completes when no reader is busy with a message: the last to take one has asked for more. For a queue that has ended.</summary>
    internal Task WhenBackAsync()
    {
        ReadersSide front = Front();
        lock (front.Gate)
        {
            lock (_gate)
            {
                return front.IsOut ? (_others ??= new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously)).Task : Task.CompletedTask;
            }
        }
    }

    internal QueueStatistics GetStatistics()
    {
        lock (Front().Gate)
        {
            lock (_gate)
            {
                return new QueueStatistics
                {
                    Pending = Count,
                    PendingBytes = PendingBytes,
                    MostPending = _most,
                    MostPendingBytes = _mostBytes,
                    Queued = _queued,
                    Dropped = _dropped,
                };
            }
        }
    }

    // Under the gate. Whoever has it ends these waits, and nobody else does.
    private Awaited TakeAwaited()
    {
        var awaited = new Awaited(_isAwaited ? _waiter : null, _others);
        _isAwaited = false;
        _others = null;
        return awaited;
    }

    private ReadersSide Front()
    {
        if (_front is { } front)
        {
            return front;
        }

        lock (_gate)
        {
            return _front ??= new ReadersSide();
        }
    }

    // Under both locks.
    private void ChangeRingsIfEmpty(ReadersSide front)
    {
        if (front.Messages.Count == 0)
        {
            MessageRing emptied = front.Messages;
            front.Messages = _coming;
            _coming = emptied;
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

    // Whoever waits for it goes on elsewhere, so that it may be done under the gate.
    private void Settle(TaskCompletionSource completion)
    {
        if (_error is null)
        {
            completion.TrySetResult();
        }
        else if (completion.TrySetException(_error))
        {
            // Nobody may be waiting for it: then the exception is still seen.
            _ = completion.Task.Exception;
        }
    }

    private readonly struct Awaited(ReadWaiter? first, TaskCompletionSource<bool>? others)
    {
        internal void End(bool more, Exception? error)
        {
            first?.End(more, error);
            if (others is not null)
            {
                EndOthers(others, more, error);
            }
        }

        private static void EndOthers(TaskCompletionSource<bool> others, bool more, Exception? error)
        {
            if (error is null)
            {
                others.TrySetResult(more);
            }
            else
            {
                others.TrySetException(error);
            }
        }
    }
}
