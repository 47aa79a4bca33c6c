using Broker.Transport;

namespace Broker.Client;

/// <summary>
/// Runs the continuations of completed requests on the thread pool. One work item runs all that have come, because
/// several would compete for the locks of the connection. What they publish is sent together. Thread-safe.
/// </summary>
/// <remarks>
/// A continuation that runs long or blocks delays the others: while one has waited for a whole
/// <see cref="Patience"/>, another work item is started.
/// </remarks>
internal sealed class Continuations : IThreadPoolWorkItem
{
    private static readonly TimeSpan Patience = TimeSpan.FromMilliseconds(1);

    private readonly EventLoop _loop;
    private readonly MessagePublisher _publisher;
    private readonly Action _start;
    private readonly Action _startChecking;
    private readonly Action _check;
    private readonly Lock _gate = new();
    private SingleRequest? _first;
    private SingleRequest? _last;

    // The work items that are queued or running.
    private int _workers;
    private bool _isChecking;
    private long _added;
    private long _taken;
    private long _addedAtCheck;

    /// <param name="loop">The loop of the connection.</param>
    /// <param name="publisher">Sends what the continuations have published.</param>
    internal Continuations(EventLoop loop, MessagePublisher publisher)
    {
        _loop = loop;
        _publisher = publisher;
        _start = Start;
        _startChecking = StartChecking;
        _check = Check;
    }

    internal void Add(SingleRequest request)
    {
        bool starts = false;
        bool checks = false;
        lock (_gate)
        {
            if (_last is null)
            {
                _first = request;
            }
            else
            {
                _last.Next = request;
            }

            _last = request;
            _added++;
            if (_workers == 0)
            {
                _workers = 1;
                starts = true;
            }
            else if (!_isChecking)
            {
                _isChecking = true;
                _addedAtCheck = _added;
                checks = true;
            }
        }

        // On the loop, posted actions run when all replies that are here have been received.
        if (starts && (!_loop.IsCurrent || !_loop.TryPost(_start)))
        {
            Start();
        }

        if (checks)
        {
            _loop.Run(_startChecking);
        }
    }

    /// <summary>Runs queued continuations. Called on the thread pool.</summary>
    public void Execute()
    {
        do
        {
            _publisher.BeginBatch();
            while (Take() is { } request)
            {
                request.RunContinuation();
            }

            _publisher.EndBatch();
        }
        while (!TryEnd());
    }

    private SingleRequest? Take()
    {
        lock (_gate)
        {
            SingleRequest? request = _first;
            if (request is null)
            {
                return null;
            }

            _taken++;
            _first = request.Next;
            request.Next = null;
            _last = _first is null ? null : _last;
            return request;
        }
    }

    private bool TryEnd()
    {
        lock (_gate)
        {
            if (_first is not null)
            {
                return false;
            }

            _workers--;
            return true;
        }
    }

    // Called on the loop.
    private void StartChecking() => _loop.RunAfter(Patience, _check);

    // Called on the loop.
    private void Check()
    {
        bool isLate;
        lock (_gate)
        {
            _isChecking = _first is not null;
            if (!_isChecking)
            {
                return;
            }

            isLate = _taken < _addedAtCheck;
            _addedAtCheck = _added;
            _workers += isLate ? 1 : 0;
        }

        if (isLate)
        {
            Start();
        }

        StartChecking();
    }

    private void Start() => ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
}
