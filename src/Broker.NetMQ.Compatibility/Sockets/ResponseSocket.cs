using Zmq = Broker.ZeroMq;

namespace NetMQ.Sockets;

/// <summary>REP: receives a request, sends its reply, and so on in turn.</summary>
/// <example><code>
/// using var server = new ResponseSocket("@tcp://127.0.0.1:5560");
/// string request = server.ReceiveFrameString();
/// server.SendFrame(request + " world");
/// </code></example>
public class ResponseSocket : NetMQSocket
{
    /// <summary>Creates a socket.</summary>
    /// <param name="connectionString">
    /// Addresses, separated by commas. <c>@</c> before an address binds it, <c>&gt;</c> connects to it; without either
    /// the socket binds.
    /// </param>
    public ResponseSocket(string? connectionString = null)
        : base(connectionString, DefaultAction.Bind)
    {
        IsAlternating = true;
        MaySend = false;
    }

    internal override StartedSocket Create(Zmq.ZeroMqContext context)
        => StartedSocket.SendsAndReceives(
            new Zmq.ResponseSocket(Settings.Fill(new Zmq.ZeroMqSocketOptions()), context));
}
