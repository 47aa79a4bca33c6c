namespace NetMQ;

/// <summary>Calls of the sockets that send. Strings are encoded in UTF-8.</summary>
public static class SendThreadSafeSocketExtensions
{
    /// <summary>Waits until there is room, and sends bytes.</summary>
    public static void Send(this IThreadSafeOutSocket socket, byte[] data)
        => ThreadSafeTransfer.Send(socket, ThreadSafeTransfer.Of(data, data.Length));

    /// <summary>Waits until there is room, and sends the first bytes of an array.</summary>
    public static void Send(this IThreadSafeOutSocket socket, byte[] data, int length)
        => ThreadSafeTransfer.Send(socket, ThreadSafeTransfer.Of(data, length));

    /// <summary>Waits until there is room, and sends a string.</summary>
    public static void Send(this IThreadSafeOutSocket socket, string message)
        => ThreadSafeTransfer.Send(socket, ThreadSafeTransfer.Of(message));

    /// <summary>Sends the first bytes of an array. Returns false if there was no room in time.</summary>
    public static bool TrySend(this IThreadSafeOutSocket socket, TimeSpan timeout, byte[] data, int length)
        => ThreadSafeTransfer.TrySend(socket, timeout, ThreadSafeTransfer.Of(data, length));

    /// <summary>Sends bytes. Returns false if there was no room in time.</summary>
    public static bool TrySend(this IThreadSafeOutSocket socket, TimeSpan timeout, byte[] data)
        => TrySend(socket, timeout, data, data.Length);

    /// <summary>Sends bytes. Returns false if there is no room.</summary>
    public static bool TrySend(this IThreadSafeOutSocket socket, byte[] data)
        => TrySend(socket, TimeSpan.Zero, data, data.Length);

    /// <summary>Sends the first bytes of an array. Returns false if there is no room.</summary>
    public static bool TrySend(this IThreadSafeOutSocket socket, byte[] data, int length)
        => TrySend(socket, TimeSpan.Zero, data, length);

    /// <summary>Sends a string. Returns false if there was no room in time.</summary>
    public static bool TrySend(this IThreadSafeOutSocket socket, TimeSpan timeout, string message)
        => ThreadSafeTransfer.TrySend(socket, timeout, ThreadSafeTransfer.Of(message));

    /// <summary>Sends a string. Returns false if there is no room.</summary>
    public static bool TrySend(this IThreadSafeOutSocket socket, string message)
        => TrySend(socket, TimeSpan.Zero, message);

    /// <summary>Sends bytes without blocking the thread. They must not change before the task ends.</summary>
    public static ValueTask SendAsync(this IThreadSafeOutSocket socket, byte[] data)
        => ThreadSafeTransfer.SendAsync(socket, ThreadSafeTransfer.Of(data, data.Length));

    /// <summary>Sends the first bytes of an array without blocking the thread.</summary>
    public static ValueTask SendAsync(this IThreadSafeOutSocket socket, byte[] data, int length)
        => ThreadSafeTransfer.SendAsync(socket, ThreadSafeTransfer.Of(data, length));

    /// <summary>Sends a string without blocking the thread.</summary>
    public static ValueTask SendAsync(this IThreadSafeOutSocket socket, string message)
        => ThreadSafeTransfer.SendAsync(socket, ThreadSafeTransfer.Of(message));
}
