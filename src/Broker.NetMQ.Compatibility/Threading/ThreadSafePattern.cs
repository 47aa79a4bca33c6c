using Broker.ZeroMq;

namespace NetMQ;

/// <summary>How the messages of one type of thread-safe socket become frames.</summary>
internal abstract class ThreadSafePattern
{
    /// <summary>Whether sockets of the type send.</summary>
    internal abstract bool Sends { get; }

    /// <summary>Whether sockets of the type receive.</summary>
    internal abstract bool Receives { get; }

    internal static ThreadSafePattern For(ZmqSocketType type) => type switch
    {
        ZmqSocketType.Client or ZmqSocketType.Scatter or ZmqSocketType.Gather => new PlainPattern(type),
        ZmqSocketType.Server => new ServerPattern(),
        ZmqSocketType.Radio => new RadioPattern(),
        ZmqSocketType.Dish => new DishPattern(),
        _ => throw new InvalidException($"{type} is not a type of thread-safe sockets."),
    };

    internal abstract StartedSocket Create(SocketSettings settings, ZeroMqContext context);

    /// <summary>The frame before the message's own; null if there is none.</summary>
    internal virtual byte[]? HeadOf(in Msg msg) => null;

    /// <summary>Moves a received message into one that is not initialised.</summary>
    internal virtual void MoveTo(ZeroMqMessage message, ref Msg msg) => Copy(message.Last, ref msg);

    /// <summary>Copies a frame into a message that is not initialised.</summary>
    private protected static void Copy(ReadOnlySpan<byte> frame, ref Msg msg)
    {
        msg.InitPool(frame.Length);
        frame.CopyTo(msg.Slice());
    }
}
