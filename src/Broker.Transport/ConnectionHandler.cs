namespace Broker.Transport;

/// <summary>
/// Implements the protocol of a connection. All methods run on the connection's event loop, one at a time, and must not
/// block. If a method throws an exception, the connection closes with <see cref="CloseReason.Error"/>.
/// </summary>
public abstract class ConnectionHandler
{
    /// <summary>
    /// The connection is established, and bytes can be written to it. Called once, before all other methods, even if
    /// the connection is closed at the same time.
    /// </summary>
    public virtual void OnOpened(Connection connection)
    {
    }

    /// <summary>Bytes were received.</summary>
    /// <param name="connection">The connection.</param>
    /// <param name="bytes">
    /// The bytes that earlier calls left unconsumed, followed by the new bytes. The memory is borrowed: it is used
    /// again after the method returns.
    /// </param>
    /// <param name="needed">
    /// The number of bytes, counted from the first unconsumed byte, that the handler needs before its next call. The
    /// value on entry is 0, which means that the number is unknown. The transport collects this number of bytes before
    /// the next call. Its buffer grows only as bytes really arrive. The handler must check the number against a limit
    /// before it sets it, because the transport accepts any number.
    /// </param>
    /// <returns>The number of consumed bytes, counted from the start of <paramref name="bytes"/>.</returns>
    public abstract int OnReceived(Connection connection, ReadOnlySpan<byte> bytes, ref int needed);

    /// <summary>The outbound queue is empty again after it had to wait for the peer.</summary>
    public virtual void OnDrained(Connection connection)
    {
    }

    /// <summary>
    /// Bytes that were written for the connection are discarded without having been queued, because the connection is
    /// closed or about to close. A handler can count the lost messages here. Called on the thread that flushes, before
    /// or after <see cref="OnClosed"/>.
    /// </summary>
    /// <param name="connection">The connection.</param>
    /// <param name="written">
    /// Whole messages. Each of them was written through one call of <see cref="LoopWriteBuffer.GetSpan"/>. The memory
    /// is borrowed until the method returns.
    /// </param>
    public virtual void OnDiscarded(Connection connection, ReadOnlySpan<byte> written)
    {
    }

    /// <summary>
    /// The outbound queue was above <see cref="Connection.LowWaterBytes"/> and has fallen to this mark, or
    /// <see cref="Connection.RequestLowWater"/> asked for this call.
    /// </summary>
    public virtual void OnLowWater(Connection connection)
    {
    }

    /// <summary>
    /// The connection is closed. Called once, after all other methods. Later writes are discarded. The memory of the
    /// queue is released only after this method returns, because this method can still count the queue
    /// (<see cref="Connection.CountUnsent"/>). So if this method notifies another thread, that thread may still see the
    /// queue's memory in <see cref="EventLoopGroup.BufferedBytes"/>.
    /// </summary>
    public abstract void OnClosed(Connection connection, CloseReason reason, Exception? error);
}
