using System.Buffers;
using System.Text;

namespace NetMQ;

public static partial class OutgoingSocketExtensions
{
    private const long SignalBits = 0x7766554433221100;

    /// <summary>Sends a string as a frame.</summary>
    public static void SendFrame(this IOutgoingSocket socket, string message, bool more = false)
    {
        bool isSent = TrySendFrame(socket, SendReceiveConstants.InfiniteTimeout, message, more);
        ObjectDisposedException.ThrowIf(!isSent, socket);
    }

    /// <summary>Sends a string as a frame that is followed by more frames.</summary>
    public static IOutgoingSocket SendMoreFrame(this IOutgoingSocket socket, string message)
    {
        socket.SendFrame(message, more: true);
        return socket;
    }

    /// <summary>Sends a string as a frame.</summary>
    public static bool TrySendFrame(this IOutgoingSocket socket, TimeSpan timeout, string message, bool more = false)
    {
        ArgumentNullException.ThrowIfNull(socket);
        ArgumentNullException.ThrowIfNull(message);

        // Only a socket of this library is known to keep no reference to the array.
        if (socket is not NetMQSocket)
        {
            return TrySendFrame(socket, timeout, SendReceiveConstants.DefaultEncoding.GetBytes(message), more);
        }

        byte[] rented = ArrayPool<byte>.Shared.Rent(Encoding.UTF8.GetMaxByteCount(message.Length));
        try
        {
            int length = Encoding.UTF8.GetBytes(message, rented);
            return TrySendFrame(socket, timeout, rented, length, more);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    /// <summary>Sends a string as a frame.</summary>
    public static bool TrySendFrame(this IOutgoingSocket socket, string message, bool more = false)
        => TrySendFrame(socket, TimeSpan.Zero, message, more);

    /// <summary>Sends a signal that means success.</summary>
    public static void SignalOK(this IOutgoingSocket socket) => SendFrame(socket, Signal(0));

    /// <summary>Sends a signal that means success.</summary>
    public static bool TrySignalOK(this IOutgoingSocket socket) => TrySendFrame(socket, Signal(0));

    /// <summary>Sends a signal that means failure.</summary>
    public static void SignalError(this IOutgoingSocket socket) => SendFrame(socket, Signal(1));

    /// <summary>Sends a signal that means failure.</summary>
    public static bool TrySignalError(this IOutgoingSocket socket) => TrySendFrame(socket, Signal(1));

    private static byte[] Signal(byte status) => NetworkOrderBitsConverter.GetBytes(SignalBits + status);
}
