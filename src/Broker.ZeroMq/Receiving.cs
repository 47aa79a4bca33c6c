using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Broker.ZeroMq.Receivers;

namespace Broker.ZeroMq;

/// <summary>Receives messages, by any number of threads at the same time; each message goes to one of them, whole.</summary>
/// <remarks>
/// <para>
/// Peers that have sent take turns, message by message. <c>Receive</c> blocks until there is a message, for at most
/// <see cref="ZeroMqSocketOptions.ReceiveTimeout"/>; <c>TryReceive</c> for as long as it is told, by default not at all;
/// <c>ReceiveAsync</c> awaits one without a limit but the cancellation. Before it blocks, one thread looks for a message up to
/// <see cref="ZeroMqSocketOptions.Attempts"/> times. No clock is read before there was none at first.
/// </para>
/// <para>
/// Into a buffer only messages of one frame go that fit: another one stays the next, and an exception says what it is. A
/// <see cref="ZeroMqMessage"/> takes every message and can be used again and again; arrays and strings are allocated anew.
/// </para>
/// <para>All of it throws <see cref="ObjectDisposedException"/> when the socket is closed, also while it waits.</para>
/// </remarks>
public static partial class Receiving
{
    /// <summary>Receives a message, whatever it is.</summary>
    /// <param name="socket">The socket.</param>
    /// <param name="message">What it has is replaced.</param>
    /// <exception cref="TimeoutException">None came within <see cref="ZeroMqSocketOptions.ReceiveTimeout"/>.</exception>
    public static void Receive<TSocket>(this TSocket socket, ZeroMqMessage message)
        where TSocket : MessageSocket, IReceivingSocket
    {
        ArgumentNullException.ThrowIfNull(message);
        var reader = new MessageReader(message);
        socket.ReceiveMessage(ref reader);
    }

    /// <summary>Receives a message of one frame into memory of the caller's.</summary>
    /// <returns>The size of the frame.</returns>
    /// <exception cref="TimeoutException">None came within <see cref="ZeroMqSocketOptions.ReceiveTimeout"/>.</exception>
    /// <exception cref="InvalidOperationException">
    /// The next message has several frames, or does not fit. It is still the next.
    /// </exception>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static int Receive<TSocket>(this TSocket socket, Span<byte> buffer)
        where TSocket : MessageSocket, IReceivingSocket
    {
        var reader = new BufferReader(buffer);
        if (!socket.ReceiveMessage(ref reader))
        {
            ThrowDoesNotFit(reader.FrameSize, buffer.Length);
        }

        return reader.FrameSize;
    }

    /// <summary>Receives a message of one frame into an array of its own.</summary>
    /// <exception cref="InvalidOperationException">The next message has several frames. It is still the next.</exception>
    /// <inheritdoc cref="Receive{TSocket}(TSocket, ZeroMqMessage)"/>
    public static byte[] ReceiveBytes<TSocket>(this TSocket socket)
        where TSocket : MessageSocket, IReceivingSocket
    {
        var reader = default(ArrayReader);
        return socket.ReceiveMessage(ref reader) ? reader.Bytes! : ThrowHasSeveralFrames<byte[]>();
    }

    /// <summary>Receives a message of one frame as a string in UTF-8.</summary>
    /// <inheritdoc cref="ReceiveBytes{TSocket}(TSocket)"/>
    public static string ReceiveString<TSocket>(this TSocket socket)
        where TSocket : MessageSocket, IReceivingSocket
    {
        var reader = default(Utf8Reader);
        return socket.ReceiveMessage(ref reader) ? reader.Text! : ThrowHasSeveralFrames<string>();
    }

    /// <summary>Receives a message of any number of frames, each in an array of its own.</summary>
    /// <inheritdoc cref="Receive{TSocket}(TSocket, ZeroMqMessage)"/>
    public static byte[][] ReceiveFrames<TSocket>(this TSocket socket)
        where TSocket : MessageSocket, IReceivingSocket
    {
        var reader = default(FramesReader);
        socket.ReceiveMessage(ref reader);
        return reader.Frames!;
    }

    /// <summary>Receives a message, whatever it is, if there is one within the time.</summary>
    /// <returns>False when there was none; the message is as it was.</returns>
    public static bool TryReceive<TSocket>(this TSocket socket, ZeroMqMessage message, TimeSpan timeout = default)
        where TSocket : MessageSocket, IReceivingSocket
    {
        ArgumentNullException.ThrowIfNull(message);
        var reader = new MessageReader(message);
        return socket.TryReceiveMessage(ref reader, timeout, out _);
    }

