using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace NetMQ;

public static partial class ReceivingSocketExtensions
{
    /// <summary>Receives a frame as a string.</summary>
    public static string ReceiveFrameString(this IReceivingSocket socket)
        => ReceiveFrameString(socket, SendReceiveConstants.DefaultEncoding, out _);

    /// <summary>Receives a frame as a string.</summary>
    public static string ReceiveFrameString(this IReceivingSocket socket, out bool more)
        => ReceiveFrameString(socket, SendReceiveConstants.DefaultEncoding, out more);

    /// <summary>Receives a frame as a string.</summary>
    public static string ReceiveFrameString(this IReceivingSocket socket, Encoding encoding)
        => ReceiveFrameString(socket, encoding, out _);

    /// <summary>Receives a frame as a string.</summary>
    public static string ReceiveFrameString(this IReceivingSocket socket, Encoding encoding, out bool more)
        => TryReceiveFrameString(
            socket, SendReceiveConstants.InfiniteTimeout, encoding, out string? text, out more)
            ? text
            : throw new ObjectDisposedException(socket.GetType().Name);

    /// <summary>Receives a frame as a string.</summary>
    public static bool TryReceiveFrameString(
        this IReceivingSocket socket, [NotNullWhen(true)] out string? frameString)
        => TryReceiveFrameString(
            socket, TimeSpan.Zero, SendReceiveConstants.DefaultEncoding, out frameString, out _);

    /// <summary>Receives a frame as a string.</summary>
    public static bool TryReceiveFrameString(
        this IReceivingSocket socket, [NotNullWhen(true)] out string? frameString, out bool more)
        => TryReceiveFrameString(
            socket, TimeSpan.Zero, SendReceiveConstants.DefaultEncoding, out frameString, out more);

    /// <summary>Receives a frame as a string.</summary>
    public static bool TryReceiveFrameString(
        this IReceivingSocket socket, Encoding encoding, [NotNullWhen(true)] out string? frameString)
        => TryReceiveFrameString(socket, TimeSpan.Zero, encoding, out frameString, out _);

    /// <summary>Receives a frame as a string.</summary>
    public static bool TryReceiveFrameString(
        this IReceivingSocket socket, Encoding encoding, [NotNullWhen(true)] out string? frameString, out bool more)
        => TryReceiveFrameString(socket, TimeSpan.Zero, encoding, out frameString, out more);

    /// <summary>Receives a frame as a string.</summary>
    public static bool TryReceiveFrameString(
        this IReceivingSocket socket, TimeSpan timeout, [NotNullWhen(true)] out string? frameString)
        => TryReceiveFrameString(socket, timeout, SendReceiveConstants.DefaultEncoding, out frameString, out _);

    /// <summary>Receives a frame as a string.</summary>
    public static bool TryReceiveFrameString(
        this IReceivingSocket socket, TimeSpan timeout, [NotNullWhen(true)] out string? frameString, out bool more)
        => TryReceiveFrameString(socket, timeout, SendReceiveConstants.DefaultEncoding, out frameString, out more);

    /// <summary>Receives a frame as a string.</summary>
    public static bool TryReceiveFrameString(
        this IReceivingSocket socket, TimeSpan timeout, Encoding encoding,
        [NotNullWhen(true)] out string? frameString)
        => TryReceiveFrameString(socket, timeout, encoding, out frameString, out _);

    /// <summary>Receives a frame as a string.</summary>
    public static bool TryReceiveFrameString(
        this IReceivingSocket socket, TimeSpan timeout, Encoding encoding,
        [NotNullWhen(true)] out string? frameString, out bool more)
    {
        ArgumentNullException.ThrowIfNull(socket);
        Msg msg = default;
        msg.InitEmpty();
        bool isReceived = socket.TryReceive(ref msg, timeout);
        frameString = isReceived ? msg.Size > 0 ? msg.GetString(encoding) : "" : null;
        more = isReceived && msg.HasMore;
        msg.Close();
        return isReceived;
    }
}
