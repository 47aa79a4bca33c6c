using System.Net.Sockets;

namespace Broker.Server.Tests.Allocation;

/// <summary>
/// A blocking socket's bytes, straight from and to spans, which of what derives from <see cref="NetworkStream"/> go through
/// arrays. A receive that waits allocates; one for which there is something does not.
/// </summary>
internal sealed class PolledStream(Socket socket) : NetworkStream(socket)
{
    public override int Read(Span<byte> buffer)
    {
        Assert.True(Socket.Poll(Wait.Limit, SelectMode.SelectRead));
        return Socket.Receive(buffer);
    }

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        while (!buffer.IsEmpty)
        {
            buffer = buffer[Socket.Send(buffer)..];
        }
    }

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));
}