    /// <summary>Receives a message of one frame into memory of the caller's, if there is one within the time.</summary>
    /// <returns>False when there was none.</returns>
    /// <exception cref="InvalidOperationException">
    /// The next message has several frames, or does not fit. It is still the next.
    /// </exception>
    public static bool TryReceive<TSocket>(this TSocket socket, Span<byte> buffer, out int size, TimeSpan timeout = default)
        where TSocket : MessageSocket, IReceivingSocket
    {
        var reader = new BufferReader(buffer);
        bool received = socket.TryReceiveMessage(ref reader, timeout, out bool wasRefused);
        if (wasRefused)
        {
            ThrowDoesNotFit(reader.FrameSize, buffer.Length);
        }

        size = reader.FrameSize;
        return received;
    }

    /// <summary>Receives a message of one frame as a string in UTF-8, if there is one within the time.</summary>
    /// <returns>False when there was none.</returns>
    /// <exception cref="InvalidOperationException">The next message has several frames. It is still the next.</exception>
    public static bool TryReceiveString<TSocket>(
        this TSocket socket, [NotNullWhen(true)] out string? text, TimeSpan timeout = default)
        where TSocket : MessageSocket, IReceivingSocket
    {
        var reader = default(Utf8Reader);
        bool received = socket.TryReceiveMessage(ref reader, timeout, out bool wasRefused);
        text = wasRefused ? ThrowHasSeveralFrames<string>() : reader.Text;
        return received;
    }

    /// <summary>Receives a message, whatever it is; awaits one.</summary>
    /// <param name="socket">The socket.</param>
    /// <param name="message">What it has is replaced. It must not be used otherwise before this has ended.</param>
    /// <param name="cancellation">Ends the wait.</param>
    /// <exception cref="OperationCanceledException">Cancelled; no message was taken.</exception>
    public static ValueTask ReceiveAsync<TSocket>(
        this TSocket socket, ZeroMqMessage message, CancellationToken cancellation = default)
        where TSocket : MessageSocket, IReceivingSocket
    {
        ArgumentNullException.ThrowIfNull(message);
        return socket.ReceiveMessageAsync(message, cancellation);
    }

    /// <summary>Receives a message of one frame into memory of the caller's; awaits one.</summary>
    /// <returns>The size of the frame.</returns>
    /// <exception cref="OperationCanceledException">Cancelled; no message was taken.</exception>
    /// <exception cref="InvalidOperationException">
    /// The next message has several frames, or does not fit. It is still the next.
    /// </exception>
    public static ValueTask<int> ReceiveAsync<TSocket>(
        this TSocket socket, Memory<byte> buffer, CancellationToken cancellation = default)
        where TSocket : MessageSocket, IReceivingSocket
    {
        var reader = new BufferReader(buffer.Span);
        return socket.TryReceiveMessage(ref reader, TimeSpan.Zero, out bool wasRefused)
            ? new ValueTask<int>(reader.FrameSize)
            : ReceiveSlowlyAsync(socket, buffer, wasRefused, cancellation);
    }

    /// <summary>Receives a message of one frame as a string in UTF-8; awaits one.</summary>
    /// <exception cref="OperationCanceledException">Cancelled; no message was taken.</exception>
    /// <exception cref="InvalidOperationException">The next message has several frames. It is still the next.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public static async ValueTask<string> ReceiveStringAsync<TSocket>(this TSocket socket, CancellationToken cancellation = default)
        where TSocket : MessageSocket, IReceivingSocket
    {
        string? text;
        while (!socket.TryReceiveString(out text))
        {
            await socket.AwaitMessageAsync(cancellation).ConfigureAwait(false);
        }

        return text;
    }

    /// <summary>Receives a message of any number of frames, each in an array of its own; awaits one.</summary>
    /// <exception cref="OperationCanceledException">Cancelled; no message was taken.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public static async ValueTask<byte[][]> ReceiveFramesAsync<TSocket>(this TSocket socket, CancellationToken cancellation = default)
        where TSocket : MessageSocket, IReceivingSocket
    {
        var reader = default(FramesReader);
        while (!socket.TryReceiveMessage(ref reader, TimeSpan.Zero, out _))
        {
            await socket.AwaitMessageAsync(cancellation).ConfigureAwait(false);
        }

        return reader.Frames!;
    }

    /// <summary>All messages from now on, one after the other, until it is cancelled or the socket is closed, which ends it quietly.</summary>
    /// <returns>
    /// The same message object each time, with the next message in it: it is the enumeration's, and copied by whoever keeps it.
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
            await socket.ReceiveMessageAsync(message, cancellation).ConfigureAwait(false);
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
                await socket.AwaitMessageAsync(cancellation).ConfigureAwait(false);
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
        : $"The next message has {size} octets, and the buffer has room for {room}.");

    [DoesNotReturn]
    private static T ThrowHasSeveralFrames<T>() =>
        throw new InvalidOperationException("The next message has several frames; receive it as a ZeroMqMessage or as frames.");
}
