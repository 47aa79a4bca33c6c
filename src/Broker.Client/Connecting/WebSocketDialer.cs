using System.Globalization;
using System.Net.Security;
using System.Net.WebSockets;
using System.Security.Authentication;
using Broker.Client.Errors;
using Broker.Client.Servers;
using Broker.Client.Tls;
using Broker.Transport;
using Broker.Transport.Pipes;

namespace Broker.Client.Connecting;

/// <summary>Connects by WebSocket, the upgrade of an HTTP connection: the protocol's bytes go in binary frames, wherever those begin and end.</summary>
internal static class WebSocketDialer
{
    // How long the server may take to answer our closing frame.
    private static readonly TimeSpan CloseTimeout = TimeSpan.FromSeconds(1);

    /// <exception cref="ConnectionLostException">The server cannot be reached, or offers no WebSocket there.</exception>
    /// <exception cref="TlsException">One side does not accept the other's certificate.</exception>
    internal static async Task<Connection> ConnectAsync(
        EventLoop loop, ServerAddress address, ClientTls tls, ConnectionHandler handler, CancellationToken cancellationToken)
    {
        var socket = new ClientWebSocket();
        try
        {
            // The protocol has questions of its own for a silent server.
            socket.Options.KeepAliveInterval = Timeout.InfiniteTimeSpan;
            SslClientAuthenticationOptions authentication = tls.For(address);
            if (address.IsTls)
            {
                NameHost(socket, address.WebSocketUri!, authentication.TargetHost);
            }

            using var http = new SocketsHttpHandler { SslOptions = authentication };
            using var invoker = new HttpMessageInvoker(http);
            await socket.ConnectAsync(address.WebSocketUri!, invoker, cancellationToken).ConfigureAwait(false);
            Stream stream = WebSocketStream.Create(socket, WebSocketMessageType.Binary, CloseTimeout);
            return PipeLink.Open(
                loop,
                StreamLink.Open(stream, () => socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None)),
                handler);
        }
        catch (Exception e)
        {
            socket.Dispose();
            cancellationToken.ThrowIfCancellationRequested();
            throw e switch
            {
                WebSocketException or HttpRequestException or IOException when e.GetBaseException() is AuthenticationException tlsError
                    => new TlsException($"TLS failed: {tlsError.Message} ({address})", e),
                WebSocketException or HttpRequestException or IOException
                    => new ConnectionLostException($"The server cannot be reached by WebSocket: {e.GetBaseException().Message} ({address})", e),
                _ => e,
            };
        }
    }

    // The handler demands a certificate for the host that the request names, whatever its options say: another one has to be named there, and
    // a server that looks at both finds the same name in the handshake and in the request.
    private static void NameHost(ClientWebSocket socket, Uri uri, string? name)
    {
        if (string.IsNullOrEmpty(name) || string.Equals(name, uri.IdnHost, StringComparison.OrdinalIgnoreCase))
        {
            return;
        }

        Uri named = new UriBuilder(uri) { Host = name }.Uri;
        string host = named.HostNameType == UriHostNameType.IPv6 ? named.Host : named.IdnHost;
        socket.Options.SetRequestHeader("Host", named.IsDefaultPort ? host : string.Create(CultureInfo.InvariantCulture, $"{host}:{named.Port}"));
    }
}
