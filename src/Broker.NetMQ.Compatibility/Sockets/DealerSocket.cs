using Zmq = Broker.ZeroMq;

namespace NetMQ.Sockets;

/// <summary>DEALER: sends to its peers in turn and receives from all of them.</summary>
public class DealerSocket : NetMQSocket
{
    /// <summary>Creates a socket.</summary>
    /// <param name="connectionString">
    /// Addresses, separated by commas. <c>@</c> before an address binds it, <c>&gt;</c> connects to it; without either
    /// the socket connects.
    /// </param>
    public DealerSocket(string? connectionString = null)
        : base(connectionString, DefaultAction.Connect)
    {
    }

    internal override StartedSocket Create(Zmq.ZeroMqContext context)
        => StartedSocket.SendsAndReceives(new Zmq.DealerSocket(Settings.Fill(new Zmq.ZeroMqSocketOptions()), context));
}
