using Broker.Protocol;

namespace Broker.Streams;

/// <summary>
/// Counts the messages from a sequence on whose subjects match the filters of a consumer. Used under the store's lock.
/// </summary>
internal sealed class PendingCounter(byte[][] filters, ulong next)
{

    /// <summary>The sequence from which on messages are counted.</summary>
    internal ulong Next { get; set; } = next;

    /// <summary>The number of messages. Other threads may read it.</summary>
    internal long Count { get; set; }

    internal byte[][] Filters => filters;

    /// <summary>The only filter; empty if there are several, or for all subjects.</summary>
    internal ReadOnlySpan<byte> OnlyFilter => filters.Length == 1 ? filters[0] : default;

    internal bool Matches(SubjectState subject)
    {
        if (filters.Length == 0)
        {
            return true;
        }

        foreach (byte[] filter in filters)
        {
            if (Subject.Matches(filter, subject.Name))
            {
                return true;
            }
        }

        return false;
    }
}
