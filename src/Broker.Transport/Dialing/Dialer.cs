using System.Net;
using System.Net.Sockets;

namespace Broker.Transport;

/// <summary>Opens connections to other programs.</summary>
public static class Dialer
{
    /// <summary>
    /// Connects to <paramref name="endPoint"/> (an IP or DNS end point, or a Unix domain socket) and gives the
    /// connection to <paramref name="loop"/>. If the end point is a DNS name, every address of the name is tried.
    /// </summary>
    /// <exception cref="SocketException">No connection could be made.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled.</exception>
    public static Task<Connection> ConnectAsync(
        EventLoop loop, EndPoint endPoint, ConnectionHandler handler, CancellationToken cancellationToken = default)
        => ConnectAsync(loop, endPoint, source: null, handler, cancellationToken);

    /// <param name="loop">The loop that the connection will belong to.</param>
    /// <param name="endPoint">The address to connect to.</param>
    /// <param name="source">
    /// The local address and port to connect from. Port 0 means any port. Null lets the system choose.
    /// </param>
    /// <param name="handler">The handler of the connection's protocol.</param>
    /// <param name="cancellationToken">Cancels the attempt.</param>
    /// <inheritdoc cref="ConnectAsync(EventLoop, EndPoint, ConnectionHandler, CancellationToken)"/>
    public static async Task<Connection> ConnectAsync(
        EventLoop loop, EndPoint endPoint, EndPoint? source, ConnectionHandler handler, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(loop);
        ArgumentNullException.ThrowIfNull(endPoint);
        ArgumentNullException.ThrowIfNull(handler);
        Socket socket = (source ?? endPoint) switch
        {
            UnixDomainSocketEndPoint => new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified),
            IPEndPoint ip => new Socket(ip.AddressFamily, SocketType.Stream, ProtocolType.Tcp),
            _ => new Socket(SocketType.Stream, ProtocolType.Tcp),
        };
        try
        {
            if (source is not null)
            {
                // A program must be able to use a given source port again while the previous connection is still in
                // TIME_WAIT.
                socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, true);
                socket.Bind(source);
            }

            // Socket.ConnectAsync would register the descriptor permanently with the runtime's own poller. That poller
            // would then wake up for every byte that an event loop receives.
            await using (cancellationToken.Register(socket.Dispose).ConfigureAwait(false))
            {
                await Task.Run(() => socket.Connect(endPoint), cancellationToken).ConfigureAwait(false);
            }

            cancellationToken.ThrowIfCancellationRequested();
            return SocketAdoption.Adopt(loop, socket, handler);
        }
        catch (Exception e)
        {
            socket.Dispose();
            if (e is not OperationCanceledException)
            {
                // A socket that is disposed during the call fails with one of several exceptions. The reason is always
                // the cancellation.
                cancellationToken.ThrowIfCancellationRequested();
            }

            throw;
        }
    }
}
