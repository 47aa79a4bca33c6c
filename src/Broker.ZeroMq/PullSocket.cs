using Broker.ZeroMq.Loops;

namespace Broker.ZeroMq;

/// <summary>PULL: receives from all PUSH peers, in turn among the peers that have sent (RFC 30).</summary>
/// <example><code>
/// using var pull = new PullSocket();
/// pull.Bind("tcp://127.0.0.1:5558");
/// Console.WriteLine(pull.ReceiveString());
/// </code></example>
public sealed class PullSocket : MessageSocket, IReceivingSocket
{
    /// <inheritdoc cref="PushSocket(ZeroMqSocketOptions?, ZeroMqContext?)"/>
    public PullSocket(ZeroMqSocketOptions? options = null, ZeroMqContext? context = null)
        : base(options, context)
    {
        Attach(() => new LoopPull(Loop, CreateSink(), Options));
    }

    /// <inheritdoc/>
    public bool HasMessages => Receiver.Queue.HasMessages;
}
