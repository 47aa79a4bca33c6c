using Broker.ZeroMq;

namespace NetMQ;

/// <summary>The receiving side of one type of socket.</summary>
internal sealed class ReceiveHalfOf<TSocket>(TSocket socket) : ReceiveHalf
    where TSocket : MessageSocket, Broker.ZeroMq.IReceivingSocket
{
    internal override bool HasMessages => socket.HasMessages;

    internal override bool TryReceive(ZeroMqMessage message, TimeSpan timeout) => socket.TryReceive(message, timeout);

    internal override bool TryReceive(IFrameReceiver frames, TimeSpan timeout) => socket.TryReceive(frames, timeout);

    internal override ValueTask ReceiveAsync(ZeroMqMessage message, CancellationToken cancellation)
        => socket.ReceiveAsync(message, cancellation);

    internal override IDisposable Watch(Action onMessages) => socket.WatchMessages(onMessages);
}
