using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Broker.ZeroMq;

/// <summary>
/// Receives messages on thread-safe sockets. Any number of threads may receive at the same time; each message goes
/// completely to one of them.
/// </summary>
/// <remarks>
/// <para>
/// Messages are taken from the peers in turn, one message per peer. <c>Receive</c> blocks until there is a message, for
/// at most <see cref="ZeroMqSocketOptions.ReceiveTimeout"/>. <c>TryReceive</c> waits as long as its argument says, by
/// default not at all. <c>ReceiveAsync</c> waits without a limit until it is cancelled. Before a blocking receive lets
/// its thread sleep, it polls for a message up to <see cref="ZeroMqSocketOptions.Attempts"/> times. If a message is
/// available at once, no clock is read.
/// </para>
/// <para>
/// The methods with a buffer receive only messages of one frame that fit into it. If the next message has several
/// frames or does not fit, these methods throw, and the message stays the next message. A <see cref="ZeroMqMessage"/>
/// can receive every message and can be reused; the methods that return arrays and strings allocate them.
/// </para>
/// <para>All methods throw <see cref="ObjectDisposedException"/> if the socket is closed, also while they wait.</para>
/// </remarks>
public static partial class Receiving
{
    /// <summary>Receives a message of any number of frames.</summary>
    /// <param name="socket">The socket.</param>
    /// <param name="message">The message to receive into. Its content is replaced.</param>
    /// <exception cref="TimeoutException">
    /// No message arrived within <see cref="ZeroMqSocketOptions.ReceiveTimeout"/>.
    /// </exception>
    public static void Receive<TSocket>(this TSocket socket, ZeroMqMessage message)
        where TSocket : MessageSocket, IReceivingSocket
    {
        ArgumentNullException.ThrowIfNull(message);
        var reader = new MessageReader(message);
        socket.Receiver.Receive(ref reader);
    }

    /// <summary>Receives a message of one frame into the caller's buffer.</summary>
    /// <returns>The size of the frame.</returns>
    /// <exception cref="TimeoutException">
    /// No message arrived within <see cref="ZeroMqSocketOptions.ReceiveTimeout"/>.
    /// </exception>
    /// <exception cref="InvalidOperationException">
    /// The next message has several frames or does not fit. It stays the next message.
    /// </exception>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static int Receive<TSocket>(this TSocket socket, Span<byte> buffer)
        where TSocket : MessageSocket, IReceivingSocket
    {
        var reader = new BufferReader(buffer);
        if (!socket.Receiver.Receive(ref reader))
        {
            ThrowDoesNotFit(reader.FrameSize, buffer.Length);
        }

        return reader.FrameSize;
    }

    /// <summary>Receives a message of one frame into a new array.</summary>
    /// <exception cref="InvalidOperationException">
    /// The next message has several frames. It stays the next message.
    /// </exception>
    /// <inheritdoc cref="Receive{TSocket}(TSocket, ZeroMqMessage)"/>
    public static byte[] ReceiveBytes<TSocket>(this TSocket socket)
        where TSocket : MessageSocket, IReceivingSocket
    {
        var reader = default(ArrayReader);
        return socket.Receiver.Receive(ref reader) ? reader.Bytes! : ThrowHasSeveralFrames<byte[]>();
    }

    /// <summary>Receives a message of one frame as a string in UTF-8.</summary>
    /// <inheritdoc cref="ReceiveBytes{TSocket}(TSocket)"/>
    public static string ReceiveString<TSocket>(this TSocket socket)
        where TSocket : MessageSocket, IReceivingSocket
    {
        var reader = default(Utf8Reader);
        return socket.Receiver.Receive(ref reader) ? reader.Text! : ThrowHasSeveralFrames<string>();
    }

    /// <summary>Receives a message of any number of frames, each into a new array.</summary>
    /// <inheritdoc cref="Receive{TSocket}(TSocket, ZeroMqMessage)"/>
    public static byte[][] ReceiveFrames<TSocket>(this TSocket socket)
        where TSocket : MessageSocket, IReceivingSocket
    {
        var reader = default(FramesReader);
        socket.Receiver.Receive(ref reader);
        return reader.Frames!;
    }

