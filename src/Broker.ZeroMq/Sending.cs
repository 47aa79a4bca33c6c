using System.Runtime.CompilerServices;
using System.Text;

namespace Broker.ZeroMq;

/// <summary>
/// Sends messages on thread-safe sockets. Any number of threads may send at the same time. The arguments are copied
/// before the method returns.
/// </summary>
/// <remarks>
/// <para>
/// A message is sent with all its frames or not at all. At a low message rate each message is sent at once. At a high
/// rate messages are collected for up to about a millisecond and sent together. Messages of one thread keep their
/// order.
/// </para>
/// <para>
/// <c>Send</c> blocks while no peer has room, for at most <see cref="ZeroMqSocketOptions.SendTimeout"/>. <c>TrySend</c>
/// waits as long as its argument says, by default not at all. <c>SendAsync</c> waits for room without a limit until it
/// is cancelled. When a method returns, the socket has queued the message; the peer may not have received it yet.
/// Before a blocking send lets its thread sleep, it polls for room up to <see cref="ZeroMqSocketOptions.Attempts"/>
/// times.
/// </para>
/// <para>All methods throw <see cref="ObjectDisposedException"/> if the socket is closed, also while they wait.</para>
/// </remarks>
public static class Sending
{
    /// <summary>Sends a message of one frame.</summary>
    /// <exception cref="TimeoutException">
    /// No peer had room within <see cref="ZeroMqSocketOptions.SendTimeout"/>.
    /// </exception>
    [OverloadResolutionPriority(1)]
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static void Send<TSocket>(this TSocket socket, ReadOnlySpan<byte> frame)
        where TSocket : MessageSocket, ISendingSocket
        => socket.Sender.Send(new Encoders.OneFrame(frame));

    /// <summary>Sends a message of one frame, in UTF-8.</summary>
    /// <inheritdoc cref="Send{TSocket}(TSocket, ReadOnlySpan{byte})"/>
    public static void Send<TSocket>(this TSocket socket, string frame)
        where TSocket : MessageSocket, ISendingSocket
        => socket.Sender.Send(new TextEncoder(frame));

    /// <summary>Sends a message of two frames, such as a topic and its content.</summary>
    /// <inheritdoc cref="Send{TSocket}(TSocket, ReadOnlySpan{byte})"/>
    public static void Send<TSocket>(this TSocket socket, ReadOnlySpan<byte> first, ReadOnlySpan<byte> second)
        where TSocket : MessageSocket, ISendingSocket
        => socket.Sender.Send(new Encoders.TwoFrames(first, second));

    /// <summary>Sends a message of two frames, in UTF-8.</summary>
    /// <inheritdoc cref="Send{TSocket}(TSocket, ReadOnlySpan{byte})"/>
    public static void Send<TSocket>(this TSocket socket, string first, string second)
        where TSocket : MessageSocket, ISendingSocket
        => socket.Sender.Send(new Encoders.TwoFrames(Encoding.UTF8.GetBytes(first), Encoding.UTF8.GetBytes(second)));

    /// <summary>Sends a message of any number of frames.</summary>
    /// <exception cref="ArgumentException">There are no frames.</exception>
    /// <inheritdoc cref="Send{TSocket}(TSocket, ReadOnlySpan{byte})"/>
    public static void Send<TSocket>(this TSocket socket, ReadOnlySpan<ReadOnlyMemory<byte>> frames)
        where TSocket : MessageSocket, ISendingSocket
        => socket.Sender.Send(new Encoders.ManyFrames(frames));

    /// <summary>Sends a message without changing it.</summary>
    /// <exception cref="ArgumentException">The message has no frames.</exception>
    /// <inheritdoc cref="Send{TSocket}(TSocket, ReadOnlySpan{byte})"/>
    public static void Send<TSocket>(this TSocket socket, ZeroMqMessage message)
        where TSocket : MessageSocket, ISendingSocket
        => socket.Sender.Send(new Encoders.Verbatim(Encoded(message)));

    /// <summary>Sends a message of one frame if there is room within the timeout.</summary>
    /// <returns>False if there was no room; nothing was sent.</returns>
    [OverloadResolutionPriority(1)]
    public static bool TrySend<TSocket>(this TSocket socket, ReadOnlySpan<byte> frame, TimeSpan timeout = default)
        where TSocket : MessageSocket, ISendingSocket
        => socket.Sender.TrySend(new Encoders.OneFrame(frame), timeout);

    /// <summary>Sends a message of one frame in UTF-8 if there is room within the timeout.</summary>
    /// <inheritdoc cref="TrySend{TSocket}(TSocket, ReadOnlySpan{byte}, TimeSpan)"/>
    public static bool TrySend<TSocket>(this TSocket socket, string frame, TimeSpan timeout = default)
        where TSocket : MessageSocket, ISendingSocket
        => socket.Sender.TrySend(new TextEncoder(frame), timeout);

