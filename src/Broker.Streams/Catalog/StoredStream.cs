using Broker.Protocol;

namespace Broker.Streams;

/// <summary>
/// A stream of a store: its limits and where its messages are. All members are used under the store's lock.
/// </summary>
internal sealed class StoredStream(uint id, string name, StorageQuota? quota)
{
    private const int LeastDeleted = 64;

    private readonly EntryList _entries = new();

    // The entries of deleted messages behind one that is not deleted.
    private int _deletedEntries;

    internal uint Id { get; } = id;

    /// <summary>The messages, with those that were deleted in between.</summary>
    internal EntryList Entries => _entries;

    internal string Name { get; } = name;

    internal StreamLimits Limits { get; private set; }

    /// <summary>Bytes that the store keeps for the stream's owner.</summary>
    internal byte[] Configuration { get; private set; } = [];

    internal SubjectTable Subjects { get; } = new();

    /// <summary>The consumers in the log by their names.</summary>
    internal Dictionary<string, StoredConsumer> Consumers { get; } = new(StringComparer.Ordinal);

    /// <summary>Those that count the messages which a consumer has not delivered.</summary>
    internal List<PendingCounter> Counters { get; } = [];

    /// <summary>The sequence of the next message is greater than this one.</summary>
    internal ulong LastAssigned { get; set; }

    /// <summary>The last sequence on the disk.</summary>
    internal ulong Last { get; private set; }

    /// <summary>No message before this sequence exists.</summary>
    internal ulong First { get; private set; } = 1;

    internal long Messages { get; private set; }

    /// <summary>The size of the records of all messages.</summary>
    internal long Bytes { get; private set; }

    /// <summary>The number of messages that wait for a sync.</summary>
    internal long QueuedMessages { get; private set; }

    /// <summary>The size of the records of these messages.</summary>
    internal long QueuedBytes { get; private set; }

    /// <summary>Set when a record of the stream is damaged. The stream then refuses reads and writes.</summary>
    internal StreamDamage? Damage { get; set; }

    /// <summary>
    /// The error of the program after which the stream has stopped; null for none. It does not outlive the process.
    /// </summary>
    internal string? Fault { get; set; }

    /// <summary>
    /// Whether messages may have been deleted because of the number of later ones of their subject. Then the log must
    /// say so before later ones leave it.
    /// </summary>
    internal bool HasSubjectLimit { get; private set; }

    /// <summary>
    /// Whether messages may have been deleted because of the number of later ones of several subjects. Then none may
    /// leave the log before those that are older.
    /// </summary>
    internal bool HasCountedPurge { get; private set; }

    /// <summary>The deletion of the stream is queued. Nothing may follow it in the log.</summary>
    internal bool IsDeleting { get; set; }

    /// <summary>The time of the oldest message in ticks, or <see cref="long.MaxValue" /> without messages.</summary>
    internal long OldestTime => _entries.Count == 0 ? long.MaxValue : _entries[0].Time;

    /// <summary>The messages with a time to live; null if there was none.</summary>
    internal MessageExpiries? Expiries { get; set; }

    /// <summary>
    /// The headers of the message that takes the place of the last message of a subject when it expires; null for none.
    /// </summary>
    internal byte[]? MarkerHeaders { get; set; }

    /// <summary>The token with which the storing of such a message is reported.</summary>
    internal long MarkerToken { get; set; }

    /// <summary>The time of the next expiry of a message, in ticks of UTC; the maximum for never.</summary>
    internal long NextExpiry => Expiries?.Next ?? (Limits.MaxAge > TimeSpan.Zero && OldestTime != long.MaxValue ? OldestTime + Limits.MaxAge.Ticks : long.MaxValue);

    /// <summary>The time of the last message in ticks; 0 if there was none since the start.</summary>
    internal long LastTime { get; private set; }

    internal void Configure(StreamLimits limits, byte[] configuration)
    {
        Limits = limits;
        Configuration = configuration;
        if (limits.MaxPerSubject > 0)
        {
            foreach (SubjectState subject in Subjects.All.ToArray())
            {
                EnforceLimit(subject);
            }

            DropDeletedFront();
        }

        EnforceLimits();
    }

    /// <summary>Counts a message that is queued.</summary>
    internal void Enqueue(ReadOnlySpan<byte> subject, ulong sequence, int size)
    {
        SubjectState state = Subjects.GetOrAdd(subject);
        state.Queued++;
        state.LastQueued = sequence;
        QueuedMessages++;
        QueuedBytes += size;
        quota?.Add(size);
    }

    /// <summary>Ends the count of a queued message, which is stored or not.</summary>
    internal void Dequeue(ReadOnlySpan<byte> subject, int size, bool isStored)
    {
        SubjectState state = Subjects.GetOrAdd(subject);
        state.Queued--;
        QueuedMessages--;
        QueuedBytes -= size;
        quota?.Add(-size);
        if (!isStored)
        {
            Subjects.RemoveIfUnused(state);
        }
    }

