using System.Runtime.CompilerServices;

namespace Broker.Transport;

/// <summary>
/// The write buffers of one connection: one for each loop that has written to it, and one for other threads.
/// </summary>
internal struct WriteBufferSet(int loops)
{
    private readonly LoopWriteBuffer?[] _ofLoops = new LoopWriteBuffer?[loops];
    private LoopWriteBuffer? _external;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly LoopWriteBuffer Get(Connection connection, EventLoop loop)
        => _ofLoops[loop.Index] ?? Create(connection, loop);

    /// <summary>Returns the buffer of a loop if it contains bytes.</summary>
    internal readonly LoopWriteBuffer? GetWritten(EventLoop loop)
    {
        ArgumentNullException.ThrowIfNull(loop);
        return _ofLoops[loop.Index] is { Length: > 0 } buffer ? buffer : null;
    }

    /// <summary>Flushes and sends the bytes that a loop has written.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly void Flush(EventLoop loop, OutboundSender sender)
    {
        if (GetWritten(loop) is { } buffer)
        {
            sender.Flush(buffer, loop);
        }
    }

    /// <summary>Flushes and sends the bytes that other threads have written.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly void FlushExternal(OutboundSender sender)
    {
        if (_external is { Length: > 0 } buffer)
        {
            sender.Flush(buffer, null);
        }
    }

    internal LoopWriteBuffer GetExternal(Connection connection)
    {
        if (_external is { } existing)
        {
            return existing;
        }

        var created = new LoopWriteBuffer(connection, null);
        return Interlocked.CompareExchange(ref _external, created, null) ?? created;
    }

    /// <inheritdoc cref="Connection.TakeUnsent"/>
    internal readonly void TakeUnsent(Connection connection, IUnsentMessages unsent)
    {
        ArgumentNullException.ThrowIfNull(unsent);
        if (connection.Framing is { } framing)
        {
            // The bytes in the queue are older than the bytes in the write buffer, so they come first.
            connection.Outbound.Messages.VisitUnsent(framing, unsent);
            GetWritten(connection.Loop)?.TakeUnsent(framing, unsent);
        }
    }

    private readonly LoopWriteBuffer Create(Connection connection, EventLoop loop)
    {
        if (loop.Group != connection.Loop.Group)
        {
            throw new ArgumentException("The loop is of another group than the connection.", nameof(loop));
        }

        loop.RequireCurrent();
        return _ofLoops[loop.Index] = new LoopWriteBuffer(connection, loop);
    }
}
