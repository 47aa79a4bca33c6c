using Zmq = Broker.ZeroMq;

namespace NetMQ.Sockets;

/// <summary>REQ: sends a request, receives its reply, and so on in turn.</summary>
/// <example><code>
/// using var client = new RequestSocket(">tcp://127.0.0.1:5560");
/// client.SendFrame("hello");
/// Console.WriteLine(client.ReceiveFrameString());
/// </code></example>
public partial class RequestSocket : NetMQSocket
{
    /// <summary>Creates a socket.</summary>
    /// <param name="connectionString">
    /// Addresses, separated by commas. <c>@</c> before an address binds it, <c>&gt;</c> connects to it; without either
    /// the socket connects.
    /// </param>
    public RequestSocket(string? connectionString = null)
        : base(connectionString, DefaultAction.Connect)
    {
        IsAlternating = true;
        MaySend = true;
    }

    internal override StartedSocket Create(Zmq.ZeroMqContext context)
        => StartedSocket.SendsAndReceives(new Zmq.RequestSocket(
            Settings.Fill(new Zmq.RequestSocketOptions()) with
            {
                Relaxed = Settings.Relaxed,
                Correlate = Settings.Correlate,
            },
            context));
}
