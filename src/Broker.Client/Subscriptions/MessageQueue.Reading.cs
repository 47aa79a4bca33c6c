using System.Diagnostics.CodeAnalysis;

namespace Broker.Client.Subscriptions;

// The methods of the readers. They run on any thread, and several readers may run at once.
internal sealed partial class MessageQueue
{
    public override bool TryRead([MaybeNullWhen(false)] out Message item)
    {
        ReadersSide front = Front();
        bool last = false;
        lock (front.Gate)
        {
            if (front.Messages.Count == 0 && !TryChangeRings(front))
            {
                item = default;
                return false;
            }

            item = front.Take();
            front.IsOut = true;
            // Messages after those in this ring are available after the next exchange of the rings.
            if (front.Messages.Count == 0 && Pending == 0)
            {
                _inEpisode = false;
                last = HasEnded;
            }
        }

        if (last)
        {
            Complete();
        }

        return true;
    }

    public override bool TryPeek([MaybeNullWhen(false)] out Message item)
    {
        ReadersSide front = Front();
        lock (front.Gate)
        {
            lock (_gate)
            {
                ChangeRingsIfEmpty(front);
            }

            item = front.Messages.Count == 0 ? default : front.Messages.Peek();
            return front.Messages.Count != 0;
        }
    }

    public override ValueTask<bool> WaitToReadAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<bool>(cancellationToken);
        }

        // If no message ever came, no reader is busy, and the readers' data does not have to be created.
        if (_front is { } front)
        {
            lock (front.Gate)
            {
                ComeBack(front);
            }
        }

        ReadWaiter waiter;
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

            waiter = _waiter ??= new ReadWaiter(this);
            if (waiter.IsTaken)
            {
                _others ??= new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
                return new ValueTask<bool>(_others.Task.WaitAsync(cancellationToken));
            }

            waiter.IsTaken = _isAwaited = true;
        }

        waiter.WatchFor(cancellationToken);
        return waiter.Task;
    }

    /// <summary>Returns the waiter after a reader has taken the outcome of its wait.</summary>
    internal void GiveBack(ReadWaiter waiter)
    {
        lock (_gate)
        {
            waiter.IsTaken = false;
        }
    }

    /// <summary>
    /// Returns whether the caller must complete the wait, for a reason other than a message or the end of the queue.
    /// </summary>
    internal bool TryTakeOut(ReadWaiter waiter)
    {
        lock (_gate)
        {
            bool was = _isAwaited && waiter == _waiter;
            _isAwaited &= !was;
            return was;
        }
    }

    // Called with the readers' lock. Returns false if there is no message.
    private bool TryChangeRings(ReadersSide front)
    {
        lock (_gate)
        {
            if (_coming.Count == 0)
            {
                ComeBack(front);
                return false;
            }

            ChangeRingsIfEmpty(front);
            return true;
        }
    }

    // Called with the readers' lock, because the queue ends under that lock.
    private void ComeBack(ReadersSide front)
    {
        front.IsOut = false;
        if (HasEnded)
        {
            lock (_gate)
            {
                _others?.TrySetResult(false);
            }
        }
    }
}
