using Broker.ZeroMq;

namespace NetMQ;

/// <summary>The sending side of one type of socket.</summary>
internal sealed class SendHalfOf<TSocket>(TSocket socket) : SendHalf
    where TSocket : MessageSocket, ISendingSocket
{
    internal override bool HasRoom => socket.HasRoom;

    internal override bool TrySend(ReadOnlySpan<byte> frame, TimeSpan timeout) => socket.TrySend(frame, timeout);

    internal override bool TrySend(ZeroMqMessage message, TimeSpan timeout) => socket.TrySend(message, timeout);

    internal override ValueTask SendAsync(ZeroMqMessage message, CancellationToken cancellation)
        => socket.SendAsync(message, cancellation);

    internal override IDisposable Watch(Action onRoom) => socket.WatchRoom(onRoom);
}