    /// <summary>Receives a message of any number of frames if one arrives within the timeout.</summary>
    /// <returns>False if no message arrived; the content of <paramref name="message"/> is unchanged.</returns>
    public static bool TryReceive<TSocket>(this TSocket socket, ZeroMqMessage message, TimeSpan timeout = default)
        where TSocket : MessageSocket, IReceivingSocket
    {
        ArgumentNullException.ThrowIfNull(message);
        var reader = new MessageReader(message);
        return socket.Receiver.TryReceive(ref reader, timeout, out _);
    }

    /// <summary>
    /// Receives a message of any number of frames if one arrives within the timeout, and passes its frames to a
    /// receiver.
    /// </summary>
    /// <param name="socket">The socket.</param>
    /// <param name="frames">Gets the frames before the method returns.</param>
    /// <param name="timeout">How long to wait; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <returns>False if no message arrived.</returns>
    public static bool TryReceive<TSocket>(this TSocket socket, IFrameReceiver frames, TimeSpan timeout = default)
        where TSocket : MessageSocket, IReceivingSocket
    {
        ArgumentNullException.ThrowIfNull(frames);
        var reader = new FrameByFrameReader(frames);
        return socket.Receiver.TryReceive(ref reader, timeout, out _);
    }

    /// <summary>Receives a message of one frame into the caller's buffer if one arrives within the timeout.</summary>
    /// <returns>False if no message arrived.</returns>
    /// <exception cref="InvalidOperationException">
    /// The next message has several frames or does not fit. It stays the next message.
    /// </exception>
    public static bool TryReceive<TSocket>(
        this TSocket socket, Span<byte> buffer, out int size, TimeSpan timeout = default)
        where TSocket : MessageSocket, IReceivingSocket
    {
        var reader = new BufferReader(buffer);
        bool received = socket.Receiver.TryReceive(ref reader, timeout, out bool wasRefused);
        if (wasRefused)
        {
            ThrowDoesNotFit(reader.FrameSize, buffer.Length);
        }

        size = reader.FrameSize;
        return received;
    }

    /// <summary>Receives a message of one frame as a string in UTF-8 if one arrives within the timeout.</summary>
    /// <returns>False if no message arrived.</returns>
    /// <exception cref="InvalidOperationException">
    /// The next message has several frames. It stays the next message.
    /// </exception>
    public static bool TryReceiveString<TSocket>(
        this TSocket socket, [NotNullWhen(true)] out string? text, TimeSpan timeout = default)
        where TSocket : MessageSocket, IReceivingSocket
    {
        var reader = default(Utf8Reader);
        bool received = socket.Receiver.TryReceive(ref reader, timeout, out bool wasRefused);
        text = wasRefused ? ThrowHasSeveralFrames<string>() : reader.Text;
        return received;
    }

    /// <summary>Waits for a message of any number of frames and receives it.</summary>
    /// <param name="socket">The socket.</param>
    /// <param name="message">
    /// The message to receive into. Its content is replaced. It must not be used before the task completes.
    /// </param>
    /// <param name="cancellation">Cancels the wait.</param>
    /// <exception cref="OperationCanceledException">The call was cancelled; no message was taken.</exception>
    public static ValueTask ReceiveAsync<TSocket>(
        this TSocket socket, ZeroMqMessage message, CancellationToken cancellation = default)
        where TSocket : MessageSocket, IReceivingSocket
    {
        ArgumentNullException.ThrowIfNull(message);
        return socket.Receiver.ReceiveAsync(message, cancellation);
    }

    /// <summary>Waits for a message of one frame and receives it into the caller's buffer.</summary>
    /// <returns>The size of the frame.</returns>
    /// <exception cref="OperationCanceledException">The call was cancelled; no message was taken.</exception>
    /// <exception cref="InvalidOperationException">
    /// The next message has several frames or does not fit. It stays the next message.
    /// </exception>
    public static ValueTask<int> ReceiveAsync<TSocket>(
        this TSocket socket, Memory<byte> buffer, CancellationToken cancellation = default)
        where TSocket : MessageSocket, IReceivingSocket
    {
        var reader = new BufferReader(buffer.Span);
        return socket.Receiver.TryReceive(ref reader, TimeSpan.Zero, out bool wasRefused)
            ? new ValueTask<int>(reader.FrameSize)
            : ReceiveSlowlyAsync(socket, buffer, wasRefused, cancellation);
    }

