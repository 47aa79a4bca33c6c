namespace Broker.Streams;

/// <summary>The first damage that was found of a stream.</summary>
/// <param name="Segment">The number of the segment.</param>
/// <param name="Offset">Where the damaged record begins.</param>
/// <param name="Sequence">The sequence of the damaged message, or zero if it is not known.</param>
internal sealed record StreamDamage(ulong Segment, long Offset, ulong Sequence)
{
    internal string File => StoreFileNames.Segment(Segment);
}
