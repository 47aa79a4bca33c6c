namespace Broker.Streams;

/// <summary>The part of a stream that the records so far have shown.</summary>
internal sealed class SeenStream
{
    /// <summary>The last sequence that a record has named.</summary>
    internal ulong Last { get; set; }

    /// <summary>The number of losses before this record.</summary>
    internal int Losses { get; set; }

    /// <summary>The lost messages. Those that were deleted later are among them.</summary>
    internal List<(ulong First, ulong Last)> Lost { get; } = [];

    /// <summary>The lost messages that a later record deletes.</summary>
    internal HashSet<ulong> Deleted { get; } = [];

    /// <summary>A record that marks the stream as damaged.</summary>
    internal StreamDamage? Mark { get; set; }

    /// <summary>The number of lost messages that would be there without the damage.</summary>
    internal long CountLost(ulong first)
    {
        long count = 0;
        foreach ((ulong from, ulong to) in Lost)
        {
            ulong begin = Math.Max(from, first);
            count += begin <= to ? (long)(to - begin + 1) : 0;
        }

        return count - Deleted.Count(sequence => sequence >= first);
    }
}
