using System.Threading.Tasks.Sources;

namespace Broker.Client;

/// <summary>
/// The wait of a queue's reader. It is reused for the reader's next wait, so a reader that often catches up allocates
/// no memory. The queue's gate decides which code completes a wait. The reader itself returns the waiter.
/// </summary>
internal sealed class ReadWaiter(SubscriptionQueue queue) : IValueTaskSource<bool>
{
    private ManualResetValueTaskSourceCore<bool> _source = new() { RunContinuationsAsynchronously = true };
    private CancellationTokenRegistration _registration;
    private CancellationToken _token;

    /// <summary>
    /// Whether a reader uses this waiter, from the beginning of a wait until its outcome is taken. Used under the
    /// queue's gate.
    /// </summary>
    internal bool IsTaken { get; set; }

    /// <summary>
    /// Whether the wait is not completed and no code has taken it to complete it. Used under the queue's gate.
    /// </summary>
    internal bool IsWaiting { get; set; }

    /// <summary>The task of the wait. It must be awaited only once.</summary>
    internal ValueTask<bool> Task => new(this, _source.Version);

    /// <summary>
    /// Observes a cancellation token. Called before the reader gets the task, so before the outcome can be taken.
    /// </summary>
    internal void Observe(CancellationToken token)
    {
        if (token.CanBeCanceled)
        {
            _token = token;
            _registration = token.UnsafeRegister(static waiter => ((ReadWaiter)waiter!).Cancel(), this);
        }
    }

    /// <summary>Completes the wait. The queue decides which code calls this.</summary>
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
            // This waits for a cancellation that is in progress, so that the cancellation cannot affect the next wait.
            _registration.Dispose();
            _registration = default;
            _token = default;
            _source.Reset();
            queue.ReturnWaiter(this);
        }
    }

    public ValueTaskSourceStatus GetStatus(short token) => _source.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
        => _source.OnCompleted(continuation, state, token, flags);

    private void Cancel()
    {
        if (queue.TryClaim(this))
        {
            _source.SetException(new OperationCanceledException(_token));
        }
    }
}
