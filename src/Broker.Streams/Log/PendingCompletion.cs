using System.Runtime.InteropServices;

namespace Broker.Streams;

/// <summary>The owner of a queued record.</summary>
/// <param name="Target">The receiver of the outcome.</param>
/// <param name="Token">The number that the owner gave.</param>
/// <param name="Sequence">
/// The sequence of the record, or the number of messages that a purge of subjects deleted.
/// </param>
/// <param name="Record">The number of the record in its group, from 1.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct PendingCompletion(IStoreCompletion Target, long Token, ulong Sequence, int Record);
