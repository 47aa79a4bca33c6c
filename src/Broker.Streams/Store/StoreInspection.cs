using Broker.Protocol;

namespace Broker.Streams;

/// <summary>Describes streams of a store, under its lock.</summary>
internal static class StoreInspection
{
    /// <summary>Describes the content of a stream.</summary>
    internal static StreamSummary Summarize(this StreamStore store, StoredStream stream, bool withDeleted = false)
    {
        using StoreBatch batch = store.Begin();
        return stream.Summarize(withDeleted);
    }

    /// <summary>The number of messages of each subject that matches a filter, in the order of subjects.</summary>
    internal static List<(byte[] Subject, long Count)> SubjectsOf(this StreamStore store, StoredStream stream, byte[] filter)
    {
        var found = new List<(byte[] Subject, long Count)>();
        using (StoreBatch batch = store.Begin())
        {
            foreach (SubjectState subject in stream.Subjects.All)
            {
                if (subject.Count > 0 && Subject.Matches(filter, subject.Name))
                {
                    found.Add((subject.Name, subject.Count));
                }
            }
        }

        found.Sort(static (one, other) => one.Subject.AsSpan().SequenceCompareTo(other.Subject));
        return found;
    }

    /// <summary>Finds a message. The result is an entry of a deleted message if there is none.</summary>
    internal static MessageEntry FindOrDeleted(this StreamStore store, StoredStream stream, ulong sequence)
    {
        using StoreBatch batch = store.Begin();
        return stream.TryFind(sequence, out MessageEntry entry)
            ? entry
            : new MessageEntry { Sequence = sequence, Time = 0, Offset = 0, Size = 0, Segment = null, Subject = null! };
    }

    /// <summary>Takes the next messages of a counter.</summary>
    /// <param name="store">The store.</param>
    /// <param name="stream">The stream.</param>
    /// <param name="counter">The counter.</param>
    /// <param name="most">The most messages.</param>
    /// <param name="read">Receives the messages until it has no room.</param>
    internal static void Select(this StreamStore store, StoredStream stream, PendingCounter counter, long most, IEntryReceiver read)
    {
        using StoreBatch batch = store.Begin();
        for (; most > 0 && read.Room > 0 && stream.TryTake(counter, out MessageEntry entry); most--)
        {
            read.Add(entry);
        }
    }

    /// <summary>Starts to count the messages of a consumer.</summary>
    internal static void Count(this StreamStore store, StoredStream stream, PendingCounter counter)
    {
        using StoreBatch batch = store.Begin();
        stream.Add(counter);
    }

    internal static void Forget(this StreamStore store, StoredStream stream, PendingCounter counter)
    {
        using StoreBatch batch = store.Begin();
        stream.Counters.Remove(counter);
    }

    /// <summary>The last sequences of the subjects that match, in order, between two sequences.</summary>
    internal static Queue<ulong> LastOfEach(this StreamStore store, StoredStream stream, PendingCounter matching, ulong after, ulong before)
    {
        var last = new List<ulong>();
        using (StoreBatch batch = store.Begin())
        {
            foreach (SubjectState subject in stream.Subjects.All)
            {
                if (subject.Last > after && subject.Last < before && matching.Matches(subject))
                {
                    last.Add(subject.Last);
                }
            }
        }

        last.Sort();
        return new Queue<ulong>(last);
    }

    /// <summary>The sequence of the first message that is not older than a time, or that of the next message.</summary>
    internal static ulong FirstAfter(this StreamStore store, StoredStream stream, long time)
    {
        using StoreBatch batch = store.Begin();
        return stream.FirstAfter(time);
    }

    /// <summary>
    /// The sequences of the messages with headers that are not older than a time, and that of the last message, if it
    /// has headers.
    /// </summary>
    internal static List<ulong> WithHeaders(this StreamStore store, StoredStream stream, long time)
    {
        var found = new List<ulong>();
        using StoreBatch batch = store.Begin();
        EntryList entries = stream.Entries;
        for (int i = Math.Min(entries.Find(stream.FirstAfter(time)), entries.Count - 1); i >= 0 && i < entries.Count; i++)
        {
            if (entries[i] is { IsDeleted: false, HasHeaders: true })
            {
                found.Add(entries[i].Sequence);
            }
        }

        return found;
    }

    /// <summary>
    /// The last sequences of the subjects that match, in order: those that were the last ones when the sequence of the
    /// end was the last one of the stream.
    /// </summary>
    internal static Queue<ulong> LastUpTo(this StreamStore store, StoredStream stream, PendingCounter matching, ulong end)
    {
        var last = new List<ulong>();
        using (StoreBatch batch = store.Begin())
        {
            var changed = new HashSet<SubjectState>();
            foreach (SubjectState subject in stream.Subjects.All)
            {
                if (subject.Count == 0 || subject.First > end || !matching.Matches(subject))
                {
                    continue;
                }

                if (subject.Last <= end)
                {
                    last.Add(subject.Last);
                }
                else
                {
                    changed.Add(subject);
                }
            }

            // Goes back only as far as needed.
            for (int i = changed.Count == 0 ? 0 : stream.Entries.Find(end + 1); i > 0 && changed.Count > 0; i--)
            {
                MessageEntry entry = stream.Entries[i - 1];
                if (!entry.IsDeleted && changed.Remove(entry.Subject))
                {
                    last.Add(entry.Sequence);
                }
            }
        }

        last.RemoveAll(sequence => sequence < matching.Next);
        last.Sort();
        return new Queue<ulong>(last);
    }

    /// <summary>The last sequence of the subjects that match a filter; 0 if there is none.</summary>
    internal static ulong LastOf(this StreamStore store, StoredStream stream, ReadOnlySpan<byte> filter)
    {
        using StoreBatch batch = store.Begin();
        return stream.Subjects.LastOf(filter, withQueued: false);
    }

    /// <summary>Finds the last message of a subject. Returns false if there is none, or if the stream is damaged.</summary>
    internal static bool TryFindLast(this StreamStore store, StoredStream stream, ReadOnlySpan<byte> subject, out MessageEntry entry)
    {
        using StoreBatch batch = store.Begin();
        entry = default;
        return stream.Damage is null && stream.Subjects.Find(subject) is { Last: > 0 and ulong last } && stream.TryFind(last, out entry);
    }
}
