using System.Runtime.InteropServices;

namespace Broker.Streams;

[StructLayout(LayoutKind.Auto)]
internal readonly record struct PendingCompletion(IStoreCompletion Target, long Token, ulong Sequence);
