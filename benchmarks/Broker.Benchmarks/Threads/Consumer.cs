namespace Broker.Benchmarks.Threads;

/// <summary>
/// A thread that takes the items that another thread posts. It polls, as an event loop does after activity.
/// </summary>
internal sealed class Consumer<T> : IDisposable
    where T : struct, IThreadQueue
{
    private readonly Thread _thread;
    private T _handOver;
    private long _taken;
    private volatile bool _stopped;

    internal Consumer(T handOver)
    {
        _handOver = handOver;
        _thread = new Thread(Consume) { IsBackground = true, Name = $"consumer of {typeof(T).Name}" };
        _thread.Start();
    }

    /// <summary>
    /// Posts bursts and waits for each to be taken, so that a queue's memory does not depend on the threads' progress.
    /// </summary>
    internal long Send(object item, int bursts, int burst)
    {
        long before = Volatile.Read(ref _taken);
        for (int i = 1; i <= bursts; i++)
        {
            for (int j = 0; j < burst; j++)
            {
                _handOver.Post(item);
            }

            var wait = default(SpinWait);
            while (Volatile.Read(ref _taken) - before < (long)i * burst)
            {
                // The wait yields but never sleeps for a millisecond, because the machine may have fewer free cores
                // than threads.
                wait.SpinOnce(sleep1Threshold: -1);
            }
        }

        return Volatile.Read(ref _taken) - before;
    }

    public void Dispose()
    {
        _stopped = true;
        _thread.Join();
    }

    private void Consume()
    {
        var wait = default(SpinWait);
        while (!_stopped)
        {
            int count = _handOver.Drain();
            if (count > 0)
            {
                Volatile.Write(ref _taken, _taken + count);
                wait = default;
            }
            else
            {
                wait.SpinOnce(sleep1Threshold: -1);
            }
        }
    }
}
