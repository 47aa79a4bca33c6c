using System.Runtime.InteropServices;

namespace Broker.Streams;

/// <summary>Sums over the streams of stores.</summary>
/// <param name="Bytes">The bytes of the messages.</param>
/// <param name="Reserved">The bytes that the streams may have by their own limits.</param>
/// <param name="Streams">The number of streams.</param>
/// <param name="Messages">The number of messages.</param>
/// <param name="Damaged">The number of damaged streams.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct StoreTotals(long Bytes, long Reserved, int Streams, long Messages, int Damaged);
