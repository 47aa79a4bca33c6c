namespace Broker.Streams;

/// <summary>The segments that a start has found, and how the last one can be continued.</summary>
internal sealed class RecoveredLog
{
    internal List<Segment> Segments { get; } = [];

    /// <summary>The index of the last segment if it can be continued; otherwise a new segment is needed.</summary>
    internal SegmentIndex? Continued { get; set; }

    internal ulong NextGroup { get; set; } = 1;

    internal ulong NextSegment { get; set; } = 1;

    /// <summary>The close mark is there and must be deleted before the next write.</summary>
    internal bool HasCloseMark { get; set; }
}
