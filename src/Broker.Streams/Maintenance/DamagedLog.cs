using System.Buffers.Binary;
using System.Text;
using System.Text.Json;

namespace Broker.Streams;

/// <summary>
/// Applies the whole records of a damaged log. It finds out which messages were in the lost bytes, and what other records
/// cannot mean any more because of them.
/// </summary>
internal sealed class DamagedLog
{
    private readonly Dictionary<uint, SeenStream> _seen = [];
    private readonly Dictionary<uint, string> _names = [];

    // A change of these consumers may be lost. Later changes could skip a message, so they are not used.
    private readonly HashSet<(uint Stream, string Consumer)> _stale = [];
    private FoundDamage? _lastLoss;
    private int _losses;

    internal StreamCatalog Catalog { get; } = new(quota: null);

    internal long Records { get; private set; }

    internal string NameOf(uint stream) => _names.TryGetValue(stream, out string? name) ? name : $"number {stream}, whose name is lost";

    internal SeenStream Seen(uint stream)
    {
        if (!_seen.TryGetValue(stream, out SeenStream? seen))
        {
            _seen.Add(stream, seen = new SeenStream { Losses = _losses });
        }

        return seen;
    }

    /// <summary>Notes lost bytes with records of any stream.</summary>
    internal void Lose(FoundDamage found)
    {
        _losses++;
        _lastLoss = found;
        foreach (StoredStream stream in Catalog.Streams)
        {
            Suspect(stream);
        }
    }

    /// <summary>Notes a lost record whose head is known.</summary>
    internal void Lose(FoundDamage found, in RecordHead head)
    {
        found.Streams.Add(head.Stream);
        if (head.Kind == RecordKind.Message)
        {
            SeenStream seen = Seen(head.Stream);
            NoteGap(head.Stream, seen, head.Sequence);
            Lose(found, head.Stream, seen, head.Sequence, head.Sequence);
            seen.Last = Math.Max(seen.Last, head.Sequence);
            if (Catalog.TryGet(head.Stream, out StoredStream? stream))
            {
                stream.Advance(head.Sequence);
            }
        }
        else if (head.Kind is RecordKind.Consumer or RecordKind.ConsumerChanged && Catalog.TryGet(head.Stream, out StoredStream? stream))
        {
            Suspect(stream);
        }
    }

    /// <summary>Applies a whole record.</summary>
    /// <param name="head">The head of the record.</param>
    /// <param name="record">The record.</param>
    /// <param name="segment">Its segment.</param>
    /// <param name="offset">Its offset.</param>
    /// <param name="next">Returns the state of the streams at a later segment, or null if there is none.</param>
    /// <param name="output">The segment that is written in place of this one, or null.</param>
    internal void Add(in RecordHead head, ReadOnlySpan<byte> record, Segment segment, long offset, Func<SegmentStart?> next, SegmentRewrite? output)
    {
        Records++;
        switch (head.Kind)
        {
            case RecordKind.StreamDamaged:
                if (head.BodyOf(record).Length == sizeof(ulong))
                {
                    Seen(head.Stream).Mark ??= new StreamDamage(BinaryPrimitives.ReadUInt64LittleEndian(head.BodyOf(record)), head.Time, head.Sequence);
                }

                return;
            case RecordKind.StreamRepaired:
                Seen(head.Stream).Mark = null;
                break;
            case RecordKind.Stream:
                AddStream(head, record, output);
                break;
            case RecordKind.Message when !TryAddMessage(head, record, segment, offset, next, output):
                return;
            case RecordKind.MessageDeleted when Seen(head.Stream) is { Lost.Count: > 0 } seen:
                NoteDeletion(seen, head.Sequence);
                break;
            case RecordKind.Consumer when !Catalog.TryGet(head.Stream, out _) && !TryAddLostStream(head.Stream, next(), output, head.Time):
                return;
            case RecordKind.Consumer when !head.BodyOf(record).IsEmpty:
                _stale.Remove((head.Stream, Encoding.UTF8.GetString(head.SubjectOf(record))));
                break;
            case RecordKind.ConsumerChanged when _stale.Count > 0 && _stale.Contains((head.Stream, Encoding.UTF8.GetString(head.SubjectOf(record)))):
                return;
        }

        if (head.Kind != RecordKind.Message)
        {
            Catalog.Apply(head, record, out _);
        }

        output?.Add(head, record);
    }

    /// <summary>
    /// Ends a segment with losses. Streams and consumers that are not in the next segment were deleted in this one.
    /// </summary>
    internal void EndSegment(SegmentStart? next, SegmentRewrite? output, long time)
    {
        if (next is null)
        {
            return;
        }

        foreach (StoredStream stream in Catalog.Streams.ToArray())
        {
            if (!next.Streams.ContainsKey(stream.Id))
            {
                Apply(output, records => records.Add(RecordKind.StreamDeleted, stream.Id, 0, time));
                continue;
            }

            foreach (string consumer in stream.Consumers.Keys.Where(name => !next.Consumers.Contains((stream.Id, name))).ToArray())
            {
                Apply(output, records => records.AddConsumer(RecordKind.ConsumerDeleted, stream.Id, consumer, [], [], time));
            }
        }
    }

