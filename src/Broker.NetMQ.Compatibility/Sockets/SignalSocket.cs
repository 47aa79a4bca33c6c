using Broker.ZeroMq;

namespace NetMQ;

/// <summary>
/// A socket without messages, through which a poller watches something else. It has no socket of Broker.ZeroMq.
/// </summary>
/// <param name="isReady">Whether there is something to do. Called on the poller's thread.</param>
internal sealed class SignalSocket(Func<bool> isReady) : NetMQSocket(null, DefaultAction.Connect)
{
    internal override PollEvents ReadyNow(PollEvents wanted)
        => wanted.HasIn() && isReady() ? PollEvents.PollIn : PollEvents.None;

    internal override StartedSocket Create(ZeroMqContext context)
        => throw new NotSupportedException("This socket has no messages and no addresses.");
}
