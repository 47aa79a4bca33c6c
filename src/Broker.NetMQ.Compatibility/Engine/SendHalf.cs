using Broker.ZeroMq;

namespace NetMQ;

/// <summary>The sending side of a started socket, whatever its type.</summary>
internal abstract class SendHalf
{
    internal abstract bool HasRoom { get; }

    internal abstract bool TrySend(ReadOnlySpan<byte> frame, TimeSpan timeout);

    internal abstract bool TrySend(ZeroMqMessage message, TimeSpan timeout);

    internal abstract ValueTask SendAsync(ZeroMqMessage message, CancellationToken cancellation);

    /// <summary>Calls an action on any thread when there may be room again, until the result is disposed.</summary>
    internal abstract IDisposable Watch(Action onRoom);
}
