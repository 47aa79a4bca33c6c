using System.Diagnostics.CodeAnalysis;
using System.Threading.Channels;

namespace Broker.Client.Subscriptions;

/// <summary>
/// What waits for the reader of one subscription. Filled by the connection's loop, which never waits for a reader; read by any
/// thread. A waiting reader is woken when the queue is no longer empty and not for every message.
/// </summary>
internal sealed class MessageQueue(QueueOptions options) : ChannelReader<Message>
{
    private readonly Lock _gate = new();
    private readonly Queue<Message> _messages = new();
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private TaskCompletionSource<bool>? _waiter;
    private Exception? _error;
    private bool _ended;
    private long _bytes;
    private int _most;
    private long _mostBytes;
    private long _queued;
    private long _dropped;
    private bool _inEpisode;

    public override Task Completion => _completion.Task;

    public override bool CanCount => true;

    public override bool CanPeek => true;

    public override int Count
    {
        get
        {
            lock (_gate)
            {
                return _messages.Count;
            }
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
    internal Outcome Put(in MessageView view)
    {
        long size = (long)view.Subject.Length + view.ReplyTo.Length + view.Headers.Length + view.Body.Length;
        var outcome = Outcome.Queued;
        lock (_gate)
        {
            if (_ended)
            {
                return Outcome.Dropped;
            }

            if (_messages.Count >= options.MaxMessages || _bytes + size > options.MaxBytes)
            {
                outcome = MakeRoom(size);
                if (outcome == Outcome.Overrun)
                {
                    return outcome;
                }

                if (_messages.Count >= options.MaxMessages || _bytes + size > options.MaxBytes)
                {
                    return outcome;
                }
            }
        }

        // Nobody else puts anything in, so there is still room; and the copy holds up no reader.
        var message = new Message(in view);
        TaskCompletionSource<bool>? waiter;
        lock (_gate)
        {
            if (_ended)
            {
                return Outcome.Dropped;
            }

            _messages.Enqueue(message);
            _bytes += size;
            _queued++;
            _most = Math.Max(_most, _messages.Count);
            _mostBytes = Math.Max(_mostBytes, _bytes);
            waiter = _waiter;
            _waiter = null;
        }

        waiter?.TrySetResult(true);
        return outcome;
    }

    public override bool TryRead([MaybeNullWhen(false)] out Message item)
    {
        bool last;
        lock (_gate)
        {
            if (!_messages.TryDequeue(out item))
            {
                return false;
            }

            _bytes -= item.Size;
            _inEpisode &= _messages.Count != 0;
            last = _ended && _messages.Count == 0;
        }

        if (last)
        {
            Complete();
        }

        return true;
    }

    public override bool TryPeek([MaybeNullWhen(false)] out Message item)
    {
        lock (_gate)
        {
            return _messages.TryPeek(out item);
        }
    }

    public override ValueTask<bool> WaitToReadAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<bool>(cancellationToken);
        }

        lock (_gate)
        {
            if (_messages.Count != 0)
            {
                return ValueTask.FromResult(true);
            }

            if (_ended)
            {
                return _error is null ? ValueTask.FromResult(false) : ValueTask.FromException<bool>(_error);
            }

            _waiter ??= new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
            return new ValueTask<bool>(_waiter.Task.WaitAsync(cancellationToken));
        }
    }

    /// <summary>Nothing more comes. What waits can still be read.</summary>
    internal void End(Exception? error)
    {
        TaskCompletionSource<bool>? waiter;
        bool empty;
        lock (_gate)
        {
            if (_ended)
            {
                return;
            }

            _ended = true;
            _error = error;
            waiter = _waiter;
            _waiter = null;
            empty = _messages.Count == 0;
        }

        if (empty)
        {
            Complete();
        }

        if (error is null)
        {
            waiter?.TrySetResult(false);
        }
        else
        {
            // Whoever waits sees an empty queue.
            waiter?.TrySetException(error);
        }
    }

    /// <summary>Throws away what waits: nobody will read it.</summary>
    internal void Clear()
    {
        lock (_gate)
        {
            _messages.Clear();
            _bytes = 0;
        }

        Complete();
    }

    internal QueueStatistics GetStatistics()
    {
        lock (_gate)
        {
            return new QueueStatistics
            {
                Pending = _messages.Count,
                PendingBytes = _bytes,
                MostPending = _most,
                MostPendingBytes = _mostBytes,
                Queued = _queued,
                Dropped = _dropped,
            };
        }
    }

    // Under the gate.
    private Outcome MakeRoom(long size)
    {
        Outcome outcome = _inEpisode ? Outcome.Dropped : Outcome.FirstDropped;
        _inEpisode = true;
        if (options.WhenFull == FullQueuePolicy.DropOldest && size <= options.MaxBytes)
        {
            while (_messages.Count >= options.MaxMessages || _bytes + size > options.MaxBytes)
            {
                _bytes -= _messages.Dequeue().Size;
                _dropped++;
            }

            return outcome;
        }

        _dropped++;
        return options.WhenFull == FullQueuePolicy.End ? Outcome.Overrun : outcome;
    }

    private void Complete()
    {
        if (_error is null)
        {
            _completion.TrySetResult();
        }
        else if (_completion.TrySetException(_error))
        {
            // Nobody may be waiting for it: then the exception is still seen.
            _ = _completion.Task.Exception;
        }
    }
}
