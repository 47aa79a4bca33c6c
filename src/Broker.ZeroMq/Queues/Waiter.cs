using System.Threading.Tasks.Sources;

namespace Broker.ZeroMq;

/// <summary>
/// One waiting call, which blocks its thread or is awaited. A queue has a few waiters and reuses them.
/// </summary>
internal sealed class Waiter(WaitList owner) : IValueTaskSource<bool>
{
    private readonly ThreadParker _parker = new();
    private ManualResetValueTaskSourceCore<bool> _source = new() { RunContinuationsAsynchronously = true };
    private bool _blocks;

    // The links and the flag belong to the list of waiters. The list's lock guards them.
    internal Waiter? Next { get; set; }

    internal Waiter? Previous { get; set; }

    internal bool IsListed { get; set; }

    internal short Version => _source.Version;

    /// <summary>Ends the wait, if it has not ended.</summary>
    internal void Cancel() => owner.Cancel(this);

    /// <summary>Prepares for the next wait.</summary>
    internal void Arm(bool blocks)
    {
        _blocks = blocks;
        if (blocks)
        {
            _parker.Arm();
        }
        else
        {
            _source.Reset();
        }
    }

    /// <summary>
    /// Ends the wait. Called once, under the list's lock, after the waiter was removed from the list. Because of the
    /// lock no other call can reuse the waiter at the same time.
    /// </summary>
    /// <returns>
    /// Whether a call of <see cref="Wake"/> must follow, outside of the lock, because the woken thread takes the lock
    /// at once.
    /// </returns>
    internal bool Signal()
    {
        if (_blocks)
        {
            return _parker.End();
        }

        _source.SetResult(true);
        return false;
    }

    /// <summary>Wakes the thread after its wait was ended.</summary>
    internal void Wake() => _parker.Wake();

    /// <summary>
    /// Blocks the thread until another thread ends the wait. Returns false if the timeout passed first; the method may
    /// return slightly before the timeout.
    /// </summary>
    internal bool Block(int milliseconds) => _parker.Wait(milliseconds);

    bool IValueTaskSource<bool>.GetResult(short token) => _source.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<bool>.GetStatus(short token) => _source.GetStatus(token);

    void IValueTaskSource<bool>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
        => _source.OnCompleted(continuation, state, token, flags);
}
