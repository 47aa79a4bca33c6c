using System.Runtime.InteropServices;

namespace Broker.Streams;

/// <summary>
/// Reads some messages for a consumer. The object and its buffers are used again for the next read of any consumer, so
/// a consumer that waits holds none.
/// </summary>
internal sealed class DeliveryRead : IRead, IEntryReceiver
{
    /// <summary>The most messages of one read.</summary>
    internal const int MaxMessages = 256;

    // The most bytes of one read, unless its first message is larger.
    private const int MaxBytes = 256 * 1024;
    private const int MaxKeptBytes = 1024 * 1024;

    // Messages that lie closer together than this are read together: to read some bytes more costs less than a call.
    private const int MaxGap = 512;

    private readonly List<MessageEntry> _entries = new(8);
    private readonly List<Message> _messages = new(8);
    private ServedConsumer? _consumer;
    private byte[] _bytes = [];

    /// <summary>The messages in the order in which they were added.</summary>
    internal ReadOnlySpan<Message> Messages => CollectionsMarshal.AsSpan(_messages);

    /// <summary>The number of messages that are to be read.</summary>
    internal int Count => _entries.Count;

    /// <summary>The bytes that may still be added.</summary>
    public long Room => MaxBytes - Size;

    /// <summary>The number of messages at the start that are delivered again.</summary>
    internal int Again { get; set; }

    private long Size { get; set; }

    /// <summary>Begins a read for a consumer.</summary>
    internal void Begin(ServedConsumer consumer)
    {
        _consumer = consumer;
        Again = 0;
        Size = 0;
    }

    /// <summary>Forgets what was read.</summary>
    internal void End()
    {
        _consumer = null;
        _entries.Clear();
        _messages.Clear();
        _bytes = _bytes.Length > MaxKeptBytes ? [] : _bytes;
    }

    public void Add(in MessageEntry entry)
    {
        _entries.Add(entry);
        Size += entry.Size;
    }

    /// <summary>The bytes of a message.</summary>
    internal ReadOnlySpan<byte> BytesOf(in Message message) => _bytes.AsSpan(message.Start, message.Head.Size);

    /// <summary>Reads on this thread. Returns false, without a result, if it would have to wait for the disk.</summary>
    internal bool TryReadNow() => TryRead(canWait: false, out _);

    public int Read()
    {
        TryRead(canWait: true, out int total);
        return total;
    }

    public void Continue() => _consumer!.EndRead();

    private bool TryRead(bool canWait, out int total)
    {
        _messages.Clear();
        total = 0;
        for (int next = 0; next < _entries.Count;)
        {
            int first = next;
            if (_entries[first].IsDeleted)
            {
                _messages.Add(new Message(_entries[first].Sequence, ReadStatus.NotFound, 0, default));
                next++;
                continue;
            }

            int length = RunOf(first, out next);
            if (_bytes.Length < total + length)
            {
                Array.Resize(ref _bytes, total + length);
            }

            ReadStatus? status = StoreReader.ReadBytes(_consumer!.Stream.Stored, _entries[first], _bytes.AsSpan(total, length), canWait);
            if (status is null)
            {
                return false;
            }

            Check(first, next, total, status.Value);
            total += length;
        }

        return true;
    }

    // The messages from one on that are read together, and the bytes from the first to the last of them.
    private int RunOf(int first, out int next)
    {
        ReadOnlySpan<MessageEntry> entries = CollectionsMarshal.AsSpan(_entries);
        ref readonly MessageEntry start = ref entries[first];
        long end = (long)start.Offset + start.Size;
        for (next = first + 1; next < entries.Length; next++)
        {
            ref readonly MessageEntry entry = ref entries[next];
            if (entry.Segment != start.Segment || entry.Offset < end || entry.Offset - end > MaxGap)
            {
                break;
            }

            end = (long)entry.Offset + entry.Size;
        }

        return (int)(end - start.Offset);
    }

    private void Check(int first, int end, int start, ReadStatus read)
    {
        uint offset = _entries[first].Offset;
        for (int i = first; i < end; i++)
        {
            MessageEntry entry = _entries[i];
            int at = start + (int)(entry.Offset - offset);
            RecordHead head = default;
            Span<byte> record = _bytes.AsSpan(at, entry.Size);
            ReadStatus status = read;
            if (read == ReadStatus.Found)
            {
                status = _consumer!.Stream.Store.Check(_consumer!.Stream.Stored, entry, record, out head);
            }
            else if (read == ReadStatus.NotFound)
            {
                // Its segment is gone. The message can be in another one.
                status = _consumer!.Stream.Store.Read(_consumer!.Stream.Stored, entry, record);
                head = status == ReadStatus.Found ? RecordHead.Read(record) : default;
            }

            _messages.Add(new Message(entry.Sequence, status, at, head));
        }
    }

    /// <summary>A message that was read, or not.</summary>
    /// <param name="Sequence">The sequence.</param>
    /// <param name="Status">Whether the message was found.</param>
    /// <param name="Start">The place of its record.</param>
    /// <param name="Head">The head of its record.</param>
    [StructLayout(LayoutKind.Auto)]
    internal readonly record struct Message(ulong Sequence, ReadStatus Status, int Start, RecordHead Head);
}
