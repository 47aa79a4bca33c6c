using System.Collections;
using System.Diagnostics;
using System.Net.Sockets;

namespace NetMQ;

/// <summary>
/// Serves sockets, timers and tasks on one thread: it calls the handlers of what is ready, one at a time. A poller is
/// also a scheduler of tasks, and the continuations of its handlers run on its thread.
/// </summary>
/// <remarks>
/// <para>
/// All members may be called on any thread. A socket that is in a running poller is used only by handlers, tasks and
/// continuations of this poller. The poller may run again after it has stopped; it keeps its sockets and timers. A
/// socket that is disposed leaves the poller.
/// </para>
/// <para>An exception of a handler ends <see cref="Run()"/>, which throws it. It ends the process if the thread is the
/// poller's own.</para>
/// </remarks>
#pragma warning disable CS0618 // NetMQ's poller has this interface too.
public sealed partial class NetMQPoller : TaskScheduler, INetMQPoller, ISocketPollableCollection, IEnumerable, IDisposable
#pragma warning restore CS0618
{
    private readonly WakeSignal _signal = new();
    private readonly PollerSockets _sockets;
    private readonly PollerTimers _timers;
    private readonly PollerHandles _handles;
    private readonly Lock _gate = new();
    private ManualResetEventSlim? _stopped;
    private int _threadId;
    private volatile bool _isStopping;
    private volatile bool _isDisposed;

    /// <summary>Creates a poller, which <see cref="Run()"/> or <see cref="RunAsync()"/> starts.</summary>
    public NetMQPoller()
    {
        _sockets = new PollerSockets(_signal);
        _timers = new PollerTimers(_signal);
        _handles = new PollerHandles(_signal);
    }

    /// <summary>Whether the poller serves its sockets.</summary>
    public bool IsRunning => Volatile.Read(ref _stopped) is not null;

    /// <summary>Whether the poller is disposed.</summary>
    public bool IsDisposed => _isDisposed;

    /// <summary>Adds a socket.</summary>
    /// <exception cref="ArgumentException">The socket is disposed.</exception>
    public void Add(ISocketPollable socket)
    {
        CheckAdded(socket);
        _sockets.Add(socket.Socket);
    }

    /// <summary>Adds a timer, whose interval begins now.</summary>
    public void Add(NetMQTimer timer)
    {
        ArgumentNullException.ThrowIfNull(timer);
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        _timers.Add(timer);
    }

    /// <summary>Adds a socket of the base library.</summary>
    /// <param name="socket">The socket.</param>
    /// <param name="callback">Called on the poller's thread while the socket can be read.</param>
    public void Add(Socket socket, Action<Socket> callback)
    {
        ArgumentNullException.ThrowIfNull(socket);
        ArgumentNullException.ThrowIfNull(callback);
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        _handles.Add(socket, callback);
    }

    /// <summary>Removes a socket, which stays open. A handler call that is in progress is completed.</summary>
    public void Remove(ISocketPollable socket)
    {
        CheckAdded(socket);
        _sockets.Remove(socket.Socket);
    }

    /// <summary>Removes a socket and disposes it on the poller's thread.</summary>
    public void RemoveAndDispose<T>(T socket)
        where T : ISocketPollable, IDisposable
    {
        CheckAdded(socket);
        _sockets.Remove(socket.Socket);
        if (IsRunning)
        {
            Run(socket.Dispose);
        }
        else
        {
            socket.Dispose();
        }
    }

    /// <summary>Removes a timer.</summary>
    public void Remove(NetMQTimer timer)
    {
        ArgumentNullException.ThrowIfNull(timer);
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        _timers.Remove(timer);
    }

    /// <summary>Removes a socket of the base library, which stays open.</summary>
    public void Remove(Socket socket)
    {
        ArgumentNullException.ThrowIfNull(socket);
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        _handles.Remove(socket);
    }

    /// <summary>Returns whether the poller has a socket.</summary>
    public Task<bool> ContainsAsync(ISocketPollable socket)
    {
        ArgumentNullException.ThrowIfNull(socket);
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        return Task.FromResult(_sockets.Contains(socket.Socket));
    }

    /// <summary>Returns whether the poller has a timer.</summary>
    public Task<bool> ContainsAsync(NetMQTimer timer)
    {
        ArgumentNullException.ThrowIfNull(timer);
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        return Task.FromResult(_timers.Contains(timer));
    }

    /// <summary>Returns whether the poller has a socket of the base library.</summary>
    public Task<bool> ContainsAsync(Socket socket)
    {
        ArgumentNullException.ThrowIfNull(socket);
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        return Task.FromResult(_handles.Contains(socket));
    }

    /// <summary>Serves on a new thread, which keeps the process alive.</summary>
    public void RunAsync() => RunAsync("NetMQPollerThread");

    /// <summary>Serves on a new thread, which keeps the process alive.</summary>
    /// <param name="threadName">The name of the thread.</param>
    public void RunAsync(string threadName) => RunAsync(threadName, isBackgroundThread: false);

    /// <summary>Serves on a new thread. The poller runs when the method returns.</summary>
    /// <param name="threadName">The name of the thread.</param>
    /// <param name="isBackgroundThread">Whether the thread lets the process end.</param>
    /// <exception cref="InvalidOperationException">The poller is running.</exception>
    public void RunAsync(string threadName, bool isBackgroundThread)
    {
        ManualResetEventSlim stopped = Begin();
        var thread = new Thread(() => Serve(new PollerSynchronizationContext(this), stopped))
        {
            Name = threadName,
            IsBackground = isBackgroundThread,
        };
        thread.Start();
    }

    /// <summary>Serves on the calling thread until the poller is stopped.</summary>
    /// <exception cref="InvalidOperationException">The poller is running.</exception>
    public void Run() => Run(new PollerSynchronizationContext(this));

    /// <summary>Serves on the calling thread until the poller is stopped.</summary>
    /// <param name="syncContext">Where the continuations of handlers run.</param>
    /// <exception cref="InvalidOperationException">The poller is running.</exception>
    public void Run(SynchronizationContext syncContext)
    {
        ArgumentNullException.ThrowIfNull(syncContext);
        Serve(syncContext, Begin());
    }

    /// <summary>
    /// Stops the poller if it runs. Waits until it has stopped, unless the caller is on the poller's thread.
    /// </summary>
    public void Stop()
    {
        if (RequestStop() is { } stopped && !CanExecuteTaskInline)
        {
            stopped.Wait();
        }
    }

    /// <summary>Stops the poller, and does not wait.</summary>
    /// <exception cref="InvalidOperationException">The poller is not running.</exception>
    public void StopAsync()
    {
        if (RequestStop() is null)
        {
            throw new InvalidOperationException("The poller is not running.");
        }
    }

    /// <summary>Stops the poller if it runs, and releases its sockets, which stay open.</summary>
    /// <exception cref="InvalidOperationException">The caller is on the poller's thread.</exception>
    public void Dispose()
    {
        if (CanExecuteTaskInline)
        {
            throw new InvalidOperationException("A poller cannot be disposed on its own thread: call StopAsync there.");
        }

        ManualResetEventSlim? stopped;
        lock (_gate)
        {
            _isDisposed = true;
            _isStopping = true;
            stopped = _stopped;
        }

        _signal.Wake();
        stopped?.Wait();
        _sockets.Clear();
        _timers.Clear();
        _handles.Clear();
    }

    IEnumerator IEnumerable.GetEnumerator() => Array.Empty<object>().GetEnumerator();

    private void CheckAdded(ISocketPollable socket)
    {
        ArgumentNullException.ThrowIfNull(socket);
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (socket.IsDisposed)
        {
            throw new ArgumentException("The socket is disposed.", nameof(socket));
        }
    }

    private ManualResetEventSlim Begin()
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            if (_stopped is not null)
            {
                throw new InvalidOperationException("The poller is already running.");
            }

            _isStopping = false;
            return _stopped = new ManualResetEventSlim(initialState: false, spinCount: 0);
        }
    }

    // Returns null if the poller does not run.
    private ManualResetEventSlim? RequestStop()
    {
        ManualResetEventSlim? stopped;
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            stopped = _stopped;
            _isStopping = true;
        }

        _signal.Wake();
        return stopped;
    }

    private void Serve(SynchronizationContext syncContext, ManualResetEventSlim stopped)
    {
        SynchronizationContext? before = SynchronizationContext.Current;
        Volatile.Write(ref _threadId, Environment.CurrentManagedThreadId);
        SynchronizationContext.SetSynchronizationContext(syncContext);
        try
        {
            _timers.Restart();
            while (!_isStopping)
            {
                _signal.Reset();
                ServeOnce();
            }

            RunTasks();
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(before);
            Volatile.Write(ref _threadId, 0);
            lock (_gate)
            {
                _stopped = null;
            }

            stopped.Set();
        }
    }

    private void ServeOnce()
    {
        long start = Stopwatch.GetTimestamp();
        _timers.Serve(this);
        bool wasReady = RunTasks();
        wasReady |= _handles.Serve();
        wasReady |= _sockets.Serve(this);
        if (!wasReady && !_isStopping)
        {
            _signal.Wait(_timers.Until(start), start);
        }
    }
}
