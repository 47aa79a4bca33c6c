using System.Runtime.InteropServices;

namespace Broker.Benchmarks.Interop;

/// <summary>
/// Receives as the original binding did later: into one native buffer of the socket, and from there into an array.
/// </summary>
internal sealed unsafe class OneBuffer(nint socket) : IDisposable
{
    private const int Size = 8192;

    private readonly nint _buffer = Marshal.AllocHGlobal(Size);

    internal byte[] Receive()
    {
        int size;
        do
        {
            size = Libzmq.Receive(socket, (byte*)_buffer, Size, 0);
        }
        while (size < 0 && Libzmq.Error() == Libzmq.Interrupted);

        Libzmq.Require(size);

        // The original binding silently cut off messages that did not fit.
        byte[] body = new byte[size <= Size ? size : throw new InvalidOperationException("The message does not fit.")];
        Marshal.Copy(_buffer, body, 0, size);
        return body;
    }

    public void Dispose() => Marshal.FreeHGlobal(_buffer);
}
