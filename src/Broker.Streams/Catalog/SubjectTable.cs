using Broker.Protocol;

namespace Broker.Streams;

/// <summary>The subjects of a stream that have messages.</summary>
internal sealed class SubjectTable
{
    private readonly Dictionary<byte[], SubjectState> _subjects = new(SubjectComparer.Instance);

    /// <summary>The number of subjects with messages that are stored.</summary>
    internal long Stored { get; set; }

    internal IEnumerable<SubjectState> All => _subjects.Values;

    internal SubjectState GetOrAdd(ReadOnlySpan<byte> subject)
    {
        if (Find(subject) is { } known)
        {
            return known;
        }

        var added = new SubjectState(subject.ToArray());
        _subjects.Add(added.Name, added);
        return added;
    }

    internal SubjectState? Find(ReadOnlySpan<byte> subject)
        => _subjects.GetAlternateLookup<ReadOnlySpan<byte>>().TryGetValue(subject, out SubjectState? state) ? state : null;

    /// <summary>The last sequence of all subjects that match a filter; 0 if there is none.</summary>
    internal ulong LastOf(ReadOnlySpan<byte> filter, bool withQueued)
    {
        if (!Subject.HasWildcard(filter))
        {
            return Find(filter) is { } state ? LastOf(state, withQueued) : 0;
        }

        ulong last = 0;
        foreach (SubjectState state in _subjects.Values)
        {
            if (Subject.Matches(filter, state.Name))
            {
                last = Math.Max(last, LastOf(state, withQueued));
            }
        }

        return last;
    }

    internal void RemoveIfUnused(SubjectState state)
    {
        if (state.IsUnused)
        {
            _subjects.Remove(state.Name);
        }
    }

    private static ulong LastOf(SubjectState state, bool withQueued) => withQueued ? state.LastAssigned : state.Last;
}
