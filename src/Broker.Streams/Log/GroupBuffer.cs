using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Text;

namespace Broker.Streams;

/// <summary>The records of one group, as they are written, and who waits for them.</summary>
internal sealed class GroupBuffer
{
    private readonly ByteWriter _bytes = new();
    private readonly List<PendingCompletion> _completions = [];

    internal GroupBuffer() => Clear();

    internal int Count { get; private set; }

    /// <summary>The bytes of the header and all records.</summary>
    internal int Length => _bytes.Length;

    internal long TotalLength => GroupHeader.AlignedLength(Length - GroupHeader.Length);

    internal List<string> CreatedNames { get; } = [];

    internal List<StoredStream> DeletedStreams { get; } = [];

    internal void Clear()
    {
        _bytes.Clear();
        _bytes.Append(GroupHeader.Length);
        _completions.Clear();
        CreatedNames.Clear();
        DeletedStreams.Clear();
        Count = 0;
    }

    internal void Add(RecordHead head, ReadOnlySpan<byte> subject, ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body)
    {
        Span<byte> record = _bytes.Append(head.Size);
        head.Write(record);
        subject.CopyTo(record[RecordHead.Length..]);
        headers.CopyTo(record[(RecordHead.Length + subject.Length)..]);
        body.CopyTo(record[(RecordHead.Length + subject.Length + headers.Length)..]);
        Count++;
    }

    internal void Add(RecordKind kind, uint stream, ulong sequence, long time)
        => Add(HeadOf(kind, stream, sequence, time, 0, 0, 0), [], [], []);

    /// <summary>Adds the state of a stream, and its damage.</summary>
    internal void Add(StoredStream stream, long time)
    {
        AddStream(stream.Id, stream.Name, stream.Limits, stream.Configuration, (stream.First, stream.Last), time);
        if (stream.Damage is { } damage)
        {
            AddDamage(stream.Id, damage);
        }

        foreach (StoredConsumer consumer in stream.Consumers.Values)
        {
            AddConsumer(RecordKind.Consumer, stream.Id, consumer.Name, consumer.Configuration, consumer.Progress.ToArray(), time);
        }
    }

    /// <summary>Adds a consumer, a change of it, or its deletion.</summary>
    internal void AddConsumer(RecordKind kind, uint stream, string name, ReadOnlySpan<byte> configuration, ReadOnlySpan<byte> progress, long time)
    {
        Span<byte> octets = stackalloc byte[Encoding.UTF8.GetMaxByteCount(name.Length)];
        octets = octets[..Encoding.UTF8.GetBytes(name, octets)];
        Add(HeadOf(kind, stream, 0, time, octets.Length, configuration.Length, progress.Length), octets, configuration, progress);
    }

    internal void AddStream(uint id, string name, StreamLimits limits, ReadOnlySpan<byte> configuration, (ulong First, ulong Last) sequences, long time)
    {
        Span<byte> encoded = stackalloc byte[StreamLimits.EncodedLength];
        limits.Write(encoded, sequences.First);
        byte[] octets = Encoding.UTF8.GetBytes(name);
        Add(HeadOf(RecordKind.Stream, id, sequences.Last, time, octets.Length, encoded.Length, configuration.Length), octets, encoded, configuration);
    }

    internal void AddDamage(uint stream, StreamDamage damage)
    {
        Span<byte> segment = stackalloc byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64LittleEndian(segment, damage.Segment);
        Add(HeadOf(RecordKind.StreamDamaged, stream, damage.Sequence, damage.Offset, 0, 0, segment.Length), [], [], segment);
    }

    /// <summary>
    /// Adds the deletion of the messages of matching subjects before a sequence, except the last ones.
    /// </summary>
    internal void AddSubjectsPurged(uint stream, ReadOnlySpan<byte> filter, ulong before, long keep, long time)
    {
        Span<byte> kept = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(kept, keep);
        Add(HeadOf(RecordKind.SubjectsPurged, stream, before, time, filter.Length, 0, kept.Length), filter, [], kept);
    }

    internal void Complete(IStoreCompletion? target, long token, ulong sequence)
    {
        if (target is not null)
        {
            _completions.Add(new PendingCompletion(target, token, sequence, Count));
        }
    }

    /// <summary>Sets the number of messages that a record has deleted.</summary>
    internal void SetPurged(int record, long count)
    {
        foreach (ref PendingCompletion completion in CollectionsMarshal.AsSpan(_completions))
        {
            if (completion.Record == record)
            {
                completion = completion with { Sequence = (ulong)count };
            }
        }
    }

    internal void Report(StoreOutcome outcome)
    {
        IStoreCompletion? last = null;
        foreach (PendingCompletion completion in _completions)
        {
            if (last != completion.Target)
            {
                last?.OnReported();
                last = completion.Target;
                last.OnReporting();
            }

            last.OnStored(completion.Token, completion.Sequence, outcome);
        }

        last?.OnReported();
    }

    /// <summary>Writes the checksums and the header. The result is what belongs into the file.</summary>
    internal ReadOnlySpan<byte> Seal(ulong number, uint salt)
    {
        int length = Length;
        uint check = salt;
        for (int at = GroupHeader.Length; at < length;)
        {
            int size = BinaryPrimitives.ReadInt32LittleEndian(_bytes.Written[at..]);
            check = Checksum.Of(check, RecordHead.Seal(_bytes.Written.Slice(at, size), salt));
            at += size;
        }

        var header = new GroupHeader { RecordsLength = length - GroupHeader.Length, Number = number, Count = Count, RecordsCheck = check };
        _bytes.Append((int)(TotalLength - length)).Clear();
        header.Write(_bytes.Written, salt);
        ReadOnlySpan<byte> sealedBytes = _bytes.Written;
        _bytes.Truncate(length);
        return sealedBytes;
    }

    /// <summary>Reads the record at a position and moves the position behind it.</summary>
    internal ReadOnlySpan<byte> Next(ref int position)
    {
        int size = BinaryPrimitives.ReadInt32LittleEndian(_bytes.Written[position..]);
        ReadOnlySpan<byte> record = _bytes.Written.Slice(position, size);
        position += size;
        return record;
    }

    internal static RecordHead HeadOf(RecordKind kind, uint stream, ulong sequence, long time, int subject, int headers, int body, MessageFlags flags = default) => new()
    {
        Size = RecordHead.Length + subject + headers + body,
        Kind = kind,
        Flags = flags,
        SubjectLength = (ushort)subject,
        HeadersLength = headers,
        Stream = stream,
        Sequence = sequence,
        Time = time,
    };
}