    /// <summary>Ends the last segment: sequences that may have been in lost bytes are not used again.</summary>
    internal void EndLog(ulong lost, SegmentRewrite? output, long time)
    {
        foreach (StoredStream stream in Catalog.Streams)
        {
            stream.Advance(stream.Last + lost);
            output?.Records.AddStream(stream.Id, stream.Name, stream.Limits, stream.Configuration, (stream.First, stream.Last), time);
        }
    }

    // Adds a record to the output, and applies it as if it had been read.
    private void Apply(SegmentRewrite? output, Action<GroupBuffer> add)
    {
        GroupBuffer one = new();
        add(one);
        int position = GroupHeader.Length;
        ReadOnlySpan<byte> record = one.Next(ref position);
        var head = RecordHead.Read(record);
        Catalog.Apply(head, record, out _);
        output?.Add(head, record);
    }

    private void Suspect(StoredStream stream)
    {
        foreach (string consumer in stream.Consumers.Keys)
        {
            _stale.Add((stream.Id, consumer));
        }
    }

    private void AddStream(in RecordHead head, ReadOnlySpan<byte> record, SegmentRewrite? output)
    {
        string name = Encoding.UTF8.GetString(head.SubjectOf(record));
        EndNamesake(name, head.Stream, output, head.Time);
        _names[head.Stream] = name;
        bool isNew = !_seen.ContainsKey(head.Stream);
        SeenStream seen = Seen(head.Stream);
        if (!isNew)
        {
            NoteGap(head.Stream, seen, head.Sequence + 1);
        }

        seen.Last = Math.Max(seen.Last, head.Sequence);
        seen.Losses = _losses;
    }

    // The deletion of the stream that had this name before is lost.
    private void EndNamesake(string name, uint stream, SegmentRewrite? output, long time)
    {
        if (Catalog.TryGet(name, out StoredStream? other) && other.Id != stream)
        {
            Apply(output, records => records.Add(RecordKind.StreamDeleted, other.Id, 0, time));
        }
    }

    private bool TryAddMessage(in RecordHead head, ReadOnlySpan<byte> record, Segment segment, long offset, Func<SegmentStart?> next, SegmentRewrite? output)
    {
        if (!Catalog.TryGet(head.Stream, out _) && !TryAddLostStream(head.Stream, next(), output, head.Time))
        {
            return false;
        }

        SeenStream seen = Seen(head.Stream);
        if (head.Sequence <= seen.Last && seen.Last > 0)
        {
            // A copy of an earlier record, in the body of a lost message.
            return false;
        }

        NoteGap(head.Stream, seen, head.Sequence);
        seen.Last = head.Sequence;
        Catalog.AddMessage(head, head.SubjectOf(record), head.HeadersOf(record), segment, offset);
        return true;
    }

    // The creation of the stream is lost. A later segment has its name and configuration, unless it was deleted before.
    private bool TryAddLostStream(uint stream, SegmentStart? next, SegmentRewrite? output, long time)
    {
        if (next is null)
        {
            string name = $"RECOVERED_{stream}";
            var stored = new StoredConfig
            {
                Created = new DateTime(time, DateTimeKind.Utc),
                Config = new StreamConfig { Name = name, Description = "The name and the configuration of this stream were lost by damage.", Subjects = [] },
            };
            byte[] configuration = JsonSerializer.SerializeToUtf8Bytes(stored, WireJson.Default.StoredConfig);
            _names[stream] = name;
            Apply(output, records => records.AddStream(stream, name, default, configuration, (1, 0), time));
            return true;
        }

        if (!next.Streams.TryGetValue(stream, out byte[]? record))
        {
            return false;
        }

        var head = RecordHead.Read(record);
        StreamLimits.TryRead(head.HeadersOf(record), out StreamLimits limits, out _);
        string found = Encoding.UTF8.GetString(head.SubjectOf(record));
        byte[] body = head.BodyOf(record).ToArray();
        EndNamesake(found, stream, output, time);
        _names[stream] = found;
        Apply(output, records => records.AddStream(stream, found, limits, body, (1, 0), time));
        return true;
    }

    // Sequences of a stream follow each other, so those that are missing after a loss were in the lost bytes.
    private void NoteGap(uint stream, SeenStream seen, ulong sequence)
    {
        if (_lastLoss is { } loss && seen.Losses < _losses && sequence > seen.Last + 1)
        {
            Lose(loss, stream, seen, seen.Last + 1, sequence - 1);
        }

        seen.Losses = _losses;
    }

    private static void Lose(FoundDamage found, uint stream, SeenStream seen, ulong first, ulong last)
    {
        found.Lost.Add((stream, first, last));
        seen.Lost.Add((first, last));
    }

    private static void NoteDeletion(SeenStream seen, ulong sequence)
    {
        if (seen.Lost.Exists(range => range.First <= sequence && sequence <= range.Last))
        {
            seen.Deleted.Add(sequence);
        }
    }
}
