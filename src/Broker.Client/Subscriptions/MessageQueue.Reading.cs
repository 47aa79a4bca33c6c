using System.Diagnostics.CodeAnalysis;

namespace Broker.Client.Subscriptions;

// The readers' side: any thread, several at once.
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
            // What is behind the others of this ring waits for the next change.
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

        // Where nothing ever came nobody is out, and nothing is made for who waits.
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

    /// <summary>A reader has the outcome of its wait.</summary>
    internal void GiveBack(ReadWaiter waiter)
    {
        lock (_gate)
        {
            waiter.IsTaken = false;
        }
    }

    /// <summary>Whether a wait is to be ended by the caller, for another reason than a message or the end.</summary>
    internal bool TryTakeOut(ReadWaiter waiter)
    {
        lock (_gate)
        {
            bool was = _isAwaited && waiter == _waiter;
            _isAwaited &= !was;
            return was;
        }
    }

    // Under the readers' lock. False when there is nothing.
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

    // Under the readers' lock: the queue ends under it.
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
