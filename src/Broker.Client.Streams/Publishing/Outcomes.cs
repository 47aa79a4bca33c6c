using Broker.Transport;

namespace Broker.Client.Streams;

/// <summary>
/// Passes outcomes to the callers on the thread pool, in the order of the acknowledgements. One work item passes all
/// that have come, because several would compete for the publisher's lock. A continuation that blocks delays the others
/// only until the next <see cref="Check"/>, which starts another work item.
/// </summary>
internal sealed class Outcomes : IThreadPoolWorkItem
{
    private readonly EventLoop _loop;
    private readonly Action _start;
    private readonly Lock _gate = new();
    private PendingPublish? _first;
    private PendingPublish? _last;
    private bool _isRunning;
    private long _added;
    private long _passed;
    private long _addedAtCheck;

    /// <param name="loop">The loop of the connection.</param>
    internal Outcomes(EventLoop loop)
    {
        _loop = loop;
        _start = Start;
    }

    internal void Add(PendingPublish publish)
    {
        lock (_gate)
        {
            if (_last is null)
            {
                _first = publish;
            }
            else
            {
                _last.Next = publish;
            }

            _last = publish;
            _added++;
            if (_isRunning)
            {
                return;
            }

            _isRunning = true;
        }

        // On the loop, posted actions run when all acknowledgements that are here have been received.
        if (!_loop.IsCurrent || !_loop.TryPost(_start))
        {
            Start();
        }
    }

    /// <summary>
    /// Starts another work item if outcomes wait since the last check. Returns whether outcomes wait.
    /// </summary>
    internal bool Check()
    {
        lock (_gate)
        {
            bool isLate = _passed < _addedAtCheck;
            _addedAtCheck = _added;
            if (_first is null)
            {
                return false;
            }

            if (!isLate)
            {
                return true;
            }
        }

        Start();
        return true;
    }

    /// <summary>Runs continuations. Called on the thread pool.</summary>
    public void Execute()
    {
        while (true)
        {
            PendingPublish? publish;
            lock (_gate)
            {
                publish = _first;
                if (publish is null)
                {
                    _isRunning = false;
                    return;
                }

                _passed++;
                _first = publish.Next;
                publish.Next = null;
                _last = _first is null ? null : _last;
            }

            publish.RunContinuation();
        }
    }

    private void Start() => ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
}
