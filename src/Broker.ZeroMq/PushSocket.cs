using Broker.ZeroMq.Pipeline;

namespace Broker.ZeroMq;

/// <summary>PUSH: gives each message to one PULL peer, in turn among those that are not full; blocks when there is none (RFC 30).</summary>
public sealed class PushSocket : MessageSocket, ISendingSocket
{
    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="options">Default: those of a new <see cref="ZeroMqSocketOptions"/>.</param>
    /// <param name="context">Default: one of its own, on the shared loops.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public PushSocket(ZeroMqSocketOptions? options = null, ZeroMqContext? context = null)
        : base(options, context)
    {
        var socket = new LoopPush(Loop, Options);
        SendBy(socket);
        Serve(socket);
    }

    /// <inheritdoc/>
    public bool HasRoom => CanSend;
}
