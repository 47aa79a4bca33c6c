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

    /// <summary>The last sequence of the subjects that match a filter; 0 if there is none.</summary>
    internal static ulong LastOf(this StreamStore store, StoredStream stream, ReadOnlySpan<byte> filter)
    {
        using StoreBatch batch = store.Begin();
        return stream.Subjects.LastOf(filter, withQueued: false);
    }
}
