namespace Broker.Streams;

/// <summary>
/// The sequences of each subject of a stream with a limit per subject. Sequences of deleted messages stay until their
/// subject gets another message, or until they are the greater part.
/// </summary>
internal sealed class SubjectTable
{
    private const int KeptDeleted = 1024;

    private readonly Dictionary<byte[], List<ulong>> _sequences = new(SubjectComparer.Instance);
    private int _count;

    /// <summary>The sequences of a subject, oldest first, with that of a new message.</summary>
    internal List<ulong> Add(ReadOnlySpan<byte> subject, ulong sequence)
    {
        Dictionary<byte[], List<ulong>>.AlternateLookup<ReadOnlySpan<byte>> lookup = _sequences.GetAlternateLookup<ReadOnlySpan<byte>>();
        if (!lookup.TryGetValue(subject, out List<ulong>? sequences))
        {
            sequences = [];
            _sequences.Add(subject.ToArray(), sequences);
        }

        sequences.Add(sequence);
        _count++;
        return sequences;
    }

    internal void Remove(List<ulong> sequences, int index)
    {
        sequences.RemoveAt(index);
        _count--;
    }

    /// <summary>Removes sequences of deleted messages if there are more of them than of others.</summary>
    internal void Trim(long live, Predicate<ulong> isDeleted)
    {
        if (_count <= (2 * live) + KeptDeleted)
        {
            return;
        }

        foreach ((byte[] subject, List<ulong> sequences) in _sequences)
        {
            _count -= sequences.RemoveAll(isDeleted);
            if (sequences.Count == 0)
            {
                _sequences.Remove(subject);
            }
        }
    }
}
