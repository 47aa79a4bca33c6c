namespace Broker.Benchmarks.Threads;

/// <summary>Two lists that are swapped under a lock. The lock is only taken for an addition or a swap.</summary>
internal struct SwapList() : IThreadQueue
{
    private readonly Lock _gate = new();
    private List<object> _posted = [];
    private List<object> _running = [];
    private volatile bool _hasPosted;

    public void Post(object item)
    {
        lock (_gate)
        {
            _posted.Add(item);
            _hasPosted = true;
        }
    }

    public int Drain()
    {
        if (!_hasPosted)
        {
            return 0;
        }

        lock (_gate)
        {
            (_posted, _running) = (_running, _posted);
            _hasPosted = false;
        }

        int count = 0;
        foreach (object item in _running)
        {
            count += item is null ? 0 : 1;
        }

        _running.Clear();
        return count;
    }
}
