using System.Globalization;
using System.Net.Security;
using System.Net.WebSockets;

namespace Broker.Transport;

/// <summary>
/// Connects over WebSocket, to which an HTTP connection is upgraded. The bytes of the protocol are sent in binary
/// frames. A frame may begin and end anywhere in a message of the protocol.
/// </summary>
public static class WebSocketDialer
{
    // The time limit for the server's answer to the client's close frame.
    private static readonly TimeSpan CloseTimeout = TimeSpan.FromSeconds(1);

    /// <summary>Connects to a WebSocket server. The connection sends no WebSocket pings.</summary>
    /// <param name="loop">The loop that the connection will belong to.</param>
    /// <param name="uri">The address, with the scheme <c>ws</c> or <c>wss</c>.</param>
    /// <param name="authentication">
    /// The TLS settings for <c>wss</c>. If their target host is set, it is also the host in the HTTP request.
    /// </param>
    /// <param name="handler">The handler of the connection's protocol.</param>
    /// <param name="cancellationToken">Cancels the attempt.</param>
    /// <exception cref="WebSocketException">The server does not offer WebSocket at the address.</exception>
    /// <exception cref="HttpRequestException">The server cannot be reached, or the TLS handshake failed.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled.</exception>
    public static async Task<Connection> ConnectAsync(
        EventLoop loop, Uri uri, SslClientAuthenticationOptions authentication, ConnectionHandler handler, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(loop);
        ArgumentNullException.ThrowIfNull(uri);
        ArgumentNullException.ThrowIfNull(authentication);
        ArgumentNullException.ThrowIfNull(handler);
        var socket = new ClientWebSocket();
        try
        {
            // The protocol inside the WebSocket has its own keep-alive.
            socket.Options.KeepAliveInterval = Timeout.InfiniteTimeSpan;
            if (string.Equals(uri.Scheme, Uri.UriSchemeWss, StringComparison.OrdinalIgnoreCase))
            {
                SetHostHeader(socket, uri, authentication.TargetHost);
            }

            using var http = new SocketsHttpHandler { SslOptions = authentication };
            using var invoker = new HttpMessageInvoker(http);
            await socket.ConnectAsync(uri, invoker, cancellationToken).ConfigureAwait(false);
            Stream stream = WebSocketStream.Create(socket, WebSocketMessageType.Binary, CloseTimeout);
            return PipeLink.Open(
                loop,
                StreamDuplexPipe.Open(stream, () => socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None)),
                handler);
        }
        catch
        {
            socket.Dispose();
            cancellationToken.ThrowIfCancellationRequested();
            throw;
        }
    }

    // The HTTP handler requires a certificate for the host in the request, even if its options contain another host. So
    // the target host must be set in the request. A server that compares the names then finds the same name in the TLS
    // handshake and in the request.
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
