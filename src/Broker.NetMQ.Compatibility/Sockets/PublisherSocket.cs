using Zmq = Broker.ZeroMq;

namespace NetMQ.Sockets;

/// <summary>PUB: sends to all peers that have subscribed.</summary>
public class PublisherSocket : NetMQSocket
{
    /// <summary>Creates a socket.</summary>
    /// <param name="connectionString">
    /// Addresses, separated by commas. <c>@</c> before an address binds it, <c>&gt;</c> connects to it; without either
    /// the socket binds.
    /// </param>
    public PublisherSocket(string? connectionString = null)
        : base(connectionString, DefaultAction.Bind)
    {
    }

    /// <summary>Not supported: sockets of this type do not receive.</summary>
    /// <exception cref="NotSupportedException">Always.</exception>
    public override bool TryReceive(ref Msg msg, TimeSpan timeout)
        => throw new NotSupportedException("Sockets of this type do not receive.");

    internal override StartedSocket Create(Zmq.ZeroMqContext context)
        => StartedSocket.Sends(new Zmq.PublisherSocket(Settings.Fill(new Zmq.PublisherSocketOptions()), context));
}
