using Zmq = Broker.ZeroMq;

namespace NetMQ.Sockets;

/// <summary>PULL: receives from all its peers.</summary>
public class PullSocket : NetMQSocket
{
    /// <summary>Creates a socket.</summary>
    /// <param name="connectionString">
    /// Addresses, separated by commas. <c>@</c> before an address binds it, <c>&gt;</c> connects to it; without either
    /// the socket binds.
    /// </param>
    public PullSocket(string? connectionString = null)
        : base(connectionString, DefaultAction.Bind)
    {
    }

    /// <summary>Not supported: sockets of this type do not send.</summary>
    /// <exception cref="NotSupportedException">Always.</exception>
    public override bool TrySend(ref Msg msg, TimeSpan timeout, bool more)
        => throw new NotSupportedException("Sockets of this type do not send.");

    internal override StartedSocket Create(Zmq.ZeroMqContext context)
        => StartedSocket.Receives(new Zmq.PullSocket(Settings.Fill(new Zmq.ZeroMqSocketOptions()), context));
}
