using System.Text;

namespace NetMQ;

/// <summary>
/// Receives without blocking the thread. The calling thread must have a <see cref="NetMQRuntime"/>, which runs the
/// continuations. Strings are decoded from UTF-8 if no encoding is given.
/// </summary>
public static class AsyncReceiveExtensions
{
    /// <summary>Receives a whole message.</summary>
    /// <exception cref="InvalidOperationException">The thread has no runtime; the task throws it.</exception>
    public static async Task<NetMQMessage> ReceiveMultipartMessageAsync(
        this NetMQSocket socket, int expectedFrameCount = 4, CancellationToken cancellationToken = default)
        => await PendingReceive<NetMQMessage>.Start(
            socket,
            (NetMQSocket from, out NetMQMessage message) => TryTakeMessage(from, expectedFrameCount, out message),
            cancellationToken).ConfigureAwait(false);

    /// <summary>Receives a frame into a new array, and returns whether more frames of its message follow.</summary>
    /// <exception cref="InvalidOperationException">The thread has no runtime.</exception>
    public static Task<(byte[], bool)> ReceiveFrameBytesAsync(
        this NetMQSocket socket, CancellationToken cancellationToken = default)
        => PendingReceive<(byte[], bool)>.Start(socket, TryTakeBytes, cancellationToken);

    /// <summary>Receives a frame as a string, and returns whether more frames of its message follow.</summary>
    /// <exception cref="InvalidOperationException">The thread has no runtime.</exception>
    public static Task<(string, bool)> ReceiveFrameStringAsync(
        this NetMQSocket socket, CancellationToken cancellationToken = default)
        => ReceiveFrameStringAsync(socket, SendReceiveConstants.DefaultEncoding, cancellationToken);

    /// <summary>Receives a frame as a string, and returns whether more frames of its message follow.</summary>
    /// <exception cref="InvalidOperationException">The thread has no runtime.</exception>
    public static Task<(string, bool)> ReceiveFrameStringAsync(
        this NetMQSocket socket, Encoding encoding, CancellationToken cancellationToken = default)
        => PendingReceive<(string, bool)>.Start(
            socket,
            (NetMQSocket from, out (string, bool) result) =>
            {
                bool isTaken = from.TryReceiveFrameString(encoding, out string? text, out bool more);
                result = (text!, more);
                return isTaken;
            },
            cancellationToken);

    /// <summary>Receives a frame and drops it. Returns whether more frames of its message follow.</summary>
    /// <exception cref="InvalidOperationException">The thread has no runtime.</exception>
    public static Task<bool> SkipFrameAsync(this NetMQSocket socket, CancellationToken cancellationToken = default)
        => PendingReceive<bool>.Start(
            socket, static (NetMQSocket from, out bool more) => from.TrySkipFrame(out more), cancellationToken);

    /// <summary>Receives a whole message and drops it.</summary>
    /// <exception cref="InvalidOperationException">The thread has no runtime.</exception>
    public static Task SkipMultipartMessageAsync(this NetMQSocket socket)
        => PendingReceive<bool>.Start(
            socket,
            static (NetMQSocket from, out bool isSkipped) => isSkipped = from.TrySkipMultipartMessage(),
            CancellationToken.None);

    /// <summary>Receives a frame as a routing key, and returns whether more frames of its message follow.</summary>
    /// <exception cref="InvalidOperationException">The thread has no runtime.</exception>
    public static Task<(RoutingKey, bool)> ReceiveRoutingKeyAsync(this NetMQSocket socket)
        => PendingReceive<(RoutingKey, bool)>.Start(
            socket,
            static (NetMQSocket from, out (RoutingKey, bool) result) =>
            {
                RoutingKey key = default;
                bool isTaken = from.TryReceiveRoutingKey(ref key, out bool more);
                result = (key, more);
                return isTaken;
            },
            CancellationToken.None);

    private static bool TryTakeMessage(NetMQSocket socket, int expectedFrameCount, out NetMQMessage message)
    {
        NetMQMessage? taken = null;
        bool isTaken = socket.TryReceiveMultipartMessage(ref taken, expectedFrameCount);
        message = taken!;
        return isTaken;
    }

    private static bool TryTakeBytes(NetMQSocket socket, out (byte[], bool) result)
    {
        bool isTaken = socket.TryReceiveFrameBytes(out byte[]? bytes, out bool more);
        result = (bytes!, more);
        return isTaken;
    }
}
