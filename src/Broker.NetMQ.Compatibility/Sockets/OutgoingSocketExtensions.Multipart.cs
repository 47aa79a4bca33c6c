namespace NetMQ;

public static partial class OutgoingSocketExtensions
{
    /// <summary>Sends a message with one frame for each array.</summary>
    /// <exception cref="ArgumentException">There are no frames.</exception>
    public static void SendMultipartBytes(this IOutgoingSocket socket, params byte[][] frames)
        => SendMultipartBytes(socket, (IEnumerable<byte[]>)frames);

    /// <inheritdoc cref="SendMultipartBytes(IOutgoingSocket, byte[][])"/>
    public static void SendMultipartBytes(this IOutgoingSocket socket, IEnumerable<byte[]> frames)
    {
        bool isSent = TrySendMultipartBytes(socket, SendReceiveConstants.InfiniteTimeout, frames);
        ObjectDisposedException.ThrowIf(!isSent, socket);
    }

    /// <inheritdoc cref="SendMultipartBytes(IOutgoingSocket, byte[][])"/>
    public static bool TrySendMultipartBytes(this IOutgoingSocket socket, TimeSpan timeout, params byte[][] frames)
        => TrySendMultipartBytes(socket, timeout, (IEnumerable<byte[]>)frames);

    /// <inheritdoc cref="SendMultipartBytes(IOutgoingSocket, byte[][])"/>
    public static bool TrySendMultipartBytes(
        this IOutgoingSocket socket, TimeSpan timeout, IEnumerable<byte[]> frames)
    {
        using IEnumerator<byte[]> next = frames.GetEnumerator();
        return TrySendAll(socket, timeout, next, static frame => (frame, frame.Length));
    }

    /// <inheritdoc cref="SendMultipartBytes(IOutgoingSocket, byte[][])"/>
    public static bool TrySendMultipartBytes(this IOutgoingSocket socket, params byte[][] frames)
        => TrySendMultipartBytes(socket, TimeSpan.Zero, (IEnumerable<byte[]>)frames);

    /// <inheritdoc cref="SendMultipartBytes(IOutgoingSocket, byte[][])"/>
    public static bool TrySendMultipartBytes(this IOutgoingSocket socket, IEnumerable<byte[]> frames)
        => TrySendMultipartBytes(socket, TimeSpan.Zero, frames);

    /// <summary>Sends a message, which stays as it is.</summary>
    /// <exception cref="ArgumentException">The message has no frames.</exception>
    public static void SendMultipartMessage(this IOutgoingSocket socket, NetMQMessage message)
    {
        bool isSent = TrySendMultipartMessage(socket, SendReceiveConstants.InfiniteTimeout, message);
        ObjectDisposedException.ThrowIf(!isSent, socket);
    }

    /// <inheritdoc cref="SendMultipartMessage"/>
    public static bool TrySendMultipartMessage(this IOutgoingSocket socket, TimeSpan timeout, NetMQMessage message)
    {
        using IEnumerator<NetMQFrame> next = message.GetEnumerator();
        return TrySendAll(socket, timeout, next, static frame => (frame.Buffer, frame.MessageSize));
    }

    /// <inheritdoc cref="SendMultipartMessage"/>
    public static bool TrySendMultipartMessage(this IOutgoingSocket socket, NetMQMessage message)
        => TrySendMultipartMessage(socket, TimeSpan.Zero, message);

    /// <summary>Sends a routing id, which is followed by more frames.</summary>
    public static void SendMoreFrame(this IOutgoingSocket socket, RoutingKey routingKey)
        => SendMoreFrame(socket, routingKey.Bytes);

    /// <summary>Sends a routing id, which is followed by more frames.</summary>
    public static bool TrySendFrame(this IOutgoingSocket socket, RoutingKey routingKey)
        => TrySendFrame(socket, TimeSpan.Zero, routingKey);

    /// <summary>Sends a routing id, which is followed by more frames.</summary>
    public static bool TrySendFrame(this IOutgoingSocket socket, TimeSpan timeout, RoutingKey routingKey)
        => TrySendFrame(socket, timeout, routingKey.Bytes, more: true);

    /// <summary>Sends the empty frame that ends the routing ids.</summary>
    public static IOutgoingSocket SendEmptyRoutingKeys(this IOutgoingSocket socket) => SendMoreFrameEmpty(socket);

    /// <summary>Sends routing ids and the empty frame that ends them.</summary>
    public static IOutgoingSocket SendRoutingKeys(this IOutgoingSocket socket, params RoutingKey[] routingKeys)
        => SendRoutingKeys(socket, (IEnumerable<RoutingKey>)routingKeys);

    /// <inheritdoc cref="SendRoutingKeys(IOutgoingSocket, RoutingKey[])"/>
    public static IOutgoingSocket SendRoutingKeys(this IOutgoingSocket socket, IEnumerable<RoutingKey> routingKeys)
    {
        ArgumentNullException.ThrowIfNull(routingKeys);
        foreach (RoutingKey key in routingKeys)
        {
            socket.SendMoreFrame(key);
        }

        return socket.SendMoreFrameEmpty();
    }

    /// <inheritdoc cref="SendRoutingKeys(IOutgoingSocket, RoutingKey[])"/>
    public static bool TrySendRoutingKeys(this IOutgoingSocket socket, IEnumerable<RoutingKey> routingKeys)
        => TrySendRoutingKeys(socket, TimeSpan.Zero, routingKeys);

    /// <inheritdoc cref="SendRoutingKeys(IOutgoingSocket, RoutingKey[])"/>
    public static bool TrySendRoutingKeys(
        this IOutgoingSocket socket, TimeSpan timeout, IEnumerable<RoutingKey> routingKeys)
    {
        ArgumentNullException.ThrowIfNull(routingKeys);
        bool isFirst = true;
        foreach (RoutingKey key in routingKeys)
        {
            if (!isFirst)
            {
                socket.SendMoreFrame(key);
            }
            else if (!socket.TrySendFrame(timeout, key))
            {
                return false;
            }

            isFirst = false;
        }

        if (isFirst)
        {
            return socket.TrySendFrameEmpty(timeout, more: true);
        }

        socket.SendMoreFrameEmpty();
        return true;
    }

    // Frames is read by its enumerator, so that a null throws as it does in NetMQ.
    private static bool TrySendAll<TFrame>(
        IOutgoingSocket socket, TimeSpan timeout, IEnumerator<TFrame> frames,
        Func<TFrame, (byte[] Data, int Length)> content)
    {
        ArgumentNullException.ThrowIfNull(socket);
        if (!frames.MoveNext())
        {
            throw new ArgumentException("A message has at least one frame.", nameof(frames));
        }

        (byte[] data, int length) = content(frames.Current);
        bool more = frames.MoveNext();
        if (!socket.TrySendFrame(timeout, data, length, more))
        {
            return false;
        }

        while (more)
        {
            (data, length) = content(frames.Current);
            more = frames.MoveNext();
            socket.SendFrame(data, length, more);
        }

        return true;
    }
}
