namespace Broker.Transport;

/// <summary>
/// What a protocol does with a connection. All methods run on the connection's event loop, one at a time;
/// none may block. An exception that escapes closes the connection with <see cref="CloseReason.Error"/>.
/// </summary>
public abstract class ConnectionHandler
{
    /// <summary>
    /// The connection is established and may be written to. Called once, before anything else, also when it is closed at the same time.
    /// </summary>
    public virtual void OnOpened(Connection connection)
    {
    }

    /// <summary>Bytes have arrived.</summary>
    /// <param name="connection">The connection.</param>
    /// <param name="bytes">
    /// What was left unconsumed before, followed by what is new. Borrowed: the memory is reused after the return.
    /// </param>
    /// <param name="needed">
    /// Set to the total number of bytes, counted from the first unconsumed one, before which another call is pointless;
    /// 0 (the value on entry) when unknown. The transport then collects that many before it calls again, growing its
    /// buffer only as bytes really arrive. Check it against a limit first: whatever is asked for is collected.
    /// </param>
    /// <returns>How many bytes were consumed, from the start.</returns>
    public abstract int OnReceived(Connection connection, ReadOnlySpan<byte> bytes, ref int needed);

    /// <summary>
    /// The outbound queue is empty again after it had been held up by the peer.
    /// </summary>
    public virtual void OnDrained(Connection connection)
    {
    }

    /// <summary>
    /// Bytes that were written for the connection are discarded without having been queued: it is closed, or about to be. For
    /// counting what was lost. Called on the thread that hands over, whichever it is, before or after <see cref="OnClosed"/>.
    /// </summary>
    /// <param name="connection">The connection.</param>
    /// <param name="written">Whole pieces, as a writer asked <see cref="OutboundStage.GetSpan"/> for them. Borrowed until the return.</param>
    public virtual void OnDiscarded(Connection connection, ReadOnlySpan<byte> written)
    {
    }

    /// <summary>
    /// The outbound queue has fallen to <see cref="Connection.LowWaterBytes"/> after it had been above, or
    /// <see cref="Connection.RequestLowWater"/> asked for this call.
    /// </summary>
    public virtual void OnLowWater(Connection connection)
    {
    }

    /// <summary>
    /// The connection is gone. Called once, last; writes are discarded from now on. What was queued can be counted here
    /// (<see cref="Connection.CountUnsent"/>), so its memory is given back after the return: who is told of the end from here, on another
    /// thread, may still find it in <see cref="EventLoopGroup.HeldBytes"/>.
    /// </summary>
    public abstract void OnClosed(Connection connection, CloseReason reason, Exception? error);
}
