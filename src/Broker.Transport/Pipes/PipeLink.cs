using System.IO.Pipelines;

namespace Broker.Transport.Pipes;

/// <summary>Makes connections of byte streams that are no sockets: pipes, and streams of any kind.</summary>
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
        return Open(loop, new PipeConnection(loop, pipe.Input, pipe.Output, null, handler));
    }

    /// <summary>
    /// Makes a connection of a stream that can be read and written at the same time, and opens it on <paramref name="loop"/>.
    /// From now on the stream is the connection's and is disposed with it.
    /// </summary>
    /// <remarks>A stream cannot end one direction only: a close with a linger ends both once all has been written.</remarks>
    /// <exception cref="ArgumentException">The stream cannot be read or cannot be written.</exception>
    /// <exception cref="ObjectDisposedException">The group of loops has been disposed.</exception>
    public static Connection Open(EventLoop loop, Stream stream, ConnectionHandler handler)
    {
        ArgumentNullException.ThrowIfNull(loop);
        ArgumentNullException.ThrowIfNull(stream);
        ArgumentNullException.ThrowIfNull(handler);
        if (!stream.CanRead || !stream.CanWrite)
        {
            throw new ArgumentException("The stream must be readable and writable.", nameof(stream));
        }

        var reader = PipeReader.Create(stream, new StreamPipeReaderOptions(bufferSize: 16 * 1024, leaveOpen: true, useZeroByteReads: true));
        var writer = PipeWriter.Create(stream, new StreamPipeWriterOptions(leaveOpen: true));
        return Open(loop, new PipeConnection(loop, reader, writer, stream, handler));
    }

    private static PipeConnection Open(EventLoop loop, PipeConnection connection)
    {
        loop.Group.Remember(connection);
        loop.Post(connection.Open);
        return connection;
    }
}
