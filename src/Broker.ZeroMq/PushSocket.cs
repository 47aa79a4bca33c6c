using Broker.ZeroMq.Loops;

namespace Broker.ZeroMq;

/// <summary>
/// PUSH: sends each message to one PULL peer, in turn among the peers that have room. A send blocks while no peer has
/// room (RFC 30).
/// </summary>
/// <example><code>
/// using var push = new PushSocket();
/// push.Connect("tcp://127.0.0.1:5558");
/// push.Send("job 1");
/// </code></example>
public sealed class PushSocket : MessageSocket, ISendingSocket
{
    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="options">The options; null for a new <see cref="ZeroMqSocketOptions"/>.</param>
    /// <param name="context">
    /// The context; null creates a separate context on the shared event loops of the process.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public PushSocket(ZeroMqSocketOptions? options = null, ZeroMqContext? context = null)
        : base(options, context)
    {
        Attach(() =>
        {
            var socket = new LoopPush(Loop, Options);
            SendThrough(socket);
            return socket;
        });
    }

    /// <inheritdoc/>
    public bool HasRoom => Sender.Queue.HasRoom;
}
