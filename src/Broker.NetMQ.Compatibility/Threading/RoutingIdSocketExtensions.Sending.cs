namespace NetMQ;

/// <summary>Calls by which a SERVER sends and receives. Strings are in UTF-8 if no encoding is given.</summary>
public static partial class RoutingIdSocketExtensions
{
    /// <summary>Waits until there is room, and sends bytes to a peer.</summary>
    public static void Send(this IRoutingIdSocket socket, uint routingId, byte[] data)
        => ThreadSafeTransfer.Send(socket, For(routingId, ThreadSafeTransfer.Of(data, data.Length)));

    /// <summary>Waits until there is room, and sends the first bytes of an array to a peer.</summary>
    public static void Send(this IRoutingIdSocket socket, uint routingId, byte[] data, int length)
        => ThreadSafeTransfer.Send(socket, For(routingId, ThreadSafeTransfer.Of(data, length)));

    /// <summary>Waits until there is room, and sends a string to a peer.</summary>
    public static void Send(this IRoutingIdSocket socket, uint routingId, string message)
        => ThreadSafeTransfer.Send(socket, For(routingId, ThreadSafeTransfer.Of(message)));

    /// <summary>Sends the first bytes of an array to a peer. Returns false if there was no room in time.</summary>
    public static bool TrySend(
        this IRoutingIdSocket socket, TimeSpan timeout, uint routingId, byte[] data, int length)
        => ThreadSafeTransfer.TrySend(socket, timeout, For(routingId, ThreadSafeTransfer.Of(data, length)));

    /// <summary>Sends bytes to a peer. Returns false if there was no room in time.</summary>
    public static bool TrySend(this IRoutingIdSocket socket, TimeSpan timeout, uint routingId, byte[] data)
        => TrySend(socket, timeout, routingId, data, data.Length);

    /// <summary>Sends bytes to a peer. Returns false if there is no room.</summary>
    public static bool TrySend(this IRoutingIdSocket socket, uint routingId, byte[] data)
        => TrySend(socket, TimeSpan.Zero, routingId, data, data.Length);

    /// <summary>Sends the first bytes of an array to a peer. Returns false if there is no room.</summary>
    public static bool TrySend(this IRoutingIdSocket socket, uint routingId, byte[] data, int length)
        => TrySend(socket, TimeSpan.Zero, routingId, data, length);

    /// <summary>Sends a string to a peer. Returns false if there was no room in time.</summary>
    public static bool TrySend(this IRoutingIdSocket socket, TimeSpan timeout, uint routingId, string message)
        => ThreadSafeTransfer.TrySend(socket, timeout, For(routingId, ThreadSafeTransfer.Of(message)));

    /// <summary>Sends a string to a peer. Returns false if there is no room.</summary>
    public static bool TrySend(this IRoutingIdSocket socket, uint routingId, string message)
        => TrySend(socket, TimeSpan.Zero, routingId, message);

    /// <summary>Sends bytes to a peer without blocking the thread. They must not change before the task ends.</summary>
    public static ValueTask SendAsync(this IRoutingIdSocket socket, uint routingId, byte[] data)
        => ThreadSafeTransfer.SendAsync(socket, For(routingId, ThreadSafeTransfer.Of(data, data.Length)));

    /// <summary>Sends the first bytes of an array to a peer without blocking the thread.</summary>
    public static ValueTask SendAsync(this IRoutingIdSocket socket, uint routingId, byte[] data, int length)
        => ThreadSafeTransfer.SendAsync(socket, For(routingId, ThreadSafeTransfer.Of(data, length)));

    /// <summary>Sends a string to a peer without blocking the thread.</summary>
    public static ValueTask SendAsync(this IRoutingIdSocket socket, uint routingId, string message)
        => ThreadSafeTransfer.SendAsync(socket, For(routingId, ThreadSafeTransfer.Of(message)));

    private static Msg For(uint routingId, Msg msg)
    {
        msg.RoutingId = routingId;
        return msg;
    }
}
