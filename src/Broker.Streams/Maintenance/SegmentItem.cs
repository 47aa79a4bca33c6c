using System.Runtime.InteropServices;

namespace Broker.Streams;

/// <summary>A place in a segment.</summary>
/// <param name="Kind">The content.</param>
/// <param name="Offset">Where it begins.</param>
/// <param name="Length">The number of bytes, also of those behind the end of a file that is too short.</param>
/// <param name="Records">The most records that can have been lost here.</param>
/// <param name="IsInLastGroup">No readable group follows.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct SegmentItem(SegmentItemKind Kind, long Offset, long Length, long Records, bool IsInLastGroup)
{
    /// <summary>The most records that have space in some bytes.</summary>
    internal static long MostRecords(long length) => length / RecordHead.Length;
}
