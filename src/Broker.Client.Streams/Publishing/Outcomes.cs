namespace Broker.Client.Streams;

/// <summary>
/// Passes outcomes to the callers on the thread pool, many in each work item, in the order of the acknowledgements. A
/// continuation that blocks does not delay the others, because another work item is queued while outcomes wait.
/// </summary>
internal sealed class Outcomes : IThreadPoolWorkItem
{
    private readonly Lock _gate = new();
    private PendingPublish? _first;
    private PendingPublish? _last;
    private bool _isQueued;

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
            if (_isQueued)
            {
                return;
            }

            _isQueued = true;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Runs continuations. Called on the thread pool.</summary>
    public void Execute()
    {
        lock (_gate)
        {
            _isQueued = false;
        }

        while (true)
        {
            PendingPublish? publish;
            bool more;
            lock (_gate)
            {
                publish = _first;
                if (publish is null)
                {
                    return;
                }

                _first = publish.Next;
                publish.Next = null;
                _last = _first is null ? null : _last;
                more = _first is not null && !_isQueued;
                _isQueued |= more;
            }

            if (more)
            {
                ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
            }

            publish.RunContinuation();
        }
    }
}
