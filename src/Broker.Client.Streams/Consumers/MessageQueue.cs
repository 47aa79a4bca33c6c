using System.Threading.Tasks.Sources;
using Broker.Transport;

namespace Broker.Client.Streams;

/// <summary>
/// Passes messages from the loop to one reader. The reader takes all messages that are here at once, and is woken once
/// for all messages that the loop has received together, so that a message costs no lock and no switch of threads.
/// </summary>
internal sealed class MessageQueue : IValueTaskSource<bool>
{
    private const int LeastCapacity = 16;

    // Larger arrays are not kept while the reader waits.
    private const int MostKept = 4096;

    private readonly Lock _gate;
    private readonly EventLoop _loop;
    private readonly Action _wake;
    private ManualResetValueTaskSourceCore<bool> _waiter = new() { RunContinuationsAsynchronously = true };
    private StreamMessage[] _arrived = [];
    private int _arrivedCount;
    private bool _isAwaited;
    private bool _isWakePosted;
    private bool _isComplete;
    private Exception? _failure;

    // The messages that the reader has taken out of the queue together. Only the reader uses these fields.
    private StreamMessage[] _taken = [];
    private int _takenCount;
    private int _next;

    /// <param name="gate">The lock of the owner.</param>
    /// <param name="loop">The loop that adds messages.</param>
    internal MessageQueue(Lock gate, EventLoop loop)
    {
        _gate = gate;
        _loop = loop;
        _wake = Wake;
    }

    /// <summary>Whether the reader has messages that it can read without the lock. Called by the reader.</summary>
    internal bool HasTaken => _next < _takenCount;

    /// <summary>Adds a message. Returns false if the queue is complete. Called on the loop, under the lock.</summary>
    internal bool TryAdd(in StreamMessage message)
    {
        if (_isComplete)
        {
            return false;
        }

        if (_arrivedCount == _arrived.Length)
        {
            Array.Resize(ref _arrived, Math.Max(LeastCapacity, 2 * _arrivedCount));
        }

        _arrived[_arrivedCount++] = message;
        if (_isAwaited && !_isWakePosted)
        {
            // Posted actions run when the loop has received all that is here.
            _isWakePosted = _loop.TryPost(_wake);
            if (!_isWakePosted)
            {
                WakeUnderGate();
            }
        }

        return true;
    }

    /// <summary>Ends the queue: the reader gets what is here, and then the exception. Called under the lock.</summary>
    internal void Complete(Exception? failure)
    {
        if (!_isComplete)
        {
            _isComplete = true;
            _failure = failure;
            WakeUnderGate();
        }
    }

    /// <summary>Waits for a message. Returns false if the queue has ended. Called by the reader.</summary>
    internal ValueTask<bool> WaitAsync()
    {
        if (HasTaken)
        {
            return new ValueTask<bool>(true);
        }

        lock (_gate)
        {
            if (_arrivedCount == 0 && _arrived.Length + _taken.Length > MostKept)
            {
                (_arrived, _taken, _takenCount, _next) = ([], [], 0, 0);
            }

            _waiter.Reset();
            _isAwaited = true;
            WakeUnderGate();
            return new ValueTask<bool>(this, _waiter.Version);
        }
    }

    /// <summary>Takes the next message. Called by the reader.</summary>
    internal bool TryRead(out StreamMessage message)
    {
        if (!HasTaken && !TryTake())
        {
            message = default;
            return false;
        }

        message = _taken[_next++];
        return true;
    }

    /// <inheritdoc/>
    bool IValueTaskSource<bool>.GetResult(short token) => _waiter.GetResult(token);

    /// <inheritdoc/>
    ValueTaskSourceStatus IValueTaskSource<bool>.GetStatus(short token) => _waiter.GetStatus(token);

    /// <inheritdoc/>
    void IValueTaskSource<bool>.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
        => _waiter.OnCompleted(continuation, state, token, flags);

    private bool TryTake()
    {
        // A message that was read must not keep its memory.
        Array.Clear(_taken, 0, _takenCount);
        _next = 0;
        lock (_gate)
        {
            (_taken, _arrived) = (_arrived, _taken);
            (_takenCount, _arrivedCount) = (_arrivedCount, 0);
        }

        return _takenCount > 0;
    }

    // Called on the loop.
    private void Wake()
    {
        lock (_gate)
        {
            _isWakePosted = false;
            WakeUnderGate();
        }
    }

    // Called under the lock.
    private void WakeUnderGate()
    {
        if (!_isAwaited || (_arrivedCount == 0 && !_isComplete))
        {
            return;
        }

        _isAwaited = false;
        if (_arrivedCount == 0 && _failure is { } failure)
        {
            _waiter.SetException(failure);
        }
        else
        {
            _waiter.SetResult(_arrivedCount > 0);
        }
    }
}
