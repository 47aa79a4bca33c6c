using System.Buffers;
using System.Runtime.InteropServices;

namespace Broker.Transport;

/// <summary>
/// Some event loops that share their buffers and distribute connections among each other. A process may have several
/// groups; groups share nothing.
/// </summary>
/// <remarks>
/// Thread-safe. Disposing closes all connections at once and ends the threads; do not dispose on a loop's thread. A
/// caller-driven loop ends on the thread that disposes, which may be the loop's thread.
/// </remarks>
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
    /// <see cref="EventLoopOptions.CallerDriven"/> is set and several loops are asked for.
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
        // The runtime opens a file when code first needs an assembly. If many connections have taken all descriptors,
        // it cannot, and remembers the failure. So everything that the loops need for the first byte is loaded now.
        GC.KeepAlive(typeof(MemoryExtensions));
        GC.KeepAlive(typeof(Marshal));
        GC.KeepAlive(typeof(ArrayPool<byte>));
        int count = options.CallerDriven ? 1 : options.Loops > 0 ? options.Loops : Math.Clamp(Environment.ProcessorCount / 2, 1, 8);
        // Loops that poll on every processor would take time from the programs that they wait for.
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
            // The process is probably out of descriptors, so the other loops release theirs.
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
    /// Limits the connections that are accepted for this group. Other listeners of the same program may use it too.
    /// </summary>
    public ConnectionBudget ConnectionBudget { get; }

    /// <summary>The clock of the loops' timers; see <see cref="EventLoopOptions.TimeProvider"/>.</summary>
    public TimeProvider TimeProvider { get; }

    /// <summary>
    /// The current value of the milliseconds that <see cref="EventLoop.LastTick"/> counts: for callers that are not on
    /// a loop, because each call reads the clock. Any thread.
    /// </summary>
    public long CurrentTick => TimerQueue.ReadTick(TimeProvider);

    /// <summary>The number of loops.</summary>
    public int Count => _loops.Length;

    /// <summary>
    /// How much memory the connections' write buffers and queues use now, in whole blocks: written bytes that the
    /// peers have not accepted, and all unused space between them. A sum over the loops; nothing is counted per
    /// message. Any thread; the value may change at once.
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
    /// Limits <see cref="BufferedBytes"/> together with what protocols buffer for their peers; see
    /// <see cref="EventLoopOptions.MaxBufferedBytes"/>.
    /// </summary>
    public MemoryBudget MemoryBudget { get; }

    /// <summary>Limits the memory of unfinished received messages; see <see cref="EventLoopOptions.MaxReceivedBytes"/>.</summary>
    public ReceiveBudget ReceiveBudget { get; }

    internal SharedBlockPool SharedBlocks { get; }

    /// <summary>
    /// The loop of this group on whose thread the caller is; null if the caller is on no loop's thread.
    /// </summary>
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

    /// <summary>Returns the loop for a new connection, each loop in rotation.</summary>
    public EventLoop Next() => _loops[(uint)(Interlocked.Increment(ref _next) - 1) % (uint)_loops.Length];

    /// <summary>
    /// Posts work to one loop after the other and waits until it has run: for health checks and watchdogs. A loop that
    /// a handler blocks does not respond. Any thread; a caller on a loop's thread must await the task.
    /// </summary>
    /// <param name="cancellationToken">Limits the wait, which has no other limit.</param>
    /// <returns>True if every loop has run its work; false if a loop has ended.</returns>
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
    /// Closes all connections with <see cref="CloseReason.Shutdown"/> and returns when the threads have ended. If the
    /// group is caller-driven, handlers are called on the calling thread.
    /// </summary>
    /// <exception cref="InvalidOperationException">
    /// The caller is on a loop's thread, which would wait for itself, or a caller-driven loop is in an iteration.
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
            // Nobody is left to report it to, and the loop must continue.
        }
    }
}
