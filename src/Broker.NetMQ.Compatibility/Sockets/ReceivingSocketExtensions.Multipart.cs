using System.Text;

namespace NetMQ;

public static partial class ReceivingSocketExtensions
{
    /// <summary>Receives a message, each frame into a new array.</summary>
    /// <param name="socket">The socket.</param>
    /// <param name="expectedFrameCount">The number of frames to reserve memory for.</param>
    public static List<byte[]> ReceiveMultipartBytes(this IReceivingSocket socket, int expectedFrameCount = 4)
    {
        List<byte[]>? frames = null;
        socket.ReceiveMultipartBytes(ref frames, expectedFrameCount);
        return frames!;
    }

    /// <summary>Receives a message, each frame into a new array.</summary>
    /// <param name="socket">The socket.</param>
    /// <param name="frames">The list to fill, which is cleared first; null creates a list.</param>
    /// <param name="expectedFrameCount">The number of frames to reserve memory for.</param>
    public static void ReceiveMultipartBytes(
        this IReceivingSocket socket, ref List<byte[]>? frames, int expectedFrameCount = 4)
    {
        bool isReceived = TryReceiveMultipartBytes(
            socket, SendReceiveConstants.InfiniteTimeout, ref frames, expectedFrameCount);
        ObjectDisposedException.ThrowIf(!isReceived, socket);
    }

    /// <inheritdoc cref="ReceiveMultipartBytes(IReceivingSocket, ref List{byte[]}?, int)"/>
    public static bool TryReceiveMultipartBytes(
        this IReceivingSocket socket, ref List<byte[]>? frames, int expectedFrameCount = 4)
        => TryReceiveMultipartBytes(socket, TimeSpan.Zero, ref frames, expectedFrameCount);

    /// <inheritdoc cref="ReceiveMultipartBytes(IReceivingSocket, ref List{byte[]}?, int)"/>
    public static bool TryReceiveMultipartBytes(
        this IReceivingSocket socket, TimeSpan timeout, ref List<byte[]>? frames, int expectedFrameCount = 4)
    {
        if (!socket.TryReceiveFrameBytes(timeout, out byte[]? bytes, out bool more))
        {
            return false;
        }

        frames = Emptied(frames, expectedFrameCount);
        frames.Add(bytes);
        while (more)
        {
            frames.Add(socket.ReceiveFrameBytes(out more));
        }

        return true;
    }

    /// <summary>Receives a message, each frame as a string.</summary>
    public static List<string> ReceiveMultipartStrings(this IReceivingSocket socket, int expectedFrameCount = 4)
        => ReceiveMultipartStrings(socket, SendReceiveConstants.DefaultEncoding, expectedFrameCount);

    /// <summary>Receives a message, each frame as a string.</summary>
    public static List<string> ReceiveMultipartStrings(
        this IReceivingSocket socket, Encoding encoding, int expectedFrameCount = 4)
    {
        List<string>? frames = null;
        return TryReceiveMultipartStrings(
            socket, SendReceiveConstants.InfiniteTimeout, encoding, ref frames, expectedFrameCount)
            ? frames!
            : throw new ObjectDisposedException(socket.GetType().Name);
    }

    /// <summary>Receives a message, each frame as a string.</summary>
    public static bool TryReceiveMultipartStrings(
        this IReceivingSocket socket, ref List<string>? frames, int expectedFrameCount = 4)
        => TryReceiveMultipartStrings(
            socket, TimeSpan.Zero, SendReceiveConstants.DefaultEncoding, ref frames, expectedFrameCount);

    /// <summary>Receives a message, each frame as a string.</summary>
    public static bool TryReceiveMultipartStrings(
        this IReceivingSocket socket, Encoding encoding, ref List<string>? frames, int expectedFrameCount = 4)
        => TryReceiveMultipartStrings(socket, TimeSpan.Zero, encoding, ref frames, expectedFrameCount);

    /// <summary>Receives a message, each frame as a string.</summary>
    public static bool TryReceiveMultipartStrings(
        this IReceivingSocket socket, TimeSpan timeout, ref List<string>? frames, int expectedFrameCount = 4)
        => TryReceiveMultipartStrings(
            socket, timeout, SendReceiveConstants.DefaultEncoding, ref frames, expectedFrameCount);

    /// <summary>Receives a message, each frame as a string.</summary>
    public static bool TryReceiveMultipartStrings(
        this IReceivingSocket socket, TimeSpan timeout, Encoding encoding, ref List<string>? frames,
        int expectedFrameCount = 4)
    {
        if (!socket.TryReceiveFrameString(timeout, encoding, out string? text, out bool more))
        {
            return false;
        }

        frames = Emptied(frames, expectedFrameCount);
        frames.Add(text);
        while (more)
        {
            frames.Add(socket.ReceiveFrameString(encoding, out more));
        }

        return true;
    }

    /// <summary>Receives a message.</summary>
    public static NetMQMessage ReceiveMultipartMessage(this IReceivingSocket socket, int expectedFrameCount = 4)
    {
        NetMQMessage? message = null;
        return TryReceiveMultipartMessage(
            socket, SendReceiveConstants.InfiniteTimeout, ref message, expectedFrameCount)
            ? message!
            : throw new ObjectDisposedException(socket.GetType().Name);
    }

    /// <summary>Receives a message.</summary>
    public static bool TryReceiveMultipartMessage(
        this IReceivingSocket socket, ref NetMQMessage? message, int expectedFrameCount = 4)
        => TryReceiveMultipartMessage(socket, TimeSpan.Zero, ref message, expectedFrameCount);

    /// <summary>Receives a message.</summary>
    /// <param name="socket">The socket.</param>
    /// <param name="timeout">How long to wait.</param>
    /// <param name="message">The message to fill, which is cleared first; null creates a message.</param>
    /// <param name="expectedFrameCount">The number of frames to reserve memory for.</param>
    public static bool TryReceiveMultipartMessage(
        this IReceivingSocket socket, TimeSpan timeout, ref NetMQMessage? message, int expectedFrameCount = 4)
    {
        if (!socket.TryReceiveFrameBytes(timeout, out byte[]? bytes, out bool more))
        {
            return false;
        }

        message ??= new NetMQMessage(expectedFrameCount);
        message.Clear();
        message.Append(bytes);
        while (more)
        {
            message.Append(socket.ReceiveFrameBytes(out more));
        }

        return true;
    }

    private static List<TFrame> Emptied<TFrame>(List<TFrame>? frames, int expectedFrameCount)
    {
        frames ??= new List<TFrame>(expectedFrameCount);
        frames.Clear();
        return frames;
    }
}
