namespace Broker.Streams;

/// <summary>
/// A stream of a store: its limits and where its messages are. All members are used under the store's lock.
/// </summary>
internal sealed class StoredStream(uint id, string name)
{
    private readonly EntryList _entries = new();
    private SubjectTable? _subjects;

    internal uint Id { get; } = id;

    internal string Name { get; } = name;

    internal StreamLimits Limits { get; private set; }

    /// <summary>Bytes that the store keeps for the stream's owner.</summary>
    internal byte[] Configuration { get; private set; } = [];

    /// <summary>The sequence of the next message is greater than this one.</summary>
    internal ulong LastAssigned { get; set; }

    /// <summary>The last sequence on the disk.</summary>
    internal ulong Last { get; private set; }

    /// <summary>No message before this sequence exists.</summary>
    internal ulong First { get; private set; } = 1;

    internal long Messages { get; private set; }

    /// <summary>The size of the records of all messages.</summary>
    internal long Bytes { get; private set; }

    /// <summary>Set when a record of the stream is damaged. The stream then refuses reads and writes.</summary>
    internal StreamDamage? Damage { get; set; }

    /// <summary>The deletion of the stream is queued. Nothing may follow it in the log.</summary>
    internal bool IsDeleting { get; set; }

    /// <summary>The time of the oldest message in ticks, or <see cref="long.MaxValue" /> without messages.</summary>
    internal long OldestTime => _entries.Count == 0 ? long.MaxValue : _entries[0].Time;

    internal void Configure(StreamLimits limits, byte[] configuration)
    {
        Limits = limits;
        Configuration = configuration;
        if (limits.MaxPerSubject > 0)
        {
            _subjects ??= new SubjectTable();
        }

        EnforceLimits();
    }

    internal void Add(in MessageEntry entry, ReadOnlySpan<byte> subject)
    {
        Advance(entry.Sequence);
        if (entry.Sequence < First)
        {
            return;
        }

        _entries.Add(entry);
        entry.Segment!.Live++;
        Messages++;
        Bytes += entry.Size;
        AddSubject(subject, entry.Sequence);
        EnforceLimits();
    }

    internal void Advance(ulong last)
    {
        Last = Math.Max(Last, last);
        LastAssigned = Math.Max(LastAssigned, Last);
    }

    internal void Delete(ulong sequence)
    {
        int index = _entries.Find(sequence);
        if (index < _entries.Count && _entries[index].Sequence == sequence)
        {
            Delete(ref _entries[index]);
            DropDeletedFront();
        }
    }

    /// <summary>Deletes all messages before a sequence.</summary>
    internal void Purge(ulong first)
    {
        // Sequences before the first one are not used again, even if none of them was stored.
        First = Math.Max(First, first);
        Advance(First - 1);
        while (_entries.Count > 0 && _entries[0].Sequence < First)
        {
            Delete(ref _entries[0]);
            _entries.RemoveFirst();
        }

        DropDeletedFront();
    }

    /// <summary>The sequence of the first message that is not older than a time, or that of the next message.</summary>
    internal ulong FirstAfter(long time)
    {
        for (int i = 0; i < _entries.Count; i++)
        {
            if (_entries[i].Time >= time)
            {
                return _entries[i].Sequence;
            }
        }

        return Last + 1;
    }

    internal bool TryFind(ulong sequence, out MessageEntry entry)
    {
        int index = _entries.Find(sequence);
        entry = index < _entries.Count ? _entries[index] : default;
        return index < _entries.Count && entry.Sequence == sequence && !entry.IsDeleted;
    }

    /// <summary>Finds the first message whose sequence is not smaller.</summary>
    internal bool TryFindNext(ulong sequence, out MessageEntry entry)
    {
        for (int index = _entries.Find(sequence); index < _entries.Count; index++)
        {
            entry = _entries[index];
            if (!entry.IsDeleted)
            {
                return true;
            }
        }

        entry = default;
        return false;
    }

    private void AddSubject(ReadOnlySpan<byte> subject, ulong sequence)
    {
        if (_subjects is null)
        {
            return;
        }

        List<ulong> sequences = _subjects.Add(subject, sequence);
        if (sequences.Count > Limits.MaxPerSubject)
        {
            for (int i = sequences.Count - 1; i >= 0; i--)
            {
                if (IsDeleted(sequences[i]))
                {
                    _subjects.Remove(sequences, i);
                }
            }
        }

        while (sequences.Count > Limits.MaxPerSubject)
        {
            Delete(sequences[0]);
            _subjects.Remove(sequences, 0);
        }

        _subjects.Trim(Messages, IsDeleted);
    }

    private bool IsDeleted(ulong sequence) => !TryFind(sequence, out _);

    private void EnforceLimits()
    {
        while ((Limits.MaxMessages > 0 && Messages > Limits.MaxMessages) || (Limits.MaxBytes > 0 && Bytes > Limits.MaxBytes && Messages > 0))
        {
            Delete(ref _entries[0]);
            DropDeletedFront();
        }
    }

    private void Delete(ref MessageEntry entry)
    {
        if (entry.Segment is { } segment)
        {
            segment.Live--;
            Messages--;
            Bytes -= entry.Size;
            entry.Segment = null;
        }
    }

    // The first entry is a message that exists, or there is none.
    private void DropDeletedFront()
    {
        while (_entries.Count > 0 && _entries[0].IsDeleted)
        {
            First = Math.Max(First, _entries[0].Sequence + 1);
            _entries.RemoveFirst();
        }
    }
}
