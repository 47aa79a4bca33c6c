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
    public static async Task<Connection> ConnectAsync(
        EventLoop loop, EndPoint endPoint, ConnectionHandler handler, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(loop);
        ArgumentNullException.ThrowIfNull(endPoint);
        ArgumentNullException.ThrowIfNull(handler);
        Socket socket = endPoint switch
        {
            UnixDomainSocketEndPoint => new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified),
            IPEndPoint ip => new Socket(ip.AddressFamily, SocketType.Stream, ProtocolType.Tcp),
            _ => new Socket(SocketType.Stream, ProtocolType.Tcp),
        };
        try
        {
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
