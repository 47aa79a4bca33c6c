using System.Runtime.CompilerServices;
using System.Text;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq;

/// <summary>Sends messages, by any number of threads at the same time. What is handed in is copied before the return.</summary>
/// <remarks>
/// <para>
/// A message goes whole or not at all, however many frames it has. It is sent at once when little is sent, and together with others, up to
/// about a millisecond later, when much is. The messages of one thread stay in order.
/// </para>
/// <para>
/// <c>Send</c> blocks while no peer has room, for at most <see cref="ZeroMqSocketOptions.SendTimeout"/>; <c>TrySend</c> for
/// as long as it is told, by default not at all; <c>SendAsync</c> awaits room without a limit but the cancellation. Taken means that the
/// socket has it, not that a peer has. Before it blocks, one thread looks for room up to <see cref="ZeroMqSocketOptions.Attempts"/> times.
/// </para>
/// <para>All of it throws <see cref="ObjectDisposedException"/> when the socket is closed, also while it waits.</para>
/// </remarks>
public static class Sending
{
    /// <summary>Sends a message of one frame.</summary>
    /// <exception cref="TimeoutException">No peer had room for the time of <see cref="ZeroMqSocketOptions.SendTimeout"/>.</exception>
    [OverloadResolutionPriority(1)]
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static void Send<TSocket>(this TSocket socket, ReadOnlySpan<byte> frame)
        where TSocket : MessageSocket, ISendingSocket
        => socket.SendMessage(new Encoders.OneFrame(frame));

    /// <summary>Sends a message of one frame, in UTF-8.</summary>
    /// <inheritdoc cref="Send{TSocket}(TSocket, ReadOnlySpan{byte})"/>
    public static void Send<TSocket>(this TSocket socket, string frame)
        where TSocket : MessageSocket, ISendingSocket
        => socket.SendMessage(new TextEncoder(frame));

    /// <summary>Sends a message of two frames, such as a topic and what is published under it.</summary>
    /// <inheritdoc cref="Send{TSocket}(TSocket, ReadOnlySpan{byte})"/>
    public static void Send<TSocket>(this TSocket socket, ReadOnlySpan<byte> first, ReadOnlySpan<byte> second)
        where TSocket : MessageSocket, ISendingSocket
        => socket.SendMessage(new Encoders.TwoFrames(first, second));

    /// <summary>Sends a message of two frames, in UTF-8.</summary>
    /// <inheritdoc cref="Send{TSocket}(TSocket, ReadOnlySpan{byte})"/>
    public static void Send<TSocket>(this TSocket socket, string first, string second)
        where TSocket : MessageSocket, ISendingSocket
        => socket.SendMessage(new Encoders.TwoFrames(Encoding.UTF8.GetBytes(first), Encoding.UTF8.GetBytes(second)));

    /// <summary>Sends a message of any number of frames.</summary>
    /// <exception cref="ArgumentException">It has none.</exception>
    /// <inheritdoc cref="Send{TSocket}(TSocket, ReadOnlySpan{byte})"/>
    public static void Send<TSocket>(this TSocket socket, ReadOnlySpan<ReadOnlyMemory<byte>> frames)
        where TSocket : MessageSocket, ISendingSocket
        => socket.SendMessage(new Encoders.ManyFrames(Frames(frames)));

    /// <summary>Sends a message, which stays as it is.</summary>
    /// <exception cref="ArgumentException">It has no frame.</exception>
    /// <inheritdoc cref="Send{TSocket}(TSocket, ReadOnlySpan{byte})"/>
    public static void Send<TSocket>(this TSocket socket, ZeroMqMessage message)
        where TSocket : MessageSocket, ISendingSocket
        => socket.SendMessage(new Encoders.Verbatim(Encoded(message)));

    /// <summary>Sends a message of one frame if there is room within the time.</summary>
    /// <returns>False when there was none, and nothing was sent.</returns>
    [OverloadResolutionPriority(1)]
    public static bool TrySend<TSocket>(this TSocket socket, ReadOnlySpan<byte> frame, TimeSpan timeout = default)
        where TSocket : MessageSocket, ISendingSocket
        => socket.TrySendMessage(new Encoders.OneFrame(frame), timeout);

