using Broker.ZeroMq;

namespace NetMQ;

/// <summary>The receiving side of a started socket, whatever its type.</summary>
internal abstract class ReceiveHalf
{
    internal abstract bool HasMessages { get; }

    internal abstract bool TryReceive(ZeroMqMessage message, TimeSpan timeout);

    internal abstract void AddTo(ZeroMqPoller poller, Action onMessage);
}
