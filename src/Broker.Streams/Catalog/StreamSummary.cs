namespace Broker.Streams;

/// <summary>The content of a stream at one moment.</summary>
internal sealed record StreamSummary
{
    internal long Messages { get; init; }

    internal long Bytes { get; init; }

    internal ulong First { get; init; }

    internal ulong Last { get; init; }

    /// <summary>In ticks of UTC; 0 without a message.</summary>
    internal long FirstTime { get; init; }

    /// <summary>In ticks of UTC; 0 without a message.</summary>
    internal long LastTime { get; init; }

    internal long Subjects { get; init; }

    /// <summary>The deleted sequences between the first and the last message; null if nobody has asked.</summary>
    internal List<ulong>? Deleted { get; init; }
}
