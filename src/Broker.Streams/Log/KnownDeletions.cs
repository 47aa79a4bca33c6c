using Broker.Protocol;

namespace Broker.Streams;

/// <summary>
/// The deletions that take the place of the records that leave a segment. Older segments can still have messages that
/// these records, or the number of later messages, have deleted. Used on the thread that writes: no other one changes
/// what is deleted.
/// </summary>
internal sealed class KnownDeletions(StreamCatalog catalog, object gate)
{
    private readonly Dictionary<StoredStream, Noted> _streams = [];

    /// <summary>Decides whether a message is still needed. Returns false if the whole segment is.</summary>
    internal bool TryNoteMessage(in IndexEntry entry, Segment segment, out bool isNeeded)
    {
        lock (gate)
        {
            isNeeded = false;
            if (!catalog.TryGet(entry.Head.Stream, out StoredStream? stream))
            {
                // The stream was deleted. The record of that stays.
                return true;
            }

            Noted noted = Of(stream);
            ulong sequence = entry.Head.Sequence;
            noted.FirstHere = Math.Min(noted.FirstHere, sequence);
            isNeeded = stream.TryFind(sequence, out MessageEntry live) && live.Segment == segment;
            return stream.Damage is null && (isNeeded || TryNoteDeleted(stream, noted, sequence, entry.Subject));
        }
    }

    /// <summary>Decides whether another record is still needed.</summary>
    internal bool IsNeeded(in RecordHead head, ReadOnlySpan<byte> record)
    {
        lock (gate)
        {
            if (!catalog.TryGet(head.Stream, out StoredStream? stream))
            {
                return head.Kind is not (RecordKind.MessageDeleted or RecordKind.Purged or RecordKind.SubjectsPurged or RecordKind.ConsumerChanged);
            }

            if (stream.Damage is not null)
            {
                // A message that is not in the catalog may be lost instead of deleted.
                return true;
            }

            switch (head.Kind)
            {
                case RecordKind.MessageDeleted:
                    // A message in this segment is left out. One in an older segment is still there.
                    ulong firstHere = Of(stream).FirstHere;
                    return head.Sequence >= stream.First && head.Sequence < firstHere;
                case RecordKind.Purged:
                    // The purge that is added for the stream includes it.
                    Of(stream);
                    return false;
                case RecordKind.SubjectsPurged:
                    return IsPurgeNeeded(stream, head, head.SubjectOf(record));
                case RecordKind.ConsumerChanged:
                    // The next segment begins with the progress of all consumers.
                    return false;
                default:
                    return true;
            }
        }
    }

    /// <summary>Adds records that delete again what is deleted.</summary>
    internal void AddTo(GroupBuffer records, long time)
    {
        foreach ((StoredStream stream, Noted noted) in _streams)
        {
            // A lock for each record, so that others do not wait for all of them.
            lock (gate)
            {
                records.Add(RecordKind.Purged, stream.Id, stream.First, time);
            }

            foreach (byte[] subject in noted.Subjects)
            {
                lock (gate)
                {
                    ulong first = stream.Subjects.Find(subject) is { Count: > 0 } state ? state.First : stream.Last + 1;
                    records.AddSubjectsPurged(stream.Id, subject, first, keep: 0, time);
                }
            }
        }
    }

    private bool IsPurgeNeeded(StoredStream stream, in RecordHead head, ReadOnlySpan<byte> filter)
    {
        Noted noted = Of(stream);
        if (head.Sequence < stream.First)
        {
            return false;
        }

        // The order of other deletions matters to a purge that has counted messages of several subjects.
        if (stream.HasCountedPurge || Subject.HasWildcard(filter))
        {
            return true;
        }

        // The messages of one subject that it has deleted are before the first one that is left.
        noted.Add(filter);
        return false;
    }

    private static bool TryNoteDeleted(StoredStream stream, Noted noted, ulong sequence, ReadOnlySpan<byte> subject)
    {
        if (sequence < stream.First)
        {
            return true;
        }

        // A purge of a subject with a wildcard would delete messages of others.
        if (stream.HasCountedPurge || (stream.HasSubjectLimit && Subject.HasWildcard(subject)))
        {
            return false;
        }

        if (stream.HasSubjectLimit)
        {
            noted.Add(subject);
        }

        return true;
    }

    private Noted Of(StoredStream stream)
    {
        if (!_streams.TryGetValue(stream, out Noted? noted))
        {
            _streams.Add(stream, noted = new Noted());
        }

        return noted;
    }

    private sealed class Noted
    {
        /// <summary>The first sequence of the stream in the segment, also of deleted messages.</summary>
        internal ulong FirstHere { get; set; } = ulong.MaxValue;

        internal HashSet<byte[]> Subjects { get; } = new(SubjectComparer.Instance);

        internal void Add(ReadOnlySpan<byte> subject) => Subjects.GetAlternateLookup<ReadOnlySpan<byte>>().Add(subject);
    }
}
