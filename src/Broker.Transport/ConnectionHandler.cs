namespace Broker.Transport;

/// <summary>
/// The protocol of a connection. All methods run on the connection's event loop, one at a time, and must not block. An
/// exception that a method throws closes the connection with <see cref="CloseReason.Error"/>.
/// </summary>
public abstract class ConnectionHandler
{
    /// <summary>
    /// The connection is established and can be written to. Called once, before all other methods, even if the
    /// connection is closed at the same time.
    /// </summary>
    public virtual void OnOpened(Connection connection)
    {
    }

    /// <summary>Bytes were received.</summary>
    /// <param name="connection">The connection.</param>
    /// <param name="bytes">
    /// The bytes that earlier calls left unconsumed, followed by the new ones. Borrowed: the memory is reused after
    /// the method returns.
    /// </param>
    /// <param name="needed">
    /// The method may set it to the number of bytes, counted from the first unconsumed one, that it needs before its
    /// next call; 0 (the value on entry) if unknown. The transport collects that many bytes before it calls again. Its
    /// buffer grows only as bytes really arrive. Check the number against a limit first: the transport collects
    /// whatever is asked for.
    /// </param>
    /// <returns>How many bytes were consumed, from the start of <paramref name="bytes"/>.</returns>
    public abstract int OnReceived(Connection connection, ReadOnlySpan<byte> bytes, ref int needed);

    /// <summary>The outbound queue had to wait for the peer and is empty again.</summary>
    public virtual void OnDrained(Connection connection)
    {
    }

    /// <summary>
    /// Bytes that were written for the connection are discarded without having been queued, because the connection is
    /// closed or about to close: for counting what was lost. Called on the thread that flushes, before or after
    /// <see cref="OnClosed"/>.
    /// </summary>
    /// <param name="connection">The connection.</param>
    /// <param name="written">
    /// Whole messages, each written through one call of <see cref="LoopWriteBuffer.GetSpan"/>. Borrowed until the return.
    /// </param>
    public virtual void OnDiscarded(Connection connection, ReadOnlySpan<byte> written)
    {
    }

    /// <summary>
    /// The outbound queue was above <see cref="Connection.LowWaterBytes"/> and has fallen to it, or
    /// <see cref="Connection.RequestLowWater"/> asked for this call.
    /// </summary>
    public virtual void OnLowWater(Connection connection)
    {
    }

    /// <summary>
    /// The connection is closed. Called once, after all other methods; later writes are discarded. The memory of the
    /// queue is released after this method returns, because the method can still count it
    /// (<see cref="Connection.CountUnsent"/>). So another thread that this method notifies may still see that memory
    /// in <see cref="EventLoopGroup.BufferedBytes"/>.
    /// </summary>
    public abstract void OnClosed(Connection connection, CloseReason reason, Exception? error);
}