    /// <summary>Sends a message of one frame, in UTF-8, if there is room within the time.</summary>
    /// <inheritdoc cref="TrySend{TSocket}(TSocket, ReadOnlySpan{byte}, TimeSpan)"/>
    public static bool TrySend<TSocket>(this TSocket socket, string frame, TimeSpan timeout = default)
        where TSocket : MessageSocket, ISendingSocket
        => socket.TrySendMessage(new TextEncoder(frame), timeout);

    /// <summary>Sends a message of two frames if there is room within the time.</summary>
    /// <inheritdoc cref="TrySend{TSocket}(TSocket, ReadOnlySpan{byte}, TimeSpan)"/>
    public static bool TrySend<TSocket>(
        this TSocket socket, ReadOnlySpan<byte> first, ReadOnlySpan<byte> second, TimeSpan timeout = default)
        where TSocket : MessageSocket, ISendingSocket
        => socket.TrySendMessage(new Encoders.TwoFrames(first, second), timeout);

    /// <summary>Sends a message of any number of frames if there is room within the time.</summary>
    /// <exception cref="ArgumentException">It has none.</exception>
    /// <inheritdoc cref="TrySend{TSocket}(TSocket, ReadOnlySpan{byte}, TimeSpan)"/>
    public static bool TrySend<TSocket>(
        this TSocket socket, ReadOnlySpan<ReadOnlyMemory<byte>> frames, TimeSpan timeout = default)
        where TSocket : MessageSocket, ISendingSocket
        => socket.TrySendMessage(new Encoders.ManyFrames(Frames(frames)), timeout);

    /// <summary>Sends a message, which stays as it is, if there is room within the time.</summary>
    /// <exception cref="ArgumentException">It has no frame.</exception>
    /// <inheritdoc cref="TrySend{TSocket}(TSocket, ReadOnlySpan{byte}, TimeSpan)"/>
    public static bool TrySend<TSocket>(this TSocket socket, ZeroMqMessage message, TimeSpan timeout = default)
        where TSocket : MessageSocket, ISendingSocket
        => socket.TrySendMessage(new Encoders.Verbatim(Encoded(message)), timeout);

    /// <summary>Sends a message of one frame; awaits room. The memory must not change before it has ended.</summary>
    /// <exception cref="OperationCanceledException">Cancelled; nothing was sent.</exception>
    public static ValueTask SendAsync<TSocket>(
        this TSocket socket, ReadOnlyMemory<byte> frame, CancellationToken cancellation = default)
        where TSocket : MessageSocket, ISendingSocket
        => socket.SendMessageAsync(frame, cancellation);

    /// <summary>Sends a message of one frame, in UTF-8; awaits room.</summary>
    /// <inheritdoc cref="SendAsync{TSocket}(TSocket, ReadOnlyMemory{byte}, CancellationToken)"/>
    public static ValueTask SendAsync<TSocket>(this TSocket socket, string frame, CancellationToken cancellation = default)
        where TSocket : MessageSocket, ISendingSocket
        => socket.SendMessageAsync(Encoding.UTF8.GetBytes(frame), cancellation);

    /// <summary>Sends a message; awaits room. The message must not change before it has ended.</summary>
    /// <exception cref="ArgumentException">It has no frame.</exception>
    /// <inheritdoc cref="SendAsync{TSocket}(TSocket, ReadOnlyMemory{byte}, CancellationToken)"/>
    public static ValueTask SendAsync<TSocket>(this TSocket socket, ZeroMqMessage message, CancellationToken cancellation = default)
        where TSocket : MessageSocket, ISendingSocket
    {
        Encoded(message);
        return socket.SendMessageAsync(message, cancellation);
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

    private static ReadOnlySpan<ReadOnlyMemory<byte>> Frames(ReadOnlySpan<ReadOnlyMemory<byte>> frames) =>
        frames.IsEmpty ? throw new ArgumentException("A message has at least one frame.", nameof(frames)) : frames;

    /// <summary>Text that is encoded where it is sent from.</summary>
    private readonly struct TextEncoder(string text) : IZmtpEncoder
    {
        private readonly int _length = Encoding.UTF8.GetByteCount(text);

        public int EncodedSize => ZmtpWriter.FrameSize(_length);

        public void Encode(Span<byte> destination)
        {
            int header = ZmtpWriter.WriteHeader(destination, _length, more: false);
            Encoding.UTF8.GetBytes(text, destination[header..]);
        }
    }
}
