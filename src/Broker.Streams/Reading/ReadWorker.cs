using Broker.Transport;

namespace Broker.Streams;

/// <summary>
/// Runs reads of the disk on a thread of its own, one after the other, because a loop must not wait for a disk. The
/// results continue on the loop of the account, in the order of the reads.
/// </summary>
internal sealed class ReadWorker : IDisposable
{
    // The bytes of results that the loop has not handled yet.
    private const long MaxResultBytes = 32 * 1024 * 1024;

    private readonly object _gate = new();
    private readonly EventLoop _loop;
    private readonly Action<Exception> _onFault;
    private readonly Queue<IRead> _reads = new();
    private Thread? _thread;
    private long _resultBytes;
    private bool _isClosing;

    internal ReadWorker(EventLoop loop, Action<Exception> onFault)
    {
        _loop = loop;
        _onFault = onFault;
    }

    /// <summary>The number of reads that have not begun.</summary>
    internal int Waiting
    {
        get
        {
            lock (_gate)
            {
                return _reads.Count;
            }
        }
    }

    /// <summary>Queues a read.</summary>
    internal void Add(IRead read)
    {
        lock (_gate)
        {
            if (_isClosing)
            {
                return;
            }

            _reads.Enqueue(read);
            if (_thread is null)
            {
                _thread = new Thread(Run) { IsBackground = true, Name = "broker store reads" };
                _thread.Start();
            }

            Monitor.PulseAll(_gate);
        }
    }

    /// <summary>Ends the thread. Reads that wait are dropped.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _isClosing = true;
            _reads.Clear();
            Monitor.PulseAll(_gate);
        }

        _thread?.Join();
    }

    private void Run()
    {
        while (true)
        {
            IRead read;
            lock (_gate)
            {
                while (!_isClosing && (_reads.Count == 0 || _resultBytes > MaxResultBytes))
                {
                    Monitor.Wait(_gate);
                }

                if (_isClosing)
                {
                    return;
                }

                read = _reads.Dequeue();
            }

            Run(read);
        }
    }

    private void Run(IRead read)
    {
        int bytes = 0;
        try
        {
            bytes = read.Read();
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // A fault of one read must not end the reads of all streams. The requester gets no answer.
            _onFault(e);
            return;
        }

        lock (_gate)
        {
            _resultBytes += bytes;
        }

        _loop.Post(() =>
        {
            lock (_gate)
            {
                _resultBytes -= bytes;
                Monitor.PulseAll(_gate);
            }

            read.Continue();
        });
    }
}
