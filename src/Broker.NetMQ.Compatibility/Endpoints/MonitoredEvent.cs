using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Text;

namespace NetMQ;

/// <summary>An event of a socket's connections, on its way to a monitor.</summary>
/// <param name="Kind">The kind.</param>
/// <param name="Address">The address that the event is about.</param>
/// <param name="Detail">An error or a time in milliseconds, as the kind has it.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct MonitoredEvent(SocketEvents Kind, string Address, int Detail)
{
    private const int HeaderSize = 2 * sizeof(int);

    /// <summary>Returns the frame that <see cref="TryDecode"/> reads.</summary>
    internal byte[] Encode()
    {
        byte[] frame = new byte[HeaderSize + Encoding.UTF8.GetByteCount(Address)];
        BinaryPrimitives.WriteInt32LittleEndian(frame, (int)Kind);
        BinaryPrimitives.WriteInt32LittleEndian(frame.AsSpan(sizeof(int)), Detail);
        Encoding.UTF8.GetBytes(Address, frame.AsSpan(HeaderSize));
        return frame;
    }

    /// <summary>
    /// Reads an event. Returns false if the frame is none: any socket may send to the PAIR socket of a monitor.
    /// </summary>
    internal static bool TryDecode(ReadOnlySpan<byte> frame, out MonitoredEvent happened)
    {
        happened = default;
        if (frame.Length < HeaderSize)
        {
            return false;
        }

        var kind = (SocketEvents)BinaryPrimitives.ReadInt32LittleEndian(frame);
        int detail = BinaryPrimitives.ReadInt32LittleEndian(frame[sizeof(int)..]);
        happened = new MonitoredEvent(kind, Encoding.UTF8.GetString(frame[HeaderSize..]), detail);
        return Enum.IsDefined(kind);
    }
}
