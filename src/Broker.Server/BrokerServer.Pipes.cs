using System.IO.Pipelines;
using System.Net;
using System.Security.Cryptography.X509Certificates;
using Broker.Server.Monitoring;
using Broker.Server.Sessions;
using Broker.Transport;
using Broker.Transport.Pipes;

namespace Broker.Server;

public sealed partial class BrokerServer
{
    /// <summary>
    /// Connects a client whose bytes another transport brings by a pipe, such as a WebSocket. The pipe's threshold holds the server
    /// up: what does not fit waits as for a socket, under the same limits, deadline and policy for slow consumers.
    /// </summary>
    /// <param name="pipe">The server's end. It is completed, both ways, when the server has done with the client.</param>
    /// <param name="remote">Where the client is, for the log and for monitoring.</param>
    /// <param name="transport">How it is connected, for monitoring.</param>
    /// <param name="certificate">
    /// What the transport has verified to be the client's own, for <see cref="BrokerServerOptions.MapWebSocketUsers"/> and
    /// <see cref="BrokerServerOptions.Authorize"/>; null for none. It must live until the pipe is completed.
    /// </param>
    /// <returns>Tells why the server has ended the client.</returns>
    /// <exception cref="ObjectDisposedException">The server has ended.</exception>
    public PipeClient ConnectPipe(IDuplexPipe pipe, EndPoint? remote, ClientTransport transport, X509Certificate2? certificate = null)
    {
        ArgumentNullException.ThrowIfNull(pipe);
        ObjectDisposedException.ThrowIf(_disposed != 0, this);
        EventLoop loop = Loops.Next();
        var session = new ClientSession(_core, loop, remote, transport, certificate: certificate);
        PipeLink.Open(loop, pipe, session);
        return new PipeClient(session);
    }
}
