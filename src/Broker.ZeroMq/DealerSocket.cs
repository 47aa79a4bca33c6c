using Broker.ZeroMq.Loops;

namespace Broker.ZeroMq;

/// <summary>
/// DEALER: sends each message to one peer, in turn among the peers that have room, and receives from all peers (RFC
/// 28). Messages are sent and received unchanged: for REP peers the application adds the empty frame before the body
/// and removes it from replies.
/// </summary>
public sealed class DealerSocket : MessageSocket, ISendingSocket, IReceivingSocket
{
    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="options">The options; null for a new <see cref="ZeroMqSocketOptions"/>.</param>
    /// <param name="context">The context; null for a context of its own on the shared loops.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public DealerSocket(ZeroMqSocketOptions? options = null, ZeroMqContext? context = null)
        : base(options, context)
    {
        var socket = new LoopDealer(Loop, CreateSink(), Options);
        SendThrough(socket);
        Attach(socket);
    }

    /// <inheritdoc/>
    public bool HasRoom => Sender.Queue.HasRoom;

    /// <inheritdoc/>
    public bool HasMessages => Receiver.Queue.HasMessages;
}
