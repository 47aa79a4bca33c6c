using System.Runtime.InteropServices;

namespace Broker.Client;

/// <summary>
/// Counts what one event loop, or all threads that are not event loops, have published. It is written only by that
/// loop, or under the connection's gate, and read on any thread. It is as large as two cache lines, which avoids false
/// sharing between loops.
/// </summary>
[StructLayout(LayoutKind.Explicit, Size = 128)]
internal struct OutboundCounter
{
    [FieldOffset(56)]
    internal long Messages;

    [FieldOffset(64)]
    internal long Bytes;

    /// <summary>
    /// The number of this loop's messages that have certainly been flushed: at least the messages of all earlier
    /// iterations.
    /// </summary>
    [FieldOffset(72)]
    internal long Flushed;
}
