using System.Text;

namespace Broker.Streams.Tests.Store;

/// <summary>A stream as lists in memory: what must be in a store after the same changes.</summary>
internal sealed class CompactionModel(string name, StreamLimits limits)
{
    private readonly List<(ulong Sequence, string Subject, string Text)> _messages = [];

    public string Name { get; } = name;

    public StreamLimits Limits { get; } = limits;

    public ulong Last { get; private set; }

    public (ulong Sequence, string Text)[] Messages => [.. _messages.Select(static message => (message.Sequence, $"{message.Subject} {message.Text}"))];

    /// <summary>Makes one change of the stream, and writes it.</summary>
    public void Change(StreamStore store, Random random, bool canCount)
    {
        StoredStream stream = store.Find(Name)!;
        int kind = random.Next(100);

        // A message that is deleted soon has often displaced another one, which must not return.
        ulong any = random.Next(2) == 0 && stream.Last > 0 ? stream.Last : (ulong)random.NextInt64(1, (long)stream.Last + 2);
        string subject = $"s.{random.Next(Limits.MaxPerSubject > 0 ? 20 : 4)}";
        long keep = random.Next(3);
        using (StoreBatch batch = store.Begin())
        {
            Assert.Equal(QueueStatus.Queued, kind switch
            {
                < 65 => Append(batch, stream, subject, random.Next(100), isRollup: false),
                < 70 => Append(batch, stream, subject, random.Next(100), isRollup: true),
                < 92 => Delete(batch, stream, any),
                < 96 => PurgeSubjects(batch, stream, subject, any, keep),
                < 97 when canCount => PurgeSubjects(batch, stream, "s.*", any, keep),
                < 99 => Purge(batch, stream, stream.First + ((any - Math.Min(any, stream.First)) / 4)),
                _ => QueueStatus.Queued,
            });
        }

        store.Commit();
    }

    private QueueStatus Append(in StoreBatch batch, StoredStream stream, string subject, int length, bool isRollup)
    {
        string text = new('x', length);
        byte[] octets = Encoding.UTF8.GetBytes(subject);
        QueueStatus status = isRollup
            ? batch.AppendAndPurge(stream, octets, [], Encoding.UTF8.GetBytes(text), octets, null, 0)
            : batch.Append(stream, octets, [], Encoding.UTF8.GetBytes(text));
        Last = stream.LastAssigned;
        _messages.Add((Last, subject, text));
        for (int i = 0; Limits.MaxPerSubject > 0 && _messages.Count(message => message.Subject == subject) > Limits.MaxPerSubject;)
        {
            i = _messages.FindIndex(message => message.Subject == subject);
            _messages.RemoveAt(i);
        }

        if (Limits.MaxMessages > 0 && _messages.Count > Limits.MaxMessages)
        {
            _messages.RemoveAt(0);
        }

        if (isRollup)
        {
            _messages.RemoveAll(message => message.Subject == subject && message.Sequence < Last);
        }

        return status;
    }

    private QueueStatus Delete(in StoreBatch batch, StoredStream stream, ulong sequence)
    {
        _messages.RemoveAll(message => message.Sequence == sequence);
        return batch.Delete(stream, sequence);
    }

    private QueueStatus Purge(in StoreBatch batch, StoredStream stream, ulong first)
    {
        _messages.RemoveAll(message => message.Sequence < first);
        return batch.Purge(stream, first);
    }

    private QueueStatus PurgeSubjects(in StoreBatch batch, StoredStream stream, string filter, ulong before, long keep)
    {
        (ulong Sequence, string, string)[] matching = [.. _messages.Where(message => message.Sequence < before && (filter == "s.*" || message.Subject == filter))];
        HashSet<ulong> deleted = [.. matching.SkipLast((int)keep).Select(static message => message.Sequence)];
        _messages.RemoveAll(message => deleted.Contains(message.Sequence));
        return batch.PurgeSubjects(stream, Encoding.UTF8.GetBytes(filter), before, keep, null, 0);
    }
}
