using Broker.ZeroMq;

namespace NetMQ;

/// <summary>The sending side of a started socket, whatever its type.</summary>
internal abstract class SendHalf
{
    internal abstract bool HasRoom { get; }

    internal abstract bool TrySend(ReadOnlySpan<byte> frame, TimeSpan timeout);

    internal abstract bool TrySend(ZeroMqMessage message, TimeSpan timeout);

    internal abstract void AddTo(ZeroMqPoller poller, Action onRoom);

    internal abstract void RemoveFrom(ZeroMqPoller poller);
}
