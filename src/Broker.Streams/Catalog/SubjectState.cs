namespace Broker.Streams;

/// <summary>The messages of one subject of a stream. All members are used under the store's lock.</summary>
internal sealed class SubjectState(byte[] name)
{
    /// <summary>The subject.</summary>
    internal byte[] Name { get; } = name;

    /// <summary>The number of messages that are stored.</summary>
    internal long Count { get; set; }

    /// <summary>The first sequence that is stored; 0 without messages.</summary>
    internal ulong First { get; set; }

    /// <summary>The last sequence that is stored; 0 without messages.</summary>
    internal ulong Last { get; set; }

    /// <summary>The number of messages that wait for a sync.</summary>
    internal int Queued { get; set; }

    /// <summary>The last sequence that was queued.</summary>
    internal ulong LastQueued { get; set; }

    /// <summary>The last sequence, with messages that wait for a sync; 0 without messages.</summary>
    internal ulong LastAssigned => Queued > 0 ? LastQueued : Last;

    internal bool IsUnused => Count == 0 && Queued == 0;
}
