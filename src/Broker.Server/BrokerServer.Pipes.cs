using System.IO.Pipelines;
using System.Net;
using System.Security.Cryptography.X509Certificates;
using Broker.Transport;

namespace Broker.Server;

public sealed partial class BrokerServer
{
    /// <summary>
    /// Connects a client of another transport, such as a WebSocket, through a pipe. When the pipe reaches its pause
    /// threshold, the server queues further messages as it does for a full socket, with the same limits, write deadline
    /// and slow consumer policy.
    /// </summary>
    /// <param name="pipe">
    /// The server's end of the pipe. The server completes its reader and its writer when the connection is closed.
    /// </param>
    /// <param name="remote">The client's address, for the log and for monitoring.</param>
    /// <param name="transport">The kind of transport, for monitoring.</param>
    /// <param name="certificate">
    /// The client certificate that the transport has verified, for <see cref="BrokerServerOptions.MapWebSocketUsers"/>
    /// and <see cref="BrokerServerOptions.Authorize"/>; null for none. The caller owns it and must not dispose it
    /// before the pipe is completed.
    /// </param>
    /// <returns>The connected client; it reports why the server closed the connection.</returns>
    /// <exception cref="ObjectDisposedException">The server has been disposed.</exception>
    public PipeClient ConnectPipe(
        IDuplexPipe pipe, EndPoint? remote, ClientTransport transport, X509Certificate2? certificate = null)
    {
        ArgumentNullException.ThrowIfNull(pipe);
        ObjectDisposedException.ThrowIf(_disposed != 0, this);
        EventLoop loop = Loops.Next();
        var session = new ClientSession(_core, loop, remote, transport, certificate: certificate);
        PipeLink.Open(loop, pipe, session);
        return new PipeClient(session);
    }
}
