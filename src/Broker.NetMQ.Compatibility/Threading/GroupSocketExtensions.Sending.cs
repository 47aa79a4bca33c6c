namespace NetMQ;

/// <summary>Calls by which RADIO sends and DISH receives. Strings are in UTF-8 if no encoding is given.</summary>
public static partial class GroupSocketExtensions
{
    /// <summary>Waits until there is room, and sends bytes to a group.</summary>
    public static void Send(this IGroupOutSocket socket, string group, byte[] data)
        => ThreadSafeTransfer.Send(socket, For(group, ThreadSafeTransfer.Of(data, data.Length)));

    /// <summary>Waits until there is room, and sends the first bytes of an array to a group.</summary>
    public static void Send(this IGroupOutSocket socket, string group, byte[] data, int length)
        => ThreadSafeTransfer.Send(socket, For(group, ThreadSafeTransfer.Of(data, length)));

    /// <summary>Waits until there is room, and sends a string to a group.</summary>
    public static void Send(this IGroupOutSocket socket, string group, string message)
        => ThreadSafeTransfer.Send(socket, For(group, ThreadSafeTransfer.Of(message)));

    /// <summary>Sends the first bytes of an array to a group. Returns false if there was no room in time.</summary>
    public static bool TrySend(this IGroupOutSocket socket, TimeSpan timeout, string group, byte[] data, int length)
        => ThreadSafeTransfer.TrySend(socket, timeout, For(group, ThreadSafeTransfer.Of(data, length)));

    /// <summary>Sends bytes to a group. Returns false if there was no room in time.</summary>
    public static bool TrySend(this IGroupOutSocket socket, TimeSpan timeout, string group, byte[] data)
        => TrySend(socket, timeout, group, data, data.Length);

    /// <summary>Sends bytes to a group. Returns false if there is no room.</summary>
    public static bool TrySend(this IGroupOutSocket socket, string group, byte[] data)
        => TrySend(socket, TimeSpan.Zero, group, data, data.Length);

    /// <summary>Sends the first bytes of an array to a group. Returns false if there is no room.</summary>
    public static bool TrySend(this IGroupOutSocket socket, string group, byte[] data, int length)
        => TrySend(socket, TimeSpan.Zero, group, data, length);

    /// <summary>Sends a string to a group. Returns false if there was no room in time.</summary>
    public static bool TrySend(this IGroupOutSocket socket, TimeSpan timeout, string group, string message)
        => ThreadSafeTransfer.TrySend(socket, timeout, For(group, ThreadSafeTransfer.Of(message)));

    /// <summary>Sends a string to a group. Returns false if there is no room.</summary>
    public static bool TrySend(this IGroupOutSocket socket, string group, string message)
        => TrySend(socket, TimeSpan.Zero, group, message);

    /// <summary>Sends bytes to a group without blocking the thread. Do not change them before the task ends.</summary>
    public static ValueTask SendAsync(this IGroupOutSocket socket, string group, byte[] data)
        => ThreadSafeTransfer.SendAsync(socket, For(group, ThreadSafeTransfer.Of(data, data.Length)));

    /// <summary>Sends the first bytes of an array to a group without blocking the thread.</summary>
    public static ValueTask SendAsync(this IGroupOutSocket socket, string group, byte[] data, int length)
        => ThreadSafeTransfer.SendAsync(socket, For(group, ThreadSafeTransfer.Of(data, length)));

    /// <summary>Sends a string to a group without blocking the thread.</summary>
    public static ValueTask SendAsync(this IGroupOutSocket socket, string group, string message)
        => ThreadSafeTransfer.SendAsync(socket, For(group, ThreadSafeTransfer.Of(message)));

    private static Msg For(string group, Msg msg)
    {
        ArgumentNullException.ThrowIfNull(group);
        msg.Group = group;
        return msg;
    }
}
