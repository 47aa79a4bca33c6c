using System.Net;
using System.Net.Sockets;

namespace Broker.Transport;

/// <summary>Accepts connections at one address and distributes them over the loops of a group.</summary>
/// <remarks>
/// Thread-safe. Disposing the listener stops accepting, but does not affect accepted connections. The listener also
/// stops when the group is disposed.
/// </remarks>
public sealed class Listener : IDisposable
{
    private static readonly TimeSpan RetryWait = TimeSpan.FromMilliseconds(100);

    private readonly EventLoopGroup _group;
    private readonly EventLoop? _home;
    private readonly Socket _socket;
    private readonly Func<EventLoop, EndPoint?, ConnectionHandler?> _accept;
    private readonly CancellationTokenSource _stopping = new();

    private Listener(EventLoopGroup group, EventLoop? home, Socket socket, Func<EventLoop, EndPoint?, ConnectionHandler?> accept)
    {
        _group = group;
        _home = home;
        _socket = socket;
        _accept = accept;
        EndPoint = socket.LocalEndPoint!;
    }

    /// <summary>The address of the listener. For port 0, it contains the port that the system chose.</summary>
    public EndPoint EndPoint { get; }

    /// <summary>
    /// Starts to listen at <paramref name="endPoint"/>. When the method returns, clients can connect.
    /// </summary>
    /// <param name="group">The group that gets the connections.</param>
    /// <param name="endPoint">
    /// An IP end point, a <see cref="UnixDomainSocketEndPoint"/>, or an <see cref="InheritedEndPoint"/>.
    /// </param>
    /// <param name="accept">
    /// Returns the handler for a new connection, or null to refuse the connection. The arguments are the connection's
    /// loop and the peer's address. Called on a thread of the thread pool, one call at a time.
    /// </param>
    /// <param name="backlog">
    /// The number of connections that the kernel may queue before they are accepted. An inherited socket keeps its own
    /// backlog.
    /// </param>
    /// <exception cref="SocketException">
    /// The address cannot be used. <see cref="SocketException.SocketErrorCode"/> contains the reason.
    /// </exception>
    public static Listener Start(
        EventLoopGroup group, EndPoint endPoint, Func<EventLoop, EndPoint?, ConnectionHandler?> accept, int backlog = 1024)
    {
        ArgumentNullException.ThrowIfNull(group);
        return Start(group, home: null, endPoint, accept, backlog);
    }

    /// <summary>
    /// Starts to listen at <paramref name="endPoint"/> for one loop. When the method returns, clients can connect.
    /// </summary>
    /// <param name="home">The loop that gets all connections.</param>
    /// <param name="endPoint">
    /// An IP end point, a <see cref="UnixDomainSocketEndPoint"/>, or an <see cref="InheritedEndPoint"/>.
    /// </param>
    /// <param name="accept">
    /// Returns the handler for a new connection, or null to refuse the connection. The arguments are the connection's
    /// loop and the peer's address. Called on a thread of the thread pool, one call at a time.
    /// </param>
    /// <param name="backlog">
    /// The number of connections that the kernel may queue before they are accepted. An inherited socket keeps its own
    /// backlog.
    /// </param>
    /// <exception cref="SocketException">
    /// The address cannot be used. <see cref="SocketException.SocketErrorCode"/> contains the reason.
    /// </exception>
    public static Listener Start(
        EventLoop home, EndPoint endPoint, Func<EventLoop, EndPoint?, ConnectionHandler?> accept, int backlog = 1024)
    {
        ArgumentNullException.ThrowIfNull(home);
        return Start(home.Group, home, endPoint, accept, backlog);
    }

    private static Listener Start(
        EventLoopGroup group,
        EventLoop? home,
        EndPoint endPoint,
        Func<EventLoop, EndPoint?, ConnectionHandler?> accept,
        int backlog)
    {
        ArgumentNullException.ThrowIfNull(endPoint);
        ArgumentNullException.ThrowIfNull(accept);
        var listener = new Listener(group, home, endPoint is InheritedEndPoint inherited ? inherited.Take() : Open(endPoint, backlog), accept);
        _ = listener.AcceptAllAsync();
        return listener;
    }

    private static Socket Open(EndPoint endPoint, int backlog)
    {
        ProtocolType protocol = endPoint is UnixDomainSocketEndPoint ? ProtocolType.Unspecified : ProtocolType.Tcp;
        var socket = new Socket(endPoint.AddressFamily, SocketType.Stream, protocol);
        try
        {
            if (endPoint is IPEndPoint { Address: var address } && address.Equals(IPAddress.IPv6Any))
            {
                socket.DualMode = true;
            }

            socket.Bind(endPoint);
            socket.Listen(backlog);
            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _stopping.Cancel();
        _socket.Dispose();
    }

    private async Task AcceptAllAsync()
    {
        CancellationToken stopping = _stopping.Token;
        while (!stopping.IsCancellationRequested)
        {
            try
            {
                Socket socket = await _socket.AcceptAsync(stopping).ConfigureAwait(false);
                if (!Welcome(socket))
                {
                    _socket.Dispose();
                    return;
                }
            }
            catch (Exception e) when (e is OperationCanceledException or ObjectDisposedException)
            {
                return;
            }
            catch (SocketException) when (stopping.IsCancellationRequested)
            {
                return;
            }
            catch (SocketException e) when (e.SocketErrorCode is SocketError.ConnectionAborted or SocketError.ConnectionReset)
            {
                // Only this connection was closed before it was accepted. The listener continues.
            }
            catch (SocketException e)
            {
                // The process has probably no descriptors or memory left. Existing connections are still served, and
                // new connections wait in the backlog. The error may last, so the next attempt must not follow at once.
                _group.ReportFault(e);
                await PauseAsync().ConfigureAwait(false);
            }
        }
    }

    // The pause uses a timer of a loop. The first Task.Delay of a process starts a thread, and that fails if no
    // descriptor is left.
    private Task PauseAsync()
    {
        var over = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        EventLoop loop = _group[0];
        loop.Post(() => loop.StartTimer(RetryWait, over.SetResult));
        return over.Task;
    }

    // A dual-mode socket reports IPv4 addresses as IPv6 addresses.
    private static EndPoint? Shown(EndPoint? remote)
        => remote is IPEndPoint { Address: { IsIPv4MappedToIPv6: true } address, Port: var port } ? new IPEndPoint(address.MapToIPv4(), port) : remote;

    // Returns false if the group is disposed. The listener then stops.
    private bool Welcome(Socket socket)
    {
        ConnectionBudget budget = _group.ConnectionBudget;
        if (!budget.TryTake())
        {
            socket.Dispose();
            return true;
        }

        bool welcome = false;
        try
        {
            EventLoop loop = _home ?? _group.Next();
            ConnectionHandler? handler = _accept(loop, Shown(socket.RemoteEndPoint));
            if (handler is null)
            {
                socket.Dispose();
                return true;
            }

            SocketAdoption.Adopt(loop, socket, handler, budget);
            welcome = true;
        }
        catch (ObjectDisposedException) when (_group.IsDisposed)
        {
            socket.Dispose();
            return false;
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            socket.Dispose();
            _group.ReportFault(e);
        }
        finally
        {
            if (!welcome)
            {
                budget.Release();
            }
        }

        return true;
    }
}
