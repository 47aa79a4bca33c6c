using System.IO.Pipelines;

namespace Broker.Transport.Pipes;

/// <summary>Makes connections of byte streams that are no sockets.</summary>
public static class PipeLink
{
    /// <summary>
    /// Makes a connection of one end of a duplex pipe, and opens it on <paramref name="loop"/>. From now on the pipe is the
    /// connection's: it is completed, both ways, when the connection is closed.
    /// </summary>
    /// <remarks>
    /// Bytes are copied once between the pipe and the loop's buffers. Bytes count as sent when they are in the pipe; while the
    /// pipe's own threshold holds them up nothing more is written, and the connection's limits apply.
    /// A pipe may complete its operations on any thread; the handler is called on the loop.
    /// </remarks>
    /// <exception cref="ObjectDisposedException">The group of loops has been disposed.</exception>
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