    /// <summary>Sends a message of two frames if there is room within the timeout.</summary>
    /// <inheritdoc cref="TrySend{TSocket}(TSocket, ReadOnlySpan{byte}, TimeSpan)"/>
    public static bool TrySend<TSocket>(
        this TSocket socket, ReadOnlySpan<byte> first, ReadOnlySpan<byte> second, TimeSpan timeout = default)
        where TSocket : MessageSocket, ISendingSocket
        => socket.Sender.TrySend(new Encoders.TwoFrames(first, second), timeout);

    /// <summary>Sends a message of any number of frames if there is room within the timeout.</summary>
    /// <exception cref="ArgumentException">There are no frames.</exception>
    /// <inheritdoc cref="TrySend{TSocket}(TSocket, ReadOnlySpan{byte}, TimeSpan)"/>
    public static bool TrySend<TSocket>(
        this TSocket socket, ReadOnlySpan<ReadOnlyMemory<byte>> frames, TimeSpan timeout = default)
        where TSocket : MessageSocket, ISendingSocket
        => socket.Sender.TrySend(new Encoders.ManyFrames(frames), timeout);

    /// <summary>Sends a message without changing it, if there is room within the timeout.</summary>
    /// <exception cref="ArgumentException">The message has no frames.</exception>
    /// <inheritdoc cref="TrySend{TSocket}(TSocket, ReadOnlySpan{byte}, TimeSpan)"/>
    public static bool TrySend<TSocket>(this TSocket socket, ZeroMqMessage message, TimeSpan timeout = default)
        where TSocket : MessageSocket, ISendingSocket
        => socket.Sender.TrySend(new Encoders.Verbatim(Encoded(message)), timeout);

    /// <summary>
    /// Calls an action when the socket may have room again after it had none, for programs with an event loop of their
    /// own. The action must return soon, must not throw, and may be called on any thread and without need: it tells the
    /// program's own thread to try again. A socket has one such action, or is in one <see cref="ZeroMqPoller"/> as a
    /// sender.
    /// </summary>
    /// <returns>An object whose disposal ends the calls; a call that is in progress is completed.</returns>
    /// <exception cref="InvalidOperationException">
    /// The socket has an action, or is in a poller as a sender.
    /// </exception>
    public static IDisposable WatchRoom<TSocket>(this TSocket socket, Action onRoom)
        where TSocket : MessageSocket, ISendingSocket
    {
        ArgumentNullException.ThrowIfNull(socket);
        ArgumentNullException.ThrowIfNull(onRoom);
        return socket.Sender.TryWatch(onRoom)
            ? new SocketWatch(socket.Sender.Unwatch)
            : throw new InvalidOperationException("The room of the socket is already watched.");
    }

    /// <summary>
    /// Waits for room and sends a message of one frame. The memory must not change before the task completes.
    /// </summary>
    /// <exception cref="OperationCanceledException">The call was cancelled; nothing was sent.</exception>
    public static ValueTask SendAsync<TSocket>(
        this TSocket socket, ReadOnlyMemory<byte> frame, CancellationToken cancellation = default)
        where TSocket : MessageSocket, ISendingSocket
        => socket.Sender.SendAsync(frame, cancellation);

    /// <summary>Waits for room and sends a message of one frame in UTF-8.</summary>
    /// <inheritdoc cref="SendAsync{TSocket}(TSocket, ReadOnlyMemory{byte}, CancellationToken)"/>
    public static ValueTask SendAsync<TSocket>(
        this TSocket socket, string frame, CancellationToken cancellation = default)
        where TSocket : MessageSocket, ISendingSocket
        => socket.Sender.SendAsync(Encoding.UTF8.GetBytes(frame), cancellation);

    /// <summary>Waits for room and sends a message. The message must not change before the task completes.</summary>
    /// <exception cref="ArgumentException">The message has no frames.</exception>
    /// <inheritdoc cref="SendAsync{TSocket}(TSocket, ReadOnlyMemory{byte}, CancellationToken)"/>
    public static ValueTask SendAsync<TSocket>(
        this TSocket socket, ZeroMqMessage message, CancellationToken cancellation = default)
        where TSocket : MessageSocket, ISendingSocket
    {
        Encoded(message);
        return socket.Sender.SendAsync(message, cancellation);
    }

    private static ReadOnlySpan<byte> Encoded(ZeroMqMessage message)
    {
        ArgumentNullException.ThrowIfNull(message);
        if (message.IsEmpty)
        {
            throw new ArgumentException("A message has at least one frame.", nameof(message));
        }

        return message.Encoded;
    }

    /// <summary>Encodes a string in UTF-8 directly into the send queue.</summary>
    private readonly struct TextEncoder(string text) : IRoutableEncoder
    {
        private readonly int _length = Encoding.UTF8.GetByteCount(text);

        public int EncodedSize => ZmtpWriter.FrameSize(_length);

        public void Encode(Span<byte> destination)
        {
            int header = ZmtpWriter.WriteHeader(destination, _length, more: false);
            Encoding.UTF8.GetBytes(text, destination[header..]);
        }

        public bool TryGetAddress(out ReadOnlySpan<byte> address)
        {
            address = default;
            return false;
        }
    }
}
