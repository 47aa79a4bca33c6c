using Broker.Transport;
using Broker.ZeroMq.Endpoints;
using Broker.ZeroMq.Queues;

namespace Broker.ZeroMq;

/// <summary>
/// What sockets share: the event loops that serve them, the memory of their queues, and the names of inproc endpoints. Thread-safe.
/// </summary>
/// <remarks>
/// A socket that is made without a context has one of its own. All of those use the process's shared loops, which start with the
/// first and end with the last. Sockets that talk to each other by <c>inproc://</c> need the same context.
/// </remarks>
public sealed class ZeroMqContext : IDisposable
{
    private readonly SharedEventLoops? _shared;
    private readonly HashSet<MessageSocket> _sockets = [];
    private readonly Lock _gate = new();
    private bool _isDisposed;

    /// <summary>Uses the loops that all who bring none share.</summary>
    public ZeroMqContext()
    {
        _shared = SharedEventLoops.Acquire();
        Loops = _shared.Group;
        Chunks = new ChunkPool(Loops.HeldBudget);
    }

    /// <summary>Uses loops that somebody else owns, and disposes after this context.</summary>
    /// <remarks>
    /// With a loop that its caller drives (<see cref="EventLoopOptions.CallerDriven"/>) no thread is between a blocking call and the kernel:
    /// <c>Send</c>, <c>Receive</c> and <c>Dispose</c> turn the loop while they wait, on the thread that turned it first and on no other, which
    /// throws <see cref="InvalidOperationException"/>. What is only tried or awaited is served in whatever turns there are.
    /// </remarks>
    public ZeroMqContext(EventLoopGroup loops)
    {
        ArgumentNullException.ThrowIfNull(loops);
        Loops = loops;
        Chunks = new ChunkPool(Loops.HeldBudget);
    }

    /// <summary>The loops that serve its sockets, each one socket after the other.</summary>
    public EventLoopGroup Loops { get; }

    /// <summary>The names of its <c>inproc://</c> endpoints. Loop sockets that are given them talk to its sockets.</summary>
    public InprocNames Inproc { get; } = new();

    /// <summary>The memory that waits in its sockets' own queues, in whole blocks. A moment's truth.</summary>
    public long HeldBytes => Chunks.Outstanding;

    /// <summary>What the times of blocking calls go by.</summary>
    internal TimeProvider Clock { get; init; } = TimeProvider.System;

    internal ChunkPool Chunks { get; }

    /// <summary>
    /// Closes the sockets that are still open, each with its linger; what waits for an inproc endpoint that nobody has bound is dropped.
    /// Not on a loop's thread.
    /// </summary>
    public void Dispose()
    {
        MessageSocket[] left;
        lock (_gate)
        {
            if (_isDisposed)
            {
                return;
            }

            _isDisposed = true;
            left = [.. _sockets];
        }

        Inproc.Dispose();
        foreach (var socket in left)
        {
            socket.Dispose();
        }

        _shared?.Dispose();
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
