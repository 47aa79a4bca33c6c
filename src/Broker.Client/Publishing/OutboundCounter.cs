using System.Runtime.InteropServices;

namespace Broker.Client.Publishing;

/// <summary>
/// What was published from one place: a loop, or all threads that are none. Written by that loop only, or under the
/// connection's gate, and read by anybody; as wide as two cache lines, so that loops do not take them from each other.
/// </summary>
[StructLayout(LayoutKind.Explicit, Size = 128)]
internal struct OutboundCounter
{
    [FieldOffset(56)]
    internal long Messages;

    [FieldOffset(64)]
    internal long Bytes;

    /// <summary>How many of the messages of a loop have certainly been handed over: at least those of the turns before.</summary>
    [FieldOffset(72)]
    internal long HandedOver;
}
