using System.Collections.Concurrent;

namespace Broker.Transport;

/// <summary>
/// The actions that any thread posts to a loop. A loop that ends runs those that were posted before, and refuses
/// others.
/// </summary>
internal sealed class PostQueue(Poller poller)
{
    private readonly ConcurrentQueue<Action> _actions = new();
    private readonly Lock _endGate = new();
    private volatile bool _isClosed;

    internal bool IsEmpty => _actions.IsEmpty;

    /// <summary>
    /// Adds an action, and wakes the loop if the caller is on another thread. Returns false if the loop has ended and
    /// the action will not run. Any thread.
    /// </summary>
    internal bool TryAdd(Action action, bool isOnLoop)
    {
        if (_isClosed)
        {
            return false;
        }

        _actions.Enqueue(action);
        if (isOnLoop)
        {
            return true;
        }

        // Wake is also a memory fence: either a loop that ends now sees the action, or this thread sees that the loop
        // ends.
        poller.Wake();
        return !_isClosed || WasTaken(action);
    }

    /// <summary>Runs what is posted. On the loop.</summary>
    internal void Run(EventLoop loop)
    {
        // At most as many actions as there are now: an action that posts itself again must not keep the loop here.
        for (int left = _actions.Count; left > 0 && _actions.TryDequeue(out Action? action); left--)
        {
            loop.RunGuarded(action);
        }
    }

    /// <summary>
    /// Closes the queue and runs what is left. An action that posts another one now is refused, so that the loop ends.
    /// </summary>
    internal void RunLast(EventLoop loop)
    {
        var last = new List<Action>();
        lock (_endGate)
        {
            _isClosed = true;
            Interlocked.MemoryBarrier();
            while (_actions.TryDequeue(out Action? action))
            {
                last.Add(action);
            }
        }

        last.ForEach(loop.RunGuarded);
    }

    // The action was posted while the loop ended: if it is still queued now, it will not run.
    private bool WasTaken(Action action)
    {
        lock (_endGate)
        {
            return !_actions.Contains(action);
        }
    }
}
