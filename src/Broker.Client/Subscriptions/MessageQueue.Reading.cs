using System.Diagnostics.CodeAnalysis;

namespace Broker.Client.Subscriptions;

// The readers' side: any thread, several at once.
internal sealed partial class MessageQueue
{
    public override bool TryRead([MaybeNullWhen(false)] out Message item)
    {
        bool last;
        lock (_gate)
        {
            if (_messages.Count == 0)
            {
                item = default;
                ComeBack();
                return false;
            }

            item = TakeOldest();
            _isOut = true;
            _inEpisode &= _messages.Count != 0;
            last = HasEnded && _messages.Count == 0;
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
            item = _messages.Count == 0 ? default : _messages.Peek();
            return _messages.Count != 0;
        }
    }

    public override ValueTask<bool> WaitToReadAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<bool>(cancellationToken);
        }

        ReadWaiter waiter;
        lock (_gate)
        {
            ComeBack();
            if (_messages.Count != 0)
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

    // Under the gate.
    private void ComeBack()
    {
        _isOut = false;
        if (HasEnded)
        {
            _others?.TrySetResult(false);
        }
    }
}
