namespace NetMQ.Sockets;

/// <summary>DISH: receives from the groups that it has joined.</summary>
public class DishSocket : ThreadSafeSocket, IGroupInSocket
{
    /// <summary>Creates a socket.</summary>
    public DishSocket()
        : base(ZmqSocketType.Dish)
    {
    }

    /// <summary>Joins a group.</summary>
    /// <exception cref="InvalidException">The group is joined already, or its name has over 255 bytes.</exception>
    public void Join(string group)
    {
        ArgumentNullException.ThrowIfNull(group);
        _ = Started;
        ((DishPattern)Pattern).Join(group);
        Settle();
    }

    /// <summary>Leaves a group.</summary>
    /// <exception cref="InvalidException">The group is not joined.</exception>
    public void Leave(string group)
    {
        ArgumentNullException.ThrowIfNull(group);
        _ = Started;
        ((DishPattern)Pattern).Leave(group);
        Settle();
    }
}
