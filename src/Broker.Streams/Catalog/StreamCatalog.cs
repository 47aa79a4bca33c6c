using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Broker.Streams;

/// <summary>
/// All streams of a store. A record changes it in the same way when it has been written and when it is read at a start.
/// All members are used under the store's lock.
/// </summary>
internal sealed class StreamCatalog(StorageQuota? quota)
{
    private readonly Dictionary<uint, StoredStream> _byId = [];
    private readonly Dictionary<string, StoredStream> _byName = new(StringComparer.Ordinal);
    private uint _lastId;

    internal IReadOnlyCollection<StoredStream> Streams => _byId.Values;

    internal uint NextId() => ++_lastId;

    internal bool TryGet(string name, [NotNullWhen(true)] out StoredStream? stream) => _byName.TryGetValue(name, out stream);

    internal bool TryGet(uint id, [NotNullWhen(true)] out StoredStream? stream) => _byId.TryGetValue(id, out stream);

    /// <summary>Adds a message. Returns false if its stream is unknown.</summary>
    /// <param name="head">The head of its record.</param>
    /// <param name="subject">The subject.</param>
    /// <param name="headers">The headers if the message has flags; they are not used otherwise.</param>
    /// <param name="segment">The segment.</param>
    /// <param name="offset">The place of the record in the segment.</param>
    internal bool AddMessage(in RecordHead head, ReadOnlySpan<byte> subject, ReadOnlySpan<byte> headers, Segment segment, long offset)
    {
        if (!_byId.TryGetValue(head.Stream, out StoredStream? stream))
        {
            return false;
        }

        var entry = new MessageEntry
        {
            Sequence = head.Sequence,
            Time = head.Time,
            Offset = (uint)offset,
            HasHeaders = head.HeadersLength > 0,
            Size = head.Size,
            Segment = segment,
            Subject = stream.Subjects.GetOrAdd(subject),
        };
        stream.Add(entry);
        if (head.Flags != MessageFlags.None && stream.TryFind(head.Sequence, out _))
        {
            (stream.Expiries ??= new MessageExpiries(stream)).Add(head, headers);
        }

        return true;
    }

    /// <summary>Ends the count of a queued message.</summary>
    internal void Dequeue(in RecordHead head, ReadOnlySpan<byte> subject, bool isStored)
    {
        if (_byId.TryGetValue(head.Stream, out StoredStream? stream))
        {
            stream.Dequeue(subject, head.Size, isStored);
        }
    }

    /// <summary>Applies a record that is not a message. Returns false if it has no meaning.</summary>
    /// <param name="head">The head of the record.</param>
    /// <param name="record">The record.</param>
    /// <param name="purged">The number of messages that a purge of subjects has deleted.</param>
    internal bool Apply(in RecordHead head, ReadOnlySpan<byte> record, out long purged)
    {
        purged = 0;
        if (head.Kind == RecordKind.Stream)
        {
            return AddStream(head, record);
        }

        if (!_byId.TryGetValue(head.Stream, out StoredStream? stream))
        {
            return head.Kind is RecordKind.StreamDeleted or RecordKind.MessageDeleted or RecordKind.Purged or RecordKind.StreamDamaged or RecordKind.SubjectsPurged or RecordKind.ConsumerChanged or RecordKind.ConsumerDeleted or RecordKind.StreamRepaired;
        }

        switch (head.Kind)
        {
            case RecordKind.StreamDeleted:
                stream.Counters.Clear();
                stream.Purge(ulong.MaxValue);
                _byId.Remove(stream.Id);
                _byName.Remove(stream.Name);
                return true;
            case RecordKind.MessageDeleted:
                stream.Delete(head.Sequence);
                return true;
            case RecordKind.Purged:
                stream.Purge(head.Sequence);
                return true;
            case RecordKind.SubjectsPurged when head.BodyOf(record).Length == sizeof(long):
                purged = stream.Purge(head.SubjectOf(record), head.Sequence, BinaryPrimitives.ReadInt64LittleEndian(head.BodyOf(record)));
                return true;
            case RecordKind.Consumer:
                return stream.TryPutConsumer(Encoding.UTF8.GetString(head.SubjectOf(record)), head.HeadersOf(record), head.BodyOf(record));
            case RecordKind.ConsumerChanged:
                return !stream.Consumers.TryGetValue(Encoding.UTF8.GetString(head.SubjectOf(record)), out StoredConsumer? consumer)
                    || consumer.Progress.TryApply(head.BodyOf(record));
            case RecordKind.ConsumerDeleted:
                stream.Consumers.Remove(Encoding.UTF8.GetString(head.SubjectOf(record)));
                return true;
            case RecordKind.StreamDamaged when head.BodyOf(record).Length == sizeof(ulong):
                stream.Damage ??= new StreamDamage(BinaryPrimitives.ReadUInt64LittleEndian(head.BodyOf(record)), head.Time, head.Sequence);
                return true;
            case RecordKind.StreamRepaired:
                stream.Damage = null;
                return true;
            default:
                return false;
        }
    }

    private bool AddStream(in RecordHead head, ReadOnlySpan<byte> record)
    {
        if (!StreamLimits.TryRead(head.HeadersOf(record), out StreamLimits limits, out ulong first))
        {
            return false;
        }

        if (!_byId.TryGetValue(head.Stream, out StoredStream? stream))
        {
            stream = new StoredStream(head.Stream, Encoding.UTF8.GetString(head.SubjectOf(record)), quota);
            _byId.Add(stream.Id, stream);
            _byName[stream.Name] = stream;
            _lastId = Math.Max(_lastId, stream.Id);
        }

        stream.Advance(head.Sequence);
        stream.Purge(first);
        stream.Configure(limits, head.BodyOf(record).ToArray());
        return true;
    }
}
