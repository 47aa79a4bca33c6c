using System.Threading.Tasks.Sources;

namespace Broker.Client.Subscriptions;

/// <summary>
/// The wait of a queue's reader, used again for its next one: so a reader that catches up again and again costs no memory for that.
/// Who begins and ends a wait agrees on it under the queue's gate; the reader itself gives it back.
/// </summary>
internal sealed class ReadWaiter(MessageQueue queue) : IValueTaskSource<bool>
{
    private ManualResetValueTaskSourceCore<bool> _source = new() { RunContinuationsAsynchronously = true };
    private CancellationTokenRegistration _registration;
    private CancellationToken _token;

    /// <summary>Whether a reader has it, from the beginning of a wait until its outcome is taken. Under the queue's gate.</summary>
    internal bool IsTaken { get; set; }

    /// <summary>The wait, to be awaited once.</summary>
    internal ValueTask<bool> Task => new(this, _source.Version);

    /// <summary>Before the reader has the task, and so before its outcome can be taken.</summary>
    internal void WatchFor(CancellationToken token)
    {
        if (token.CanBeCanceled)
        {
            _token = token;
            _registration = token.UnsafeRegister(static waiter => ((ReadWaiter)waiter!).Cancel(), this);
        }
    }

    /// <summary>Ends the wait. By whoever the queue says is the one to.</summary>
    internal void End(bool more, Exception? error)
    {
        if (error is null)
        {
            _source.SetResult(more);
        }
        else
        {
            _source.SetException(error);
        }
    }

    public bool GetResult(short token)
    {
        try
        {
            return _source.GetResult(token);
        }
        finally
        {
            // Waits for a cancellation that is under way: it must not meet the next wait.
            _registration.Dispose();
            _registration = default;
            _token = default;
            _source.Reset();
            queue.GiveBack(this);
        }
    }

    public ValueTaskSourceStatus GetStatus(short token) => _source.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
        => _source.OnCompleted(continuation, state, token, flags);

    private void Cancel()
    {
        if (queue.TryTakeOut(this))
        {
            _source.SetException(new OperationCanceledException(_token));
        }
    }
}
