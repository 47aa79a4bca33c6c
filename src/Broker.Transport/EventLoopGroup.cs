using System.Buffers;
using System.Runtime.InteropServices;
using Broker.Transport.Buffers;

namespace Broker.Transport;

/// <summary>
/// A few event loops that share their buffers and the connections between them. A process may have several groups;
/// nothing is shared between groups.
/// </summary>
/// <remarks>
/// Thread-safe. Disposing closes all connections at once and ends the threads; do it from no loop's thread. A loop that its caller drives
/// ends on the thread that disposes, which may be the loop's.
/// </remarks>
public sealed class EventLoopGroup : IDisposable
{
    private readonly EventLoop[] _loops;
    private readonly Lock _gate = new();
    private readonly HashSet<Connection> _connections = [];
    private readonly Action<Exception>? _onFault;
    private int _next;
    private bool _disposed;

    /// <summary>Starts the threads, unless <see cref="EventLoopOptions.CallerDriven"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    /// <exception cref="ArgumentException">Several loops are to be driven by their caller.</exception>
    public EventLoopGroup(EventLoopOptions? options = null)
    {
        options ??= new EventLoopOptions();
        ArgumentOutOfRangeException.ThrowIfNegative(options.Loops, nameof(options));
        ArgumentOutOfRangeException.ThrowIfNegative(options.IdlePolls, nameof(options));
        ArgumentOutOfRangeException.ThrowIfNegative(options.BulkPause ?? 0, nameof(options));
        ArgumentOutOfRangeException.ThrowIfNegative(options.MaxBufferedBytes ?? 0, nameof(options));
        ArgumentOutOfRangeException.ThrowIfLessThan(options.ReceiveBufferSize, 4096, nameof(options));
        ArgumentNullException.ThrowIfNull(options.TimeProvider, nameof(options));
        if (options.CallerDriven && options.Loops > 1)
        {
            throw new ArgumentException("A group that its caller drives has one loop, and Loops asks for more.", nameof(options));
        }

        _onFault = options.OnFault;
        TimeProvider = options.TimeProvider;
        ConnectionBudget = options.ConnectionBudget ?? new ConnectionBudget();
        // The runtime opens a file when code first needs an assembly. Under a rush that takes all descriptors it cannot, and
        // remembers that: so what the loops need for the first byte is loaded now.
        GC.KeepAlive(typeof(MemoryExtensions));
        GC.KeepAlive(typeof(Marshal));
        GC.KeepAlive(typeof(ArrayPool<byte>));
        int count = options.CallerDriven ? 1 : options.Loops > 0 ? options.Loops : Math.Clamp(Environment.ProcessorCount / 2, 1, 8);
        // Loops that look for events on every processor would take the time of the programs they wait for.
        int polls = count < Environment.ProcessorCount ? options.IdlePolls : 0;
        MemoryBudget = new MemoryBudget(options.MaxBufferedBytes ?? HeapLimit.MaxBufferedBytes(HeapLimit.Read()), count);
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
            // Out of descriptors, most likely: not the time to keep some.
            foreach (EventLoop? loop in _loops)
            {
                loop?.Abandon();
            }

            throw;
        }

        EventLoop trimming = _loops[0];
        SharedBlocks.TrimLater = () => trimming.Post(trimming.TrimSharedBlocksLater);
        foreach (EventLoop loop in _loops)
        {
            loop.Start();
        }
    }

    /// <summary>What bounds the connections that are accepted for this group; for other listeners of the same program too.</summary>
    public ConnectionBudget ConnectionBudget { get; }

    /// <summary>What the loops' timers go by; see <see cref="EventLoopOptions.TimeProvider"/>.</summary>
    public TimeProvider TimeProvider { get; }

    /// <summary>
    /// The milliseconds that <see cref="EventLoop.LastTick"/> counts, as they are now: for who is on no loop, as the clock is read for it. Any
    /// thread.
    /// </summary>
    public long CurrentTick => EventLoop.ReadTick(TimeProvider);

    /// <summary>How many loops there are.</summary>
    public int Count => _loops.Length;

    /// <summary>
    /// How much memory the connections' stages and queues hold now, in whole blocks: what is written to them and not taken by their
    /// peers, with all that is unused between. A sum over the loops; nothing is counted per message. Any thread, a moment's truth.
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
    /// What bounds <see cref="BufferedBytes"/>, and what protocols keep for their peers beside that; see <see cref="EventLoopOptions.MaxBufferedBytes"/>.
    /// </summary>
    public MemoryBudget MemoryBudget { get; }

    internal SharedBlockPool SharedBlocks { get; }

    /// <summary>The loop of this group whose thread the caller is on; null when there is none.</summary>
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

    /// <summary>The loop that a new connection should go to: each in turn.</summary>
    public EventLoop Next() => _loops[(uint)(Interlocked.Increment(ref _next) - 1) % (uint)_loops.Length];

    /// <summary>
    /// Closes all connections with <see cref="CloseReason.Shutdown"/> and returns when the threads have ended. Where there are none
    /// (<see cref="EventLoopOptions.CallerDriven"/>) handlers are told on the calling thread.
    /// </summary>
    /// <exception cref="InvalidOperationException">
    /// Called on a loop's thread, which would wait for itself; or while a loop that its caller drives is in a turn.
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

    internal void ReportFault(Exception fault)
    {
        try
        {
            _onFault?.Invoke(fault);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // There is nobody left to tell, and a loop must outlive it.
        }
    }
}
