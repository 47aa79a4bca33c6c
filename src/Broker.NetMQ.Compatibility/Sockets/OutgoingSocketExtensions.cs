namespace NetMQ;

/// <summary>
/// Sends frames and messages. <c>Send</c> waits for room without a limit. <c>TrySend</c> waits for its timeout, by
/// default not at all, and returns false if there was no room; of a message of several frames only the first may be
/// refused. Strings are encoded in UTF-8.
/// </summary>
public static partial class OutgoingSocketExtensions
{
    /// <summary>Sends a frame, and waits for room without a limit.</summary>
    /// <param name="socket">The socket.</param>
    /// <param name="msg">The frame, which is empty afterwards.</param>
    /// <param name="more">Whether more frames of the same message follow.</param>
    /// <exception cref="ObjectDisposedException">The socket is disposed.</exception>
    public static void Send(this IOutgoingSocket socket, ref Msg msg, bool more)
    {
        ArgumentNullException.ThrowIfNull(socket);
        bool isSent = socket.TrySend(ref msg, SendReceiveConstants.InfiniteTimeout, more);
        ObjectDisposedException.ThrowIf(!isSent, socket);
    }

    /// <summary>Sends an array as a frame.</summary>
    public static void SendFrame(this IOutgoingSocket socket, byte[] data, bool more = false)
        => SendFrame(socket, data, data.Length, more);

    /// <summary>Sends the first bytes of an array as a frame.</summary>
    public static void SendFrame(this IOutgoingSocket socket, byte[] data, int length, bool more = false)
    {
        Msg msg = Frame(data, length);
        socket.Send(ref msg, more);
        msg.Close();
    }

    /// <summary>Sends an array as a frame that is followed by more frames.</summary>
    public static IOutgoingSocket SendMoreFrame(this IOutgoingSocket socket, byte[] data)
        => SendMoreFrame(socket, data, data.Length);

    /// <summary>Sends the first bytes of an array as a frame that is followed by more frames.</summary>
    public static IOutgoingSocket SendMoreFrame(this IOutgoingSocket socket, byte[] data, int length)
    {
        socket.SendFrame(data, length, more: true);
        return socket;
    }

    /// <summary>Sends the first bytes of an array as a frame.</summary>
    public static bool TrySendFrame(
        this IOutgoingSocket socket, TimeSpan timeout, byte[] data, int length, bool more = false)
    {
        ArgumentNullException.ThrowIfNull(socket);
        Msg msg = Frame(data, length);
        bool isSent = socket.TrySend(ref msg, timeout, more);
        msg.Close();
        return isSent;
    }

    /// <summary>Sends an array as a frame.</summary>
    public static bool TrySendFrame(this IOutgoingSocket socket, TimeSpan timeout, byte[] data, bool more = false)
        => TrySendFrame(socket, timeout, data, data.Length, more);

    /// <summary>Sends an array as a frame.</summary>
    public static bool TrySendFrame(this IOutgoingSocket socket, byte[] data, bool more = false)
        => TrySendFrame(socket, TimeSpan.Zero, data, data.Length, more);

    /// <summary>Sends the first bytes of an array as a frame.</summary>
    public static bool TrySendFrame(this IOutgoingSocket socket, byte[] data, int length, bool more = false)
        => TrySendFrame(socket, TimeSpan.Zero, data, length, more);

    /// <summary>Sends a frame without bytes.</summary>
    public static void SendFrameEmpty(this IOutgoingSocket socket, bool more = false)
        => SendFrame(socket, [], more);

    /// <summary>Sends a frame without bytes that is followed by more frames.</summary>
    public static IOutgoingSocket SendMoreFrameEmpty(this IOutgoingSocket socket) => SendMoreFrame(socket, []);

    /// <summary>Sends a frame without bytes.</summary>
    public static bool TrySendFrameEmpty(this IOutgoingSocket socket, TimeSpan timeout, bool more = false)
        => TrySendFrame(socket, timeout, [], more);

    /// <summary>Sends a frame without bytes.</summary>
    public static bool TrySendFrameEmpty(this IOutgoingSocket socket, bool more = false)
        => TrySendFrame(socket, TimeSpan.Zero, [], more);

    private static Msg Frame(byte[] data, int length)
    {
        Msg msg = default;
        msg.InitGC(data, length);
        return msg;
    }
}
