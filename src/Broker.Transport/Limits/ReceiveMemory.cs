namespace Broker.Transport;

/// <summary>
/// The part of a <see cref="ReceiveBudget"/> that one connection uses. Created when the connection first holds counted
/// memory or waits for it.
/// </summary>
internal sealed class ReceiveMemory
{
    private long _held;

    /// <param name="connection">The connection.</param>
    /// <param name="resume">Called on the loop when the memory that the connection waits for is reserved for it.</param>
    internal ReceiveMemory(Connection connection, Action resume)
    {
        Connection = connection;
        Node = new LinkedListNode<ReceiveMemory>(this);
        Resume = resume;
    }

    internal Connection Connection { get; }

    internal Action Resume { get; }

    /// <summary>The place in a list of those that wait. This and the following belong to the budget's gate.</summary>
    internal LinkedListNode<ReceiveMemory> Node { get; }

    internal long Needed { get; set; }

    internal long WaitsSince { get; set; }

    /// <summary>The bytes that are reserved since the wait ended.</summary>
    internal long Reserved { get; set; }

    internal int CheckedRound { get; set; } = int.MinValue;

    internal long CheckedBytes { get; set; }

    /// <summary>Whether the connection holds counted or reserved memory. Any thread.</summary>
    internal bool Holds => Volatile.Read(ref _held) + Reserved > 0;

    private ReceiveBudget Budget => Connection.Loop.Group.ReceiveBudget;

    /// <inheritdoc cref="ReceiveBudget.TryAllow"/>
    internal bool TryAllow(long bytes, bool isLarge) => Budget.TryAllow(this, bytes, isLarge);

    /// <summary>Counts memory that the connection has allocated or, if negative, released. On the loop.</summary>
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

    /// <summary>A read has ended: a reservation was used, or was not needed. On the loop.</summary>
    internal void EndRead()
    {
        ReleaseReserved();
        if (_held == 0)
        {
            EndFavour();
        }
    }

    /// <summary>A message is complete.</summary>
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
