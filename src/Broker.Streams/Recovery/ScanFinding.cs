namespace Broker.Streams;

/// <summary>Damage to a segment.</summary>
/// <param name="Stream">The stream, or null if it is not known whose records are damaged.</param>
/// <param name="Sequence">The sequence of the damaged message, or zero.</param>
/// <param name="Offset">Where the damage begins.</param>
internal readonly record struct ScanFinding(uint? Stream, ulong Sequence, long Offset);
