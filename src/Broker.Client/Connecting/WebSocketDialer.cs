using System.Globalization;
using System.Net.Security;
using System.Net.WebSockets;
using System.Security.Authentication;
using Broker.Transport;

namespace Broker.Client;

/// <summary>
/// Connects over WebSocket, the upgrade of an HTTP connection. The protocol's bytes are sent in binary frames, and a
/// frame may begin and end anywhere in a command.
/// </summary>
internal static class WebSocketDialer
{
    // The limit for the server to answer the client's close frame.
    private static readonly TimeSpan CloseTimeout = TimeSpan.FromSeconds(1);

    /// <exception cref="ConnectionLostException">The server cannot be reached, or does not offer WebSocket at the
    /// address.</exception>
    /// <exception cref="TlsException">One side rejects the other's certificate.</exception>
    internal static async Task<Connection> ConnectAsync(
        EventLoop loop, ServerAddress address, ClientTls tls, ConnectionHandler handler, CancellationToken cancellationToken)
    {
        var socket = new ClientWebSocket();
        try
        {
            // The NATS protocol has its own keep-alive.
            socket.Options.KeepAliveInterval = Timeout.InfiniteTimeSpan;
            SslClientAuthenticationOptions authentication = tls.For(address);
            if (address.IsTls)
            {
                SetHostHeader(socket, address.WebSocketUri!, authentication.TargetHost);
            }

            using var http = new SocketsHttpHandler { SslOptions = authentication };
            using var invoker = new HttpMessageInvoker(http);
            await socket.ConnectAsync(address.WebSocketUri!, invoker, cancellationToken).ConfigureAwait(false);
            Stream stream = WebSocketStream.Create(socket, WebSocketMessageType.Binary, CloseTimeout);
            return PipeLink.Open(
                loop,
                StreamDuplexPipe.Open(stream, () => socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None)),
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

    // The HTTP handler requires a certificate for the host in the request, whatever its options say. So another host
    // name must be set in the request, and a server that checks both finds the same name in the TLS handshake and in
    // the request.
    private static void SetHostHeader(ClientWebSocket socket, Uri uri, string? name)
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
