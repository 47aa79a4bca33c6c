using Broker.ZeroMq.Exclusive;
using Broker.ZeroMq.Queues;

namespace Broker.ZeroMq;

/// <summary>PAIR: one peer at a time, both ways; a second one is refused (RFC 31).</summary>
public sealed class PairSocket : MessageSocket, ISendingSocket, IReceivingSocket
{
    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="options">Default: those of a new <see cref="ZeroMqSocketOptions"/>.</param>
    /// <param name="context">Default: one of its own, on the shared loops.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public PairSocket(ZeroMqSocketOptions? options = null, ZeroMqContext? context = null)
        : base(options, context)
    {
        var socket = new LoopPair(Loop, new QueueSink(MakeInbound()), Options);
        SendBy(socket);
        Serve(socket);
    }

    /// <inheritdoc/>
    public bool HasRoom => CanSend;

    /// <inheritdoc/>
    public bool HasMessages => CanReceive;
}
