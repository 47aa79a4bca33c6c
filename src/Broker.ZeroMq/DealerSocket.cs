using Broker.ZeroMq.Queues;
using Broker.ZeroMq.RequestReply;

namespace Broker.ZeroMq;

/// <summary>
/// DEALER: gives each message to one peer, in turn among those that are not full, and receives from all (RFC 28). Messages go in and out as
/// they are: towards REP peers the application writes the empty frame before the body itself, and finds it before replies.
/// </summary>
public sealed class DealerSocket : MessageSocket, ISendingSocket, IReceivingSocket
{
    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="options">Default: those of a new <see cref="ZeroMqSocketOptions"/>.</param>
    /// <param name="context">Default: one of its own, on the shared loops.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public DealerSocket(ZeroMqSocketOptions? options = null, ZeroMqContext? context = null)
        : base(options, context)
    {
        var socket = new LoopDealer(Loop, new QueueSink(MakeInbound()), Options);
        SendBy(socket);
        Serve(socket);
    }

    /// <inheritdoc/>
    public bool HasRoom => CanSend;

    /// <inheritdoc/>
    public bool HasMessages => CanReceive;
}
