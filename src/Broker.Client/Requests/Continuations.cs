namespace Broker.Client.Requests;

/// <summary>
/// Requests that have an outcome and whose callers are to go on, on the thread pool: many for each turn of it, because to hand each
/// of them over cost as much as all else. Thread-safe.
/// </summary>
/// <remarks>
/// While some wait another turn of the pool is always on its way, so that a caller that blocks in what it does next holds up nobody.
/// </remarks>
internal sealed class Continuations : IThreadPoolWorkItem
{
    private readonly Lock _gate = new();
    private SingleRequest? _first;
    private SingleRequest? _last;

    // Whether a turn has been asked for that has not begun.
    private bool _isAskedFor;

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
            if (_isAskedFor)
            {
                return;
            }

            _isAskedFor = true;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>A turn, on the thread pool.</summary>
    public void Execute()
    {
        lock (_gate)
        {
            _isAskedFor = false;
        }

        while (TryTake(out SingleRequest? request, out bool ask))
        {
            if (ask)
            {
                ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
            }

            request.GoOn();
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
            else if (!_isAskedFor)
            {
                _isAskedFor = ask = true;
            }

            return true;
        }
    }
}
