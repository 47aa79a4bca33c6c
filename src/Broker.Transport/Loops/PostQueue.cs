using System.Collections.Concurrent;

namespace Broker.Transport;

/// <summary>
/// The actions that threads post to a loop. A loop that ends runs the actions that were posted before its end, and
/// refuses later actions.
/// </summary>
internal sealed class PostQueue(Poller poller)
{
    private readonly ConcurrentQueue<Action> _actions = new();
    private readonly Lock _endGate = new();
    private volatile bool _isClosed;

    internal bool IsEmpty => _actions.IsEmpty;

    /// <summary>
    /// Adds an action, and wakes the loop if the caller is on another thread. Returns false if the action will not run,
    /// because the loop has ended. Any thread.
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

        // Wake is also a memory fence. If the loop ends now, either the loop sees the action, or this thread sees that
        // the loop ends.
        poller.Wake();
        return !_isClosed || WasTaken(action);
    }

    /// <summary>Runs the posted actions. On the loop.</summary>
    internal void Run(EventLoop loop)
    {
        // Runs at most as many actions as there are now, because an action that posts itself again must not keep the
        // loop here.
        for (int left = _actions.Count; left > 0 && _actions.TryDequeue(out Action? action); left--)
        {
            loop.RunGuarded(action);
        }
    }

    /// <summary>
    /// Closes the queue and runs the remaining actions. Actions that these actions post are refused, so that the loop
    /// ends.
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

    // The action was posted while the loop ended. If it is still in the queue now, it will not run.
    private bool WasTaken(Action action)
    {
        lock (_endGate)
        {
            return !_actions.Contains(action);
        }
    }
}
