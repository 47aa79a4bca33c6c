using System.Buffers;
using System.Runtime.InteropServices;

namespace Broker.Transport;

/// <summary>
/// One or more event loops that share their buffers and distribute new connections among each other. A process may have
/// several groups. Groups share nothing with each other.
/// </summary>
/// <remarks>
/// Thread-safe. Disposing the group closes all connections at once and ends the threads. Do not dispose it on a loop's
/// thread. A caller-driven loop ends on the thread that disposes the group, which may be the loop's thread.
/// </remarks>
/// <example><code>
/// using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 2 });
/// </code></example>
public sealed class EventLoopGroup : IDisposable
{
    private readonly EventLoop[] _loops;
    private readonly Lock _gate = new();
    private readonly HashSet<Connection> _connections = [];
    private readonly Action<Exception>? _onFault;
    private int _next;
    private bool _disposed;

    /// <summary>
    /// Creates the loops and starts their threads, unless <see cref="EventLoopOptions.CallerDriven"/> is set.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    /// <exception cref="ArgumentException">
    /// <see cref="EventLoopOptions.CallerDriven"/> is set, and <see cref="EventLoopOptions.Loops"/> is more than 1.
    /// </exception>
    public EventLoopGroup(EventLoopOptions? options = null)
    {
        options ??= new EventLoopOptions();
        ArgumentOutOfRangeException.ThrowIfNegative(options.Loops, nameof(options));
        ArgumentOutOfRangeException.ThrowIfNegative(options.IdlePolls, nameof(options));
        ArgumentOutOfRangeException.ThrowIfNegative(options.BulkPause ?? 0, nameof(options));
        ArgumentOutOfRangeException.ThrowIfNegative(options.MaxBufferedBytes ?? 0, nameof(options));
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(options.MaxReceivedBytes ?? 1, nameof(options));
        ArgumentOutOfRangeException.ThrowIfLessThan(options.ReceiveBufferSize, 4096, nameof(options));
        ArgumentNullException.ThrowIfNull(options.TimeProvider, nameof(options));
        if (options.CallerDriven && options.Loops > 1)
        {
            throw new ArgumentException("CallerDriven allows one loop only, but Loops asks for more.", nameof(options));
        }

        _onFault = options.OnFault;
        TimeProvider = options.TimeProvider;
        ConnectionBudget = options.ConnectionBudget ?? new ConnectionBudget();
        // The runtime opens a file when code first needs an assembly. If connections have taken all file descriptors,
        // it cannot open the file, and remembers this failure. So the assemblies that the loops need for the first byte
        // are loaded now.
        GC.KeepAlive(typeof(MemoryExtensions));
        GC.KeepAlive(typeof(Marshal));
        GC.KeepAlive(typeof(ArrayPool<byte>));
        int count = options.CallerDriven ? 1 : options.Loops > 0 ? options.Loops : Math.Clamp(Environment.ProcessorCount / 2, 1, 8);
        // If there are as many loops as processors, the loops do not poll: polling would take processor time from the
        // programs for whose bytes they wait.
        int polls = count < Environment.ProcessorCount ? options.IdlePolls : 0;
        MemoryBudget = new MemoryBudget(options.MaxBufferedBytes ?? HeapLimit.MaxBufferedBytes(HeapLimit.Read()), count);
        ReceiveBudget = new ReceiveBudget(this, options.MaxReceivedBytes, options.ReceiveWaitLimit, options.ReceiveStallLimit);
        SharedBlocks = new SharedBlockPool(MemoryBudget);
        _loops = new EventLoop[count];
        try
        {
            for (int i = 0; i < count; i++)
            {
                _loops[i] = new EventLoop(this, i, options, polls);
            }
        }
        catch
        {
            // The process has probably no free descriptors. So the loops that were created release theirs.
            foreach (EventLoop? loop in _loops)
            {
                loop?.Abandon();
            }

            throw;
        }

        var trimmer = new BlockTrimmer(_loops[0], SharedBlocks.Trim, SharedBlocks.Discarder);
        SharedBlocks.TrimLater = () => _loops[0].Post(trimmer.StartLater);
        foreach (EventLoop loop in _loops)
        {
            loop.Start();
        }
    }

    /// <summary>
    /// Limits the connections that are accepted for this group. Other listeners of the same program may use the same
    /// budget.
    /// </summary>
    public ConnectionBudget ConnectionBudget { get; }

    /// <summary>The clock of the loops' timers; see <see cref="EventLoopOptions.TimeProvider"/>.</summary>
    public TimeProvider TimeProvider { get; }

    /// <summary>
    /// The current time in the same milliseconds as <see cref="EventLoop.LastTick"/>. This is for callers that are not
    /// on a loop, because each call reads the clock. Any thread.
    /// </summary>
    public long CurrentTick => TimerQueue.ReadTick(TimeProvider);

