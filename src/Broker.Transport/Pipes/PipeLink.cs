using System.IO.Pipelines;

namespace Broker.Transport;

/// <summary>Creates connections over byte streams that are not sockets.</summary>
public static class PipeLink
{
    /// <summary>
    /// Creates a connection over one end of a duplex pipe, and opens it on <paramref name="loop"/>. The connection then
    /// owns the pipe, and completes both directions when it is closed.
    /// </summary>
    /// <remarks>
    /// Bytes are copied once between the pipe and the loop's buffers. Bytes count as sent when they are in the pipe.
    /// While the pipe's own threshold blocks the writer, nothing more is written, and the limits of the connection
    /// apply to the waiting bytes. The pipe may complete its operations on any thread. The handler is called on the
    /// loop.
    /// </remarks>
    /// <exception cref="ObjectDisposedException">The group of the loop has been disposed.</exception>
    public static Connection Open(EventLoop loop, IDuplexPipe pipe, ConnectionHandler handler)
    {
        ArgumentNullException.ThrowIfNull(loop);
        ArgumentNullException.ThrowIfNull(pipe);
        ArgumentNullException.ThrowIfNull(handler);
        var connection = new PipeConnection(loop, pipe, handler);
        loop.Group.Add(connection);
        loop.Post(connection.Open);
        return connection;
    }
}
