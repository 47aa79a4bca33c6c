using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Broker.Client;

// The methods of the readers. They run on any thread, and several readers may run at once.
internal sealed partial class SubscriptionQueue
{
    public override bool TryRead([MaybeNullWhen(false)] out Message item)
    {
        QueueReaders readers = GetReaders();
        bool last = false;
        lock (readers.Gate)
        {
            if (readers.Messages.Count == 0 && !TrySwapRings(readers))
            {
                item = default;
                return false;
            }

            item = readers.Take();
            readers.IsReaderBusy = true;
            // If this ring is empty, newer messages may still be in the loop's ring, so Pending decides.
            if (readers.Messages.Count == 0 && Pending == 0)
            {
                _isDropping = false;
                last = HasEnded;
            }
        }

        if (last)
        {
            Complete();
        }

        return true;
    }

    // ReadAllAsync of the base class checks the token only when the queue is empty, and under load the queue may never
    // be empty. This method checks the token after each message.
    public override async IAsyncEnumerable<Message> ReadAllAsync([EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        while (await WaitToReadAsync(cancellationToken).ConfigureAwait(false))
        {
            while (TryRead(out Message message))
            {
                yield return message;
                cancellationToken.ThrowIfCancellationRequested();
            }
        }
    }

    public override bool TryPeek([MaybeNullWhen(false)] out Message item)
    {
        QueueReaders readers = GetReaders();
        lock (readers.Gate)
        {
            lock (_gate)
            {
                SwapRingsIfEmpty(readers);
            }

            item = readers.Messages.Count == 0 ? default : readers.Messages.Peek();
            return readers.Messages.Count != 0;
        }
    }

    public override ValueTask<bool> WaitToReadAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<bool>(cancellationToken);
        }

        // If no message ever came, no reader is busy, and the readers' data does not have to be created.
        if (_readers is { } readers)
        {
            lock (readers.Gate)
            {
                SetReaderIdle(readers);
            }
        }

        ReadWaiter? waiter;
        lock (_gate)
        {
            if (Pending != 0)
            {
                return ValueTask.FromResult(true);
            }

            if (HasEnded)
            {
                return _error is null ? ValueTask.FromResult(false) : ValueTask.FromException<bool>(_error);
            }

            waiter = _waits.BeginFirstOrNull(this);
            if (waiter is null)
            {
                return new ValueTask<bool>(_waits.WaitWithOthersAsync().WaitAsync(cancellationToken));
            }
        }

        waiter.Observe(cancellationToken);
        return waiter.Task;
    }

    /// <summary>Returns the waiter after a reader has taken the outcome of its wait.</summary>
    internal void ReturnWaiter(ReadWaiter waiter)
    {
        lock (_gate)
        {
            waiter.IsTaken = false;
        }
    }

    /// <summary>Whether the caller must complete the wait: neither a message nor the end has come.</summary>
    internal bool TryClaim(ReadWaiter waiter)
    {
        lock (_gate)
        {
            bool was = waiter.IsWaiting;
            waiter.IsWaiting = false;
            return was;
        }
    }

    // Called with the readers' lock. Returns false if there is no message.
    private bool TrySwapRings(QueueReaders readers)
    {
        lock (_gate)
        {
            if (_incoming.Count == 0)
            {
                SetReaderIdle(readers);
                return false;
            }

            SwapRingsIfEmpty(readers);
            return true;
        }
    }

    // Called with the readers' lock, because the queue ends under that lock.
    private void SetReaderIdle(QueueReaders readers)
    {
        readers.IsReaderBusy = false;
        if (HasEnded)
        {
            lock (_gate)
            {
                _waits.EndOthers();
            }
        }
    }
}
