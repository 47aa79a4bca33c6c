using System.Runtime.InteropServices;

namespace Broker.Streams;

/// <summary>
/// Reads some messages for a consumer. The object is used again for the next read of the consumer, and one read runs at
/// a time.
/// </summary>
internal sealed class DeliveryRead(ServedConsumer consumer) : IRead, IEntryReceiver
{
    /// <summary>The most messages of one read.</summary>
    internal const int MaxMessages = 256;

    // The most bytes of one read, unless its first message is larger.
    private const int MaxBytes = 256 * 1024;
    private const int MaxKeptBytes = 1024 * 1024;

    private readonly List<MessageEntry> _entries = new(8);
    private readonly List<Message> _messages = new(8);
    private byte[] _bytes = [];

    /// <summary>The entries of new messages, which follow the messages that are delivered again.</summary>
    internal List<MessageEntry> Entries => _entries;

    /// <summary>The messages in the order in which they were added.</summary>
    internal ReadOnlySpan<Message> Messages => CollectionsMarshal.AsSpan(_messages);

    /// <summary>The number of messages that are to be read.</summary>
    internal int Count => _entries.Count;

    /// <summary>The bytes that may still be added.</summary>
    public long Room => MaxBytes - Size;

    /// <summary>The number of messages at the start that are delivered again.</summary>
    internal int Again { get; set; }

    private long Size { get; set; }

    /// <summary>Begins another read.</summary>
    internal void Begin()
    {
        _entries.Clear();
        _messages.Clear();
        Again = 0;
        Size = 0;
        _bytes = _bytes.Length > MaxKeptBytes ? [] : _bytes;
    }

    public void Add(in MessageEntry entry)
    {
        _entries.Add(entry);
        Size += entry.Size;
    }

    /// <summary>The bytes of a message.</summary>
    internal ReadOnlySpan<byte> BytesOf(in Message message) => _bytes.AsSpan(message.Start, message.Head.Size);

    public int Read()
    {
        int total = 0;
        foreach (MessageEntry entry in _entries)
        {
            total += entry.Size;
        }

        if (_bytes.Length < total)
        {
            _bytes = new byte[total];
        }

        int at = 0;
        foreach (MessageEntry entry in _entries)
        {
            ReadStatus status = entry.IsDeleted ? ReadStatus.NotFound : consumer.Stream.Store.Read(consumer.Stream.Stored, entry, _bytes.AsSpan(at, entry.Size));
            RecordHead head = status == ReadStatus.Found ? RecordHead.Read(_bytes.AsSpan(at)) : default;
            _messages.Add(new Message(entry.Sequence, status, at, head));
            at += entry.Size;
        }

        return total;
    }

    public void Continue() => consumer.EndRead();

    /// <summary>A message that was read, or not.</summary>
    /// <param name="Sequence">The sequence.</param>
    /// <param name="Status">Whether the message was found.</param>
    /// <param name="Start">The place of its record.</param>
    /// <param name="Head">The head of its record.</param>
    [StructLayout(LayoutKind.Auto)]
    internal readonly record struct Message(ulong Sequence, ReadStatus Status, int Start, RecordHead Head);
}