    /// <summary>The number of loops.</summary>
    public int Count => _loops.Length;

    /// <summary>
    /// The memory that the connections' write buffers and queues use now, in whole blocks: the written bytes that the
    /// peers have not accepted, and all unused space between these bytes. It is a sum over the loops, and nothing is
    /// counted for each message. Any thread. The value may change at any time.
    /// </summary>
    public long BufferedBytes
    {
        get
        {
            long bytes = SharedBlocks.RentedBytes;
            foreach (EventLoop loop in _loops)
            {
                bytes += loop.Blocks.RentedBytes;
            }

            return bytes;
        }
    }

    /// <summary>
    /// Limits the sum of <see cref="BufferedBytes"/> and of the bytes that protocols buffer for their peers. See
    /// <see cref="EventLoopOptions.MaxBufferedBytes"/>.
    /// </summary>
    public MemoryBudget MemoryBudget { get; }

    /// <summary>
    /// Limits the memory of unfinished received messages. See <see cref="EventLoopOptions.MaxReceivedBytes"/>.
    /// </summary>
    public ReceiveBudget ReceiveBudget { get; }

    internal SharedBlockPool SharedBlocks { get; }

    /// <summary>The loop of this group whose thread is the caller's thread; null if there is no such loop.</summary>
    public EventLoop? Current
    {
        get
        {
            foreach (EventLoop loop in _loops)
            {
                if (loop.IsCurrent)
                {
                    return loop;
                }
            }

            return null;
        }
    }

    /// <summary>The loop at <paramref name="index"/>.</summary>
    public EventLoop this[int index] => _loops[index];

    /// <summary>Returns the loop for a new connection. The method returns the loops in rotation.</summary>
    public EventLoop Next() => _loops[(uint)(Interlocked.Increment(ref _next) - 1) % (uint)_loops.Length];

    /// <summary>
    /// Posts an action to one loop after the other, and waits until each action has run. This is for health checks and
    /// watchdogs. A loop does not respond while a handler blocks it. Any thread. A caller on a loop's thread must await
    /// the task.
    /// </summary>
    /// <param name="cancellationToken">Limits the wait, which has no other time limit.</param>
    /// <returns>True if every loop has run its action. False if a loop has ended.</returns>
    /// <exception cref="OperationCanceledException">A loop has not responded in time.</exception>
    public async Task<bool> IsRespondingAsync(CancellationToken cancellationToken = default)
    {
        foreach (EventLoop loop in _loops)
        {
            var responded = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            if (!loop.TryPost(() => responded.TrySetResult()))
            {
                return false;
            }

            await responded.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
        }

        return true;
    }

    /// <summary>
    /// Closes all connections with <see cref="CloseReason.Shutdown"/>, and returns when the threads have ended. In a
    /// caller-driven group, handlers are called on the calling thread.
    /// </summary>
    /// <exception cref="InvalidOperationException">
    /// The caller is on a loop's thread, which would wait for itself. Or a caller-driven loop is in an iteration.
    /// </exception>
    public void Dispose()
    {
        if (_loops[0].IsCallerDriven)
        {
            EndDriven(_loops[0]);
            return;
        }

        if (Current is not null)
        {
            throw new InvalidOperationException("A group of event loops cannot be disposed on the thread of one of them.");
        }

        lock (_gate)
        {
            if (_disposed)
            {
                return;
            }

            _disposed = true;
        }

        foreach (EventLoop loop in _loops)
        {
            loop.Stop();
        }

        foreach (EventLoop loop in _loops)
        {
            loop.Join();
        }
    }

    private void EndDriven(EventLoop loop)
    {
        if (!loop.TryBeginEnd())
        {
            return;
        }

        lock (_gate)
        {
            _disposed = true;
        }

        loop.EndDriven();
    }

    internal bool IsDisposed
    {
        get
        {
            lock (_gate)
            {
                return _disposed;
            }
        }
    }

    internal void Add(Connection connection)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            _connections.Add(connection);
        }
    }

    internal void Remove(Connection connection)
    {
        lock (_gate)
        {
            _connections.Remove(connection);
        }
    }

    internal Connection[] ConnectionsOf(EventLoop loop)
    {
        lock (_gate)
        {
            return [.. _connections.Where(c => c.Loop == loop)];
        }
    }

    internal Connection[] FindConnections(Func<Connection, bool> condition)
    {
        lock (_gate)
        {
            return [.. _connections.Where(condition)];
        }
    }

    internal void ReportFault(Exception fault)
    {
        try
        {
            _onFault?.Invoke(fault);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // The fault handler itself has failed, so nobody can receive its exception. The loop must continue.
        }
    }
}
