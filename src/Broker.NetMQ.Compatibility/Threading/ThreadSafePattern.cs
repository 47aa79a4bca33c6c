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

    /// <summary>Stores the frame before a received message's own in the message.</summary>
    internal virtual void TakeHead(ReadOnlySpan<byte> head, ref Msg msg)
    {
    }
}
