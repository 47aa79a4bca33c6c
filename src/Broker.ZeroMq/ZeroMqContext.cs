using Broker.Transport;

namespace Broker.ZeroMq;

/// <summary>
/// The resources that sockets share: event loops, memory of the queues, and names of inproc endpoints. Thread-safe.
/// </summary>
/// <remarks>
/// A socket that is created without a context creates its own context. All such contexts use the shared loops of the
/// process, which start with the first context and stop with the last. Sockets that connect to each other by
/// <c>inproc://</c> need the same context.
/// </remarks>
public sealed class ZeroMqContext : IDisposable, IAsyncDisposable
{
    private readonly SharedEventLoops? _shared;
    private readonly HashSet<MessageSocket> _sockets = [];
    private readonly Lock _gate = new();
    private bool _isDisposed;

    /// <summary>Creates a context on the shared event loops of the process.</summary>
    public ZeroMqContext()
    {
        _shared = SharedEventLoops.Acquire();
        Loops = _shared.Group;
        Chunks = new MessageChunkPool(Loops.MemoryBudget);
    }

    /// <summary>Creates a context on loops that the caller owns and must dispose after this context.</summary>
    /// <remarks>
    /// If the caller drives the loop (<see cref="EventLoopOptions.CallerDriven"/>), a blocking call needs no other
    /// thread: <c>Send</c>, <c>Receive</c> and <c>Dispose</c> run iterations of the loop while they wait. Only the
    /// thread that ran the loop first may run iterations; on another thread these calls throw
    /// <see cref="InvalidOperationException"/>. <c>TrySend</c> and <c>TryReceive</c> without a timeout and the
    /// asynchronous methods run no iterations: they complete in iterations that other calls run.
    /// </remarks>
    public ZeroMqContext(EventLoopGroup loops)
    {
        ArgumentNullException.ThrowIfNull(loops);
        Loops = loops;
        Chunks = new MessageChunkPool(Loops.MemoryBudget);
    }

    /// <summary>The event loops that serve the sockets. Each new socket gets the next loop.</summary>
    public EventLoopGroup Loops { get; }

    /// <summary>
    /// The names of the <c>inproc://</c> endpoints. A loop socket that uses the same object can connect to this
    /// context's sockets.
    /// </summary>
    public InprocNames Inproc { get; } = new();

    /// <summary>
    /// The memory that the send and receive queues of the sockets hold, in bytes. Memory is counted in whole chunks.
    /// The value may be out of date at once.
    /// </summary>
    public long BufferedBytes => Chunks.Outstanding;

    /// <summary>The clock that measures the timeouts of blocking calls.</summary>
    internal TimeProvider Clock { get; init; } = TimeProvider.System;

    internal MessageChunkPool Chunks { get; }

    /// <summary>
    /// Closes the sockets that are still open, all at the same time, each with its linger time. Also waits for disposed
    /// sockets that are still sending, so that it takes as long as the longest of the linger times. Drops messages for
    /// inproc endpoints that were never bound. Must not be called on a loop's thread.
    /// </summary>
    public void Dispose()
    {
        if (!TryBeginDisposal(out MessageSocket[] left))
        {
            return;
        }

        Array.ForEach(left, static socket => _ = socket.CloseAsync());
        Array.ForEach(left, static socket => socket.WaitUntilClosed());
        _shared?.Dispose();
    }

    /// <summary>Closes the context as <see cref="Dispose"/> does, without blocking the calling thread.</summary>
    public async ValueTask DisposeAsync()
    {
        if (TryBeginDisposal(out MessageSocket[] left))
        {
            await Task.WhenAll(left.Select(static socket => socket.CloseAsync())).ConfigureAwait(false);
            _shared?.Dispose();
        }
    }

    private bool TryBeginDisposal(out MessageSocket[] left)
    {
        lock (_gate)
        {
            left = [.. _sockets];
            if (_isDisposed)
            {
                return false;
            }

            _isDisposed = true;
        }

        Inproc.Dispose();
        return true;
    }

    internal void Add(MessageSocket socket)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            _sockets.Add(socket);
        }
    }

    internal void Remove(MessageSocket socket)
    {
        lock (_gate)
        {
            _sockets.Remove(socket);
        }
    }
}
