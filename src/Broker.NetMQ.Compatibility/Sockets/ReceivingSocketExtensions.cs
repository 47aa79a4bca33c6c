using System.Diagnostics.CodeAnalysis;

namespace NetMQ;

/// <summary>
/// Receives frames and messages. <c>Receive</c> and <c>Skip</c> wait without a limit. The <c>Try</c> forms wait for
/// their timeout, by default not at all, and return false if nothing arrived. Strings are decoded from UTF-8 if no
/// encoding is given.
/// </summary>
public static partial class ReceivingSocketExtensions
{
    /// <summary>Receives a frame into an initialised frame.</summary>
    /// <exception cref="ObjectDisposedException">The socket is disposed.</exception>
    public static void Receive(this IReceivingSocket socket, ref Msg msg)
    {
        ArgumentNullException.ThrowIfNull(socket);
        ObjectDisposedException.ThrowIf(!socket.TryReceive(ref msg, SendReceiveConstants.InfiniteTimeout), socket);
    }

    /// <summary>Receives a frame into a new array.</summary>
    public static byte[] ReceiveFrameBytes(this IReceivingSocket socket) => ReceiveFrameBytes(socket, out _);

    /// <summary>Receives a frame into a new array.</summary>
    public static byte[] ReceiveFrameBytes(this IReceivingSocket socket, out bool more)
        => TryReceiveFrameBytes(socket, SendReceiveConstants.InfiniteTimeout, out byte[]? bytes, out more)
            ? bytes
            : throw new ObjectDisposedException(socket.GetType().Name);

    /// <summary>Receives a frame into a new array.</summary>
    public static bool TryReceiveFrameBytes(this IReceivingSocket socket, [NotNullWhen(true)] out byte[]? bytes)
        => TryReceiveFrameBytes(socket, TimeSpan.Zero, out bytes, out _);

    /// <summary>Receives a frame into a new array.</summary>
    public static bool TryReceiveFrameBytes(
        this IReceivingSocket socket, [NotNullWhen(true)] out byte[]? bytes, out bool more)
        => TryReceiveFrameBytes(socket, TimeSpan.Zero, out bytes, out more);

    /// <summary>Receives a frame into a new array.</summary>
    public static bool TryReceiveFrameBytes(
        this IReceivingSocket socket, TimeSpan timeout, [NotNullWhen(true)] out byte[]? bytes)
        => TryReceiveFrameBytes(socket, timeout, out bytes, out _);

    /// <summary>Receives a frame into a new array.</summary>
    public static bool TryReceiveFrameBytes(
        this IReceivingSocket socket, TimeSpan timeout, [NotNullWhen(true)] out byte[]? bytes, out bool more)
    {
        ArgumentNullException.ThrowIfNull(socket);
        Msg msg = default;
        msg.InitEmpty();
        bool isReceived = socket.TryReceive(ref msg, timeout);
        bytes = isReceived ? msg.TakeBytes() : null;
        more = isReceived && msg.HasMore;
        msg.Close();
        return isReceived;
    }

    /// <summary>Receives a frame and drops it.</summary>
    public static void SkipFrame(this IReceivingSocket socket) => SkipFrame(socket, out _);

    /// <summary>Receives a frame and drops it.</summary>
    public static void SkipFrame(this IReceivingSocket socket, out bool more)
    {
        ObjectDisposedException.ThrowIf(!TrySkipFrame(socket, SendReceiveConstants.InfiniteTimeout, out more), socket);
    }

    /// <summary>Receives a frame and drops it.</summary>
    public static bool TrySkipFrame(this IReceivingSocket socket) => TrySkipFrame(socket, TimeSpan.Zero, out _);

    /// <summary>Receives a frame and drops it.</summary>
    public static bool TrySkipFrame(this IReceivingSocket socket, out bool more)
        => TrySkipFrame(socket, TimeSpan.Zero, out more);

    /// <summary>Receives a frame and drops it.</summary>
    public static bool TrySkipFrame(this IReceivingSocket socket, TimeSpan timeout)
        => TrySkipFrame(socket, timeout, out _);

    /// <summary>Receives a frame and drops it.</summary>
    public static bool TrySkipFrame(this IReceivingSocket socket, TimeSpan timeout, out bool more)
    {
        ArgumentNullException.ThrowIfNull(socket);
        Msg msg = default;
        msg.InitEmpty();
        bool isReceived = socket.TryReceive(ref msg, timeout);
        more = isReceived && msg.HasMore;
        msg.Close();
        return isReceived;
    }

    /// <summary>Receives a whole message and drops it.</summary>
    public static void SkipMultipartMessage(this IReceivingSocket socket)
    {
        bool more = true;
        while (more)
        {
            socket.SkipFrame(out more);
        }
    }

    /// <summary>Receives a whole message and drops it.</summary>
    public static bool TrySkipMultipartMessage(this IReceivingSocket socket)
        => TrySkipMultipartMessage(socket, TimeSpan.Zero);

    /// <summary>Receives a whole message and drops it.</summary>
    public static bool TrySkipMultipartMessage(this IReceivingSocket socket, TimeSpan timeout)
    {
        if (!socket.TrySkipFrame(timeout, out bool more))
        {
            return false;
        }

        if (more)
        {
            socket.SkipMultipartMessage();
        }

        return true;
    }
}
