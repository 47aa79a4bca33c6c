using Broker.ZeroMq;

namespace NetMQ;

/// <summary>A socket of Broker.ZeroMq with its sides.</summary>
/// <param name="Socket">The socket.</param>
/// <param name="Send">The sending side; null if the type does not send.</param>
/// <param name="Receive">The receiving side; null if the type does not receive.</param>
internal sealed record StartedSocket(MessageSocket Socket, SendHalf? Send, ReceiveHalf? Receive)
{
    internal static StartedSocket Sends<TSocket>(TSocket socket)
        where TSocket : MessageSocket, ISendingSocket
        => new(socket, new SendHalfOf<TSocket>(socket), null);

    internal static StartedSocket Receives<TSocket>(TSocket socket)
        where TSocket : MessageSocket, Broker.ZeroMq.IReceivingSocket
        => new(socket, null, new ReceiveHalfOf<TSocket>(socket));

    internal static StartedSocket SendsAndReceives<TSocket>(TSocket socket)
        where TSocket : MessageSocket, ISendingSocket, Broker.ZeroMq.IReceivingSocket
        => new(socket, new SendHalfOf<TSocket>(socket), new ReceiveHalfOf<TSocket>(socket));
}
