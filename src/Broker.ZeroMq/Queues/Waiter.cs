using System.Threading.Tasks.Sources;

namespace Broker.ZeroMq.Queues;

/// <summary>
/// One call that waits, by blocking its thread or by an await. It is made for each queue a few times and used again and again.
/// </summary>
internal sealed class Waiter(WaitList owner) : IValueTaskSource<bool>
{
    private readonly Sleep _sleep = new();
    private ManualResetValueTaskSourceCore<bool> _source = new() { RunContinuationsAsynchronously = true };
    private bool _blocks;

    // The list it is in, guarded by whoever owns the list.
    internal Waiter? Next { get; set; }

    internal Waiter? Previous { get; set; }

    internal bool IsListed { get; set; }

    internal short Version => _source.Version;

    /// <summary>Ends the wait, unless it has ended.</summary>
    internal void Cancel() => owner.Cancel(this);

    /// <summary>Ready for the next wait.</summary>
    internal void Arm(bool blocks)
    {
        _blocks = blocks;
        if (blocks)
        {
            _sleep.Arm();
        }
        else
        {
            _source.Reset();
        }
    }

    /// <summary>Ends the wait. Once, when it has left its list and under the list's lock, so that nobody uses it again meanwhile.</summary>
    /// <returns>Whether <see cref="Wake"/> must follow, outside of the lock: the woken thread would come for it at once.</returns>
    internal bool Signal()
    {
        if (_blocks)
        {
            return _sleep.End();
        }

        _source.SetResult(true);
        return false;
    }

    /// <summary>Lets the thread know that its wait was ended.</summary>
    internal void Wake() => _sleep.Wake();

    /// <summary>Blocks the thread. False when it was not signalled: the time is over, or nearly so.</summary>
    internal bool Block(int milliseconds) => _sleep.Wait(milliseconds);

    bool IValueTaskSource<bool>.GetResult(short token) => _source.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<bool>.GetStatus(short token) => _source.GetStatus(token);

    void IValueTaskSource<bool>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);
}
