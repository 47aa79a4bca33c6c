using Broker.ZeroMq;

namespace NetMQ;

/// <summary>The receiving side of a started socket, whatever its type.</summary>
internal abstract class ReceiveHalf
{
    internal abstract bool HasMessages { get; }

    internal abstract bool TryReceive(ZeroMqMessage message, TimeSpan timeout);

    internal abstract bool TryReceive(IFrameReceiver frames, TimeSpan timeout);

    internal abstract ValueTask ReceiveAsync(ZeroMqMessage message, CancellationToken cancellation);

    /// <summary>Calls an action on any thread when messages may have arrived, until the result is disposed.</summary>
    internal abstract IDisposable Watch(Action onMessages);
}
