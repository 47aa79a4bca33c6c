using System.Net.Sockets;

namespace Broker.Server.Tests.Allocation;

/// <summary>
/// A stream over a blocking socket that reads and writes spans directly. Subclasses of <see cref="NetworkStream"/> copy
/// them through arrays. A receive that waits allocates; a receive with available bytes does not.
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
