namespace Broker.Client;

/// <summary>
/// Runs the continuations of completed requests on the thread pool, many in each work item. One work item for each
/// request would cost as much as all other work for the request. Thread-safe.
/// </summary>
/// <remarks>
/// While requests are queued, another work item is always queued too. So a continuation that blocks does not delay the
/// others.
/// </remarks>
internal sealed class Continuations : IThreadPoolWorkItem
{
    private readonly Lock _gate = new();
    private SingleRequest? _first;
    private SingleRequest? _last;

    // Whether a work item is queued that has not started yet.
    private bool _isQueued;

    internal void Add(SingleRequest request)
    {
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
            if (_isQueued)
            {
                return;
            }

            _isQueued = true;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Runs queued continuations. Called on the thread pool.</summary>
    public void Execute()
    {
        lock (_gate)
        {
            _isQueued = false;
        }

        while (TryTake(out SingleRequest? request, out bool ask))
        {
            if (ask)
            {
                ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
            }

            request.RunContinuation();
        }
    }

    private bool TryTake([System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out SingleRequest? request, out bool ask)
    {
        lock (_gate)
        {
            ask = false;
            request = _first;
            if (request is null)
            {
                return false;
            }

            _first = request.Next;
            request.Next = null;
            if (_first is null)
            {
                _last = null;
            }
            else if (!_isQueued)
            {
                _isQueued = ask = true;
            }

            return true;
        }
    }
}
