using Broker.ZeroMq.Loops;

namespace Broker.ZeroMq;

/// <summary>
/// PAIR: exchanges messages with one peer at a time, in both directions. A second peer is refused (RFC 31).
/// </summary>
public sealed class PairSocket : MessageSocket, ISendingSocket, IReceivingSocket
{
    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="options">The options; null for a new <see cref="ZeroMqSocketOptions"/>.</param>
    /// <param name="context">
    /// The context; null creates a separate context on the shared event loops of the process.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public PairSocket(ZeroMqSocketOptions? options = null, ZeroMqContext? context = null)
        : base(options, context)
    {
        Attach(() =>
        {
            var socket = new LoopPair(Loop, CreateSink(), Options);
            SendThrough(socket);
            return socket;
        });
    }

    /// <inheritdoc/>
    public bool HasRoom => Sender.Queue.HasRoom;

    /// <inheritdoc/>
    public bool HasMessages => Receiver.Queue.HasMessages;
}