    /// <summary>Waits for a message of one frame and receives it as a string in UTF-8.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled; no message was taken.</exception>
    /// <exception cref="InvalidOperationException">
    /// The next message has several frames. It stays the next message.
    /// </exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public static async ValueTask<string> ReceiveStringAsync<TSocket>(
        this TSocket socket, CancellationToken cancellation = default)
        where TSocket : MessageSocket, IReceivingSocket
    {
        string? text;
        while (!socket.TryReceiveString(out text))
        {
            await socket.Receiver.WaitForMessageAsync(cancellation).ConfigureAwait(false);
        }

        return text;
    }

    /// <summary>Waits for a message of any number of frames and receives it into new arrays.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled; no message was taken.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public static async ValueTask<byte[][]> ReceiveFramesAsync<TSocket>(
        this TSocket socket, CancellationToken cancellation = default)
        where TSocket : MessageSocket, IReceivingSocket
    {
        var reader = default(FramesReader);
        while (!socket.Receiver.TryReceive(ref reader, TimeSpan.Zero, out _))
        {
            await socket.Receiver.WaitForMessageAsync(cancellation).ConfigureAwait(false);
        }

        return reader.Frames!;
    }

    /// <summary>
    /// Calls an action when messages have arrived, for programs with an event loop of their own. The action must return
    /// soon, must not throw, and may be called on any thread and without need: it tells the program's own thread to
    /// receive. It is also called before this method returns. A socket has one such action, or is in one
    /// <see cref="ZeroMqPoller"/>.
    /// </summary>
    /// <returns>An object whose disposal ends the calls; a call that is in progress is completed.</returns>
    /// <exception cref="InvalidOperationException">The socket has an action, or is in a poller.</exception>
    public static IDisposable WatchMessages<TSocket>(this TSocket socket, Action onMessages)
        where TSocket : MessageSocket, IReceivingSocket
    {
        ArgumentNullException.ThrowIfNull(socket);
        ArgumentNullException.ThrowIfNull(onMessages);
        if (!socket.Receiver.Queue.TryWatch(onMessages))
        {
            throw new InvalidOperationException("The messages of the socket are already watched.");
        }

        onMessages();
        return new SocketWatch(socket.Receiver.Queue.Unwatch);
    }

    /// <summary>
    /// Receives messages in an endless sequence. The sequence ends without an exception if the socket is closed.
    /// </summary>
    /// <returns>
    /// One message object that is reused: each step replaces its content with the next message. The sequence owns this
    /// object; copy the content to keep it.
    /// </returns>
    public static async IAsyncEnumerable<ZeroMqMessage> ReceiveAllAsync<TSocket>(
        this TSocket socket, [EnumeratorCancellation] CancellationToken cancellation = default)
        where TSocket : MessageSocket, IReceivingSocket
    {
        using var message = new ZeroMqMessage();
        while (await TryReceiveNextAsync(socket, message, cancellation).ConfigureAwait(false))
        {
            yield return message;
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private static async ValueTask<bool> TryReceiveNextAsync<TSocket>(
        TSocket socket, ZeroMqMessage message, CancellationToken cancellation)
        where TSocket : MessageSocket, IReceivingSocket
    {
        try
        {
            await socket.Receiver.ReceiveAsync(message, cancellation).ConfigureAwait(false);
            return true;
        }
        catch (ObjectDisposedException) when (socket.IsClosed)
        {
            return false;
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private static async ValueTask<int> ReceiveSlowlyAsync<TSocket>(
        TSocket socket, Memory<byte> buffer, bool wasRefused, CancellationToken cancellation)
        where TSocket : MessageSocket, IReceivingSocket
    {
        while (true)
        {
            if (!wasRefused)
            {
                await socket.Receiver.WaitForMessageAsync(cancellation).ConfigureAwait(false);
            }

            if (socket.TryReceive(buffer.Span, out int size))
            {
                return size;
            }

            wasRefused = false;
        }
    }

    [DoesNotReturn]
    private static void ThrowDoesNotFit(int size, int room) => throw new InvalidOperationException(size < 0
        ? "The next message has several frames; receive it as a ZeroMqMessage or as frames."
        : $"The next message has {size} bytes, but the buffer has only {room}.");

    [DoesNotReturn]
    private static T ThrowHasSeveralFrames<T>()
        => throw new InvalidOperationException(
            "The next message has several frames; receive it as a ZeroMqMessage or as frames.");
}
