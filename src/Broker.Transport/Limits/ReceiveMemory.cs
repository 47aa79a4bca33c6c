namespace Broker.Transport;

/// <summary>
/// The part of a <see cref="ReceiveBudget"/> that one connection uses. The object is created when the connection first
/// holds counted memory or waits for it.
/// </summary>
internal sealed class ReceiveMemory
{
    private long _held;

    /// <param name="connection">The connection.</param>
    /// <param name="resume">
    /// Called on the loop when the memory for which the connection waits is reserved for it.
    /// </param>
    internal ReceiveMemory(Connection connection, Action resume)
    {
        Connection = connection;
        Node = new LinkedListNode<ReceiveMemory>(this);
        Resume = resume;
    }

    internal Connection Connection { get; }

    internal Action Resume { get; }

    /// <summary>
    /// The place in a list of waiting connections. The lock of the budget protects this property and the next
    /// properties.
    /// </summary>
    internal LinkedListNode<ReceiveMemory> Node { get; }

    internal long Needed { get; set; }

    internal long WaitsSince { get; set; }

    /// <summary>The bytes that have been reserved since the wait ended.</summary>
    internal long Reserved { get; set; }

    internal int CheckedRound { get; set; } = int.MinValue;

    internal long CheckedBytes { get; set; }

    /// <summary>Whether the connection holds counted or reserved memory. Any thread.</summary>
    internal bool Holds => Volatile.Read(ref _held) + Reserved > 0;

    private ReceiveBudget Budget => Connection.Loop.Group.ReceiveBudget;

    /// <inheritdoc cref="ReceiveBudget.TryAllow"/>
    internal bool TryAllow(long bytes, bool isLarge) => Budget.TryAllow(this, bytes, isLarge);

    /// <summary>
    /// Counts memory that the connection has allocated. A negative number means that it has released memory. On the
    /// loop.
    /// </summary>
    internal void Count(long bytes)
    {
        Volatile.Write(ref _held, _held + bytes);
        Budget.Add(bytes);
    }

    /// <inheritdoc cref="ReceiveBudget.ReleaseReserved"/>
    internal void ReleaseReserved()
    {
        if (Reserved != 0)
        {
            Budget.ReleaseReserved(this);
        }
    }

    /// <summary>A read has ended, so a reservation was either used or not needed. On the loop.</summary>
    internal void EndRead()
    {
        ReleaseReserved();
        if (_held == 0)
        {
            EndFavour();
        }
    }

    /// <summary>
    /// A message is complete. If this connection was allowed to exceed the budget, that permission ends.
    /// </summary>
    internal void EndFavour()
    {
        if (Budget.IsFavoured(this))
        {
            Budget.EndFavour(this);
        }
    }

    /// <inheritdoc cref="ReceiveBudget.Abandon"/>
    internal void Abandon() => Budget.Abandon(this);
}
