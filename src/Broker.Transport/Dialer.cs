using System.Net;
using System.Net.Sockets;

namespace Broker.Transport;

/// <summary>Opens connections to other programs.</summary>
public static class Dialer
{
    /// <summary>
    /// Connects to <paramref name="endPoint"/> (an IP or DNS end point, or a Unix socket) and gives the connection to
    /// <paramref name="loop"/>. Every address of a name is tried.
    /// </summary>
    /// <exception cref="SocketException">No connection could be made.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    public static Task<Connection> ConnectAsync(
        EventLoop loop, EndPoint endPoint, ConnectionHandler handler, CancellationToken cancellationToken = default) =>
        ConnectAsync(loop, endPoint, source: null, handler, cancellationToken);

    /// <param name="loop">The loop the connection will belong to.</param>
    /// <param name="endPoint">Whereto.</param>
    /// <param name="source">From which address and port of this machine, port 0 for any; null for what the system chooses.</param>
    /// <param name="handler">The protocol on top.</param>
    /// <param name="cancellationToken">Gives the attempt up.</param>
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
                // A port that is given must serve again while the connection before still dies away.
                socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, true);
                socket.Bind(source);
            }

            // Not ConnectAsync: that would enter the descriptor for good into the runtime's own poller, which would then be
            // woken for every byte that a loop of ours receives.
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
                // A socket that was closed under the call fails in several ways; the reason is the same.
                cancellationToken.ThrowIfCancellationRequested();
            }

            throw;
        }
    }
}
