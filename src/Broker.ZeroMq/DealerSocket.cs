using Broker.ZeroMq.Loops;

namespace Broker.ZeroMq;

/// <summary>
/// DEALER: sends each message to one peer, in turn among the peers that have room, and receives from all peers (RFC
/// 28). The socket changes no message: to talk to REP peers, the application itself adds the empty frame before the
/// body of a request and removes the empty frame from replies.
/// </summary>
/// <example><code>
/// using var dealer = new DealerSocket();
/// dealer.Connect("tcp://127.0.0.1:5560");
/// dealer.Send("", "hello"); // a REP peer expects an empty frame before the body
/// </code></example>
public sealed class DealerSocket : MessageSocket, ISendingSocket, IReceivingSocket
{
    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="options">The options; null for a new <see cref="ZeroMqSocketOptions"/>.</param>
    /// <param name="context">
    /// The context; null creates a separate context on the shared event loops of the process.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public DealerSocket(ZeroMqSocketOptions? options = null, ZeroMqContext? context = null)
        : base(options, context)
    {
        Attach(() =>
        {
            var socket = new LoopDealer(Loop, CreateSink(), Options);
            SendThrough(socket);
            return socket;
        });
    }

    /// <inheritdoc/>
    public bool HasRoom => Sender.Queue.HasRoom;

    /// <inheritdoc/>
    public bool HasMessages => Receiver.Queue.HasMessages;
}
