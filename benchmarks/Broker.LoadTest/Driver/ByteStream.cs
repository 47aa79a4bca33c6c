using System.Net.Sockets;

namespace Broker.LoadTest.Driver;

/// <summary>
/// A blocking socket with or without TLS. One thread may send while another receives. An error is a
/// <see cref="SocketException"/> in both cases.
/// </summary>
internal class ByteStream(Socket socket) : IDisposable
{
    public Socket Socket { get; } = socket;

    /// <summary>Sends bytes and returns how many were accepted.</summary>
    public virtual int Send(ReadOnlySpan<byte> bytes) => Socket.Send(bytes);

    /// <summary>Receives once; 0 at the end of the stream.</summary>
    public virtual int Receive(Span<byte> into) => Socket.Receive(into);

    public void Dispose()
    {
        Dispose(disposing: true);
        GC.SuppressFinalize(this);
    }

    protected virtual void Dispose(bool disposing) => Socket.Dispose();
}