    internal void Add(in MessageEntry entry)
    {
        Advance(entry.Sequence);
        SubjectState subject = entry.Subject;
        if (entry.Sequence < First)
        {
            Subjects.RemoveIfUnused(subject);
            return;
        }

        if (subject.Count == 0)
        {
            subject.First = entry.Sequence;
            Subjects.Stored++;
        }
        else
        {
            _entries[_entries.Find(subject.Last)].NextOfSubject = entry.Sequence;
        }

        subject.Last = entry.Sequence;
        subject.Count++;
        LastTime = entry.Time;
        _entries.Add(entry);
        entry.Segment!.Add(entry);
        Messages++;
        Bytes += entry.Size;
        quota?.Add(entry.Size);
        Count(entry, 1);
        EnforceLimit(subject);
        DropDeletedFront();
        EnforceLimits();
    }

    /// <summary>
    /// Creates or changes a consumer. Without progress, it keeps its own. Returns false if the bytes have no meaning.
    /// </summary>
    internal bool TryPutConsumer(string name, ReadOnlySpan<byte> configuration, ReadOnlySpan<byte> progress)
    {
        if (!Consumers.TryGetValue(name, out StoredConsumer? consumer))
        {
            Consumers.Add(name, consumer = new StoredConsumer(name));
        }

        consumer.Configuration = configuration.ToArray();
        return progress.IsEmpty || consumer.Progress.TryRead(progress);
    }

    /// <summary>Starts to count the messages of a consumer.</summary>
    internal void Add(PendingCounter counter)
    {
        for (int i = _entries.Find(counter.Next); i < _entries.Count; i++)
        {
            counter.Count += !_entries[i].IsDeleted && counter.Matches(_entries[i].Subject) ? 1 : 0;
        }

        Counters.Add(counter);
    }

    /// <summary>Finds the next message of a counter, which counts it no longer.</summary>
    internal bool TryTake(PendingCounter counter, out MessageEntry entry)
    {
        ulong next = counter.Next;
        while (counter.Count > 0 && TryFindNext(next, counter.OnlyFilter, out entry))
        {
            next = entry.Sequence + 1;
            if (counter.Matches(entry.Subject))
            {
                counter.Next = next;
                counter.Count--;
                return true;
            }
        }

        entry = default;
        return false;
    }

    private void Count(in MessageEntry entry, int change)
    {
        foreach (PendingCounter counter in Counters)
        {
            counter.Count += entry.Sequence >= counter.Next && counter.Matches(entry.Subject) ? change : 0;
        }
    }

    internal void Advance(ulong last)
    {
        Last = Math.Max(Last, last);
        LastAssigned = Math.Max(LastAssigned, Last);
    }

    internal void Delete(ulong sequence)
    {
        DeleteEntry(sequence);
        DropDeletedFront();
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
            RemoveFirst();
        }

