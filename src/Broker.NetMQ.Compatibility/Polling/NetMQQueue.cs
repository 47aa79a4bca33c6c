using System.Collections;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;

namespace NetMQ;

/// <summary>
/// A queue that any thread writes and a poller reads. While it has items, the poller raises
/// <see cref="ReceiveReady"/> on its thread.
/// </summary>
/// <typeparam name="T">The type of the items.</typeparam>
public sealed class NetMQQueue<T> : IDisposable, ISocketPollable, IEnumerable<T>
{
    // A Monitor is pulsed, which the type Lock does not offer.
    private readonly object _gate = new();
    private readonly Queue<T> _items = new();
    private readonly int _capacity;
    private readonly SignalSocket _socket;
    private readonly NetMQQueueEventArgs<T> _args;
    private EventHandler<NetMQQueueEventArgs<T>>? _receiveReady;
    private int _waiting;
    private bool _isDisposed;

    /// <summary>Creates a queue.</summary>
    /// <param name="capacity">How many items may wait; 0 for no limit.</param>
    /// <exception cref="ArgumentOutOfRangeException">The capacity is negative.</exception>
    public NetMQQueue(int capacity = 0)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(capacity);
        _capacity = capacity;
        _args = new NetMQQueueEventArgs<T>(this);
        _socket = new SignalSocket(() => !IsEmpty);
    }

    /// <summary>Raised by a poller while the queue has items.</summary>
    public event EventHandler<NetMQQueueEventArgs<T>>? ReceiveReady
    {
        add
        {
            if (_receiveReady is null)
            {
                _socket.ReceiveReady += OnReady;
            }

            _receiveReady += value;
        }

        remove
        {
            _receiveReady -= value;
            if (_receiveReady is null)
            {
                _socket.ReceiveReady -= OnReady;
            }
        }
    }

    /// <summary>Whether the queue has no items.</summary>
    public bool IsEmpty => Count == 0;

    /// <summary>The number of items.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _items.Count;
            }
        }
    }

    /// <summary>Whether the queue is disposed.</summary>
    public bool IsDisposed => Volatile.Read(ref _isDisposed);

    NetMQSocket ISocketPollable.Socket => _socket;

    /// <summary>Adds an item, and waits while the queue is full. May be called on any thread.</summary>
    /// <exception cref="ObjectDisposedException">The queue is disposed.</exception>
    public void Enqueue(T value)
    {
        lock (_gate)
        {
            while (_capacity > 0 && _items.Count >= _capacity && !_isDisposed)
            {
                Wait(Timeout.Infinite);
            }

            ObjectDisposedException.ThrowIf(_isDisposed, this);
            _items.Enqueue(value);
            Pulse();
        }

        _socket.Readiness.WakeAll();
    }

    /// <summary>Takes the first item if there is one within the timeout.</summary>
    /// <param name="result">The item.</param>
    /// <param name="timeout">How long to wait; a negative value waits without a limit.</param>
    /// <returns>False if there was none.</returns>
    public bool TryDequeue([MaybeNullWhen(false)] out T result, TimeSpan timeout)
    {
        long start = Stopwatch.GetTimestamp();
        lock (_gate)
        {
            while (!_items.TryDequeue(out result))
            {
                TimeSpan left = timeout - Stopwatch.GetElapsedTime(start);
                if (_isDisposed || (timeout >= TimeSpan.Zero && left <= TimeSpan.Zero))
                {
                    return false;
                }

                Wait(timeout < TimeSpan.Zero ? Timeout.Infinite : (int)Math.Min(left.TotalMilliseconds + 1, int.MaxValue));
            }

            Pulse();
            return true;
        }
    }

    /// <summary>Takes the first item, and waits for one without a limit.</summary>
    /// <exception cref="ObjectDisposedException">The queue is disposed.</exception>
    public T Dequeue()
    {
        bool isTaken = TryDequeue(out T? result, SendReceiveConstants.InfiniteTimeout);
        ObjectDisposedException.ThrowIf(!isTaken, this);
        return result!;
    }

    /// <summary>Enumerates the items that are in the queue at this moment, and takes none.</summary>
    public IEnumerator<T> GetEnumerator()
    {
        lock (_gate)
        {
            return ((IEnumerable<T>)_items.ToArray()).GetEnumerator();
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>Ends the waits of other threads. A poller that has the queue goes on without it.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            Pulse();
        }

        _socket.Dispose();
    }

    private void OnReady(object? sender, NetMQSocketEventArgs e) => _receiveReady?.Invoke(this, _args);

    private void Wait(int milliseconds)
    {
        _waiting++;
        Monitor.Wait(_gate, milliseconds);
        _waiting--;
    }

    // Writers and readers wait on the same object, so that one pulse might wake the wrong one.
    private void Pulse()
    {
        if (_waiting > 0)
        {
            Monitor.PulseAll(_gate);
        }
    }
}