        DropDeletedFront();
    }

    /// <summary>
    /// Deletes the messages before a sequence whose subject matches a filter, except the last ones of them. Returns the
    /// number of deleted messages.
    /// </summary>
    internal long Purge(ReadOnlySpan<byte> filter, ulong before, long keep)
    {
        HasSubjectLimit |= keep > 0;
        HasCountedPurge |= keep > 0 && Subject.HasWildcard(filter);
        long excess = Matching(filter, before) - keep;
        long deleted = 0;
        SubjectState? only = Subject.HasWildcard(filter) ? null : Subjects.Find(filter);
        if (only is not null)
        {
            while (deleted < excess)
            {
                DeleteEntry(only.First);
                deleted++;
            }
        }

        for (int i = 0; only is null && deleted < excess; i++)
        {
            ref MessageEntry entry = ref _entries[i];
            if (!entry.IsDeleted && Subject.Matches(filter, entry.Subject.Name))
            {
                Delete(ref entry);
                deleted++;
            }
        }

        DropDeletedFront();
        return deleted;
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

    /// <summary>Moves a message from one segment to another, unless it was deleted.</summary>
    internal void Move(ulong sequence, Segment from, Segment to, long offset)
    {
        int index = _entries.Find(sequence);
        if (index < _entries.Count && _entries[index].Sequence == sequence && _entries[index].Segment == from)
        {
            ref MessageEntry entry = ref _entries[index];
            from.Remove(entry);
            entry = entry with { Segment = to, Offset = (uint)offset };
            to.Add(entry);
        }
    }

    /// <summary>Finds the first message whose sequence is not smaller and whose subject matches a filter.</summary>
    internal bool TryFindNext(ulong sequence, ReadOnlySpan<byte> filter, out MessageEntry entry)
    {
        SubjectState? only = filter.IsEmpty || Subject.HasWildcard(filter) ? null : Subjects.Find(filter) ?? Nothing;
        entry = default;
        if (only is not null)
        {
            if (sequence > only.Last)
            {
                return false;
            }

            sequence = Math.Max(sequence, only.First);
        }

        for (int index = _entries.Find(sequence); index < _entries.Count; index++)
        {
            entry = _entries[index];
            if (!entry.IsDeleted && (only is null ? filter.IsEmpty || Subject.Matches(filter, entry.Subject.Name) : entry.Subject == only))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Describes the content.</summary>
    /// <param name="withDeleted">Whether deleted sequences are listed.</param>
    internal StreamSummary Summarize(bool withDeleted)
    {
        ulong empty = Last == 0 && First <= 1 ? 0 : Last + 1;
        return new StreamSummary
        {
            Messages = Messages,
            Bytes = Bytes,
            First = Messages == 0 ? empty : _entries[0].Sequence,
            Last = Last,
            FirstTime = Messages == 0 ? 0 : _entries[0].Time,
            LastTime = LastTime,
            Subjects = Subjects.Stored,
            Deleted = withDeleted ? Deleted() : null,
        };
    }

    private List<ulong> Deleted()
    {
        var deleted = new List<ulong>();
        ulong next = _entries.Count == 0 ? 0 : _entries[0].Sequence;
        for (int i = 0; i < _entries.Count; i++)
        {
            for (; next < _entries[i].Sequence; next++)
            {
                deleted.Add(next);
            }

            if (_entries[i].IsDeleted)
            {
                deleted.Add(next);
            }

            next++;
        }

        return deleted;
    }

    private static SubjectState Nothing => new([]);

    private long Matching(ReadOnlySpan<byte> filter, ulong before)
    {
        long count = 0;
        if (!Subject.HasWildcard(filter))
        {
            SubjectState? state = Subjects.Find(filter);
            for (ulong sequence = state?.First ?? 0; sequence != 0 && sequence < before;)
            {
                MessageEntry entry = _entries[_entries.Find(sequence)];
                count += entry.IsDeleted ? 0 : 1;
                sequence = entry.NextOfSubject;
            }

            return count;
        }

        for (int i = 0; i < _entries.Count && _entries[i].Sequence < before; i++)
        {
            count += !_entries[i].IsDeleted && Subject.Matches(filter, _entries[i].Subject.Name) ? 1 : 0;
        }

        return count;
    }

    private void EnforceLimit(SubjectState subject)
    {
        while (Limits.MaxPerSubject > 0 && subject.Count > Limits.MaxPerSubject)
        {
            HasSubjectLimit = true;
            DeleteEntry(subject.First);
        }
    }

    private void EnforceLimits()
    {
        while ((Limits.MaxMessages > 0 && Messages > Limits.MaxMessages) || (Limits.MaxBytes > 0 && Bytes > Limits.MaxBytes && Messages > 0))
        {
            Delete(ref _entries[0]);
            DropDeletedFront();
        }
    }

    private void DeleteEntry(ulong sequence)
    {
        int index = _entries.Find(sequence);
        if (index < _entries.Count && _entries[index].Sequence == sequence)
        {
            Delete(ref _entries[index]);
        }
    }

    private void Delete(ref MessageEntry entry)
    {
        if (entry.Segment is { } segment)
        {
            segment.Remove(entry);
            Messages--;
            Bytes -= entry.Size;
            quota?.Add(-entry.Size);
            entry.Segment = null;
            _deletedEntries++;
            Expiries?.Remove(entry.Sequence);
            Count(entry, -1);
            RemoveFromSubject(entry);
        }
    }

    private void RemoveFromSubject(in MessageEntry entry)
    {
        SubjectState subject = entry.Subject;
        if (--subject.Count == 0)
        {
            subject.First = 0;
            subject.Last = 0;
            Subjects.Stored--;
            Subjects.RemoveIfUnused(subject);
        }
        else if (subject.First == entry.Sequence)
        {
            subject.First = entry.NextOfSubject;
            while (_entries[_entries.Find(subject.First)] is { IsDeleted: true } deleted)
            {
                subject.First = deleted.NextOfSubject;
            }
        }
        else if (subject.Last == entry.Sequence)
        {
            subject.Last = LastBefore(subject, entry.Sequence);
        }
    }

    private ulong LastBefore(SubjectState subject, ulong end)
    {
        ulong last = subject.First;
        for (ulong sequence = last; sequence < end;)
        {
            MessageEntry entry = _entries[_entries.Find(sequence)];
            last = entry.IsDeleted ? last : sequence;
            sequence = entry.NextOfSubject;
        }

        return last;
    }

    // The first entry is a message that exists, or there is none.
    private void DropDeletedFront()
    {
        while (_entries.Count > 0 && _entries[0].IsDeleted)
        {
            First = Math.Max(First, _entries[0].Sequence + 1);
            RemoveFirst();
        }

        // A message that stays, such as a key that is never put again, must not keep the entries of all later ones.
        if (_deletedEntries > LeastDeleted && _deletedEntries > _entries.Count / 2)
        {
            RemoveDeleted();
        }
    }

    private void RemoveFirst()
    {
        _entries.RemoveFirst();
        _deletedEntries--;
    }

    // The chain of each subject goes past the entries that leave.
    private void RemoveDeleted()
    {
        for (int i = 0; i < _entries.Count; i++)
        {
            ref MessageEntry entry = ref _entries[i];
            while (!entry.IsDeleted && entry.NextOfSubject != 0 && _entries[_entries.Find(entry.NextOfSubject)] is { IsDeleted: true } deleted)
            {
                entry.NextOfSubject = deleted.NextOfSubject;
            }
        }

        _entries.RemoveDeleted();
        _deletedEntries = 0;
    }
}
