using Broker.ZeroMq;

namespace Broker.Bridge;

/// <summary>
/// The last message of each topic in its encoded form, within limits. Used on one loop; any thread may read the
/// counters and <see cref="Version"/>.
/// </summary>
/// <remarks>
/// The slots of the values do not move, so that a reader can read them in several batches while they change.
/// </remarks>
internal sealed class LastValues
{
    // The approximate memory of an entry in addition to its bytes: the slot, the dictionary's entry and two arrays.
    private const int EntryCost = 160;
    private const int None = -1;

    private readonly int _maxTopics;
    private readonly long _maxBytes;
    private readonly Dictionary<byte[], int> _byTopic = new(new ByteStringComparer());
    private readonly Dictionary<byte[], int>.AlternateLookup<ReadOnlySpan<byte>> _byTopicSpan;
    private readonly Stack<int> _free = new();
    private Slot[] _slots = new Slot[16];
    private int _used;
    private int _oldest = None;
    private int _newest = None;
    private long _version;
    private long _bytes;
    private long _removed;

    internal LastValues(LastValueOptions options)
    {
        _maxTopics = options.MaxTopics;
        _maxBytes = options.MaxBytes;
        _byTopicSpan = _byTopic.GetAlternateLookup<ReadOnlySpan<byte>>();
    }

    /// <summary>Increases with each message, before the message is sent. May be read on any thread.</summary>
    internal long Version => Volatile.Read(ref _version);

    /// <summary>The number of topics that have a value. May be read on any thread.</summary>
    internal int Count => _byTopic.Count;

    /// <summary>
    /// The size of all values as <see cref="LastValueOptions.MaxBytes"/> counts it. May be read on any thread.
    /// </summary>
    internal long Bytes => Volatile.Read(ref _bytes);

    /// <summary>How many values were removed or not kept because of the limits. May be read on any thread.</summary>
    internal long Forgotten => Volatile.Read(ref _removed);

    /// <summary>Keeps a message as the last value of its topic.</summary>
    /// <returns>The encoded message, valid until the next call; empty if the message is too large to be kept.</returns>
    internal ReadOnlySpan<byte> Keep<TMessage>(ReadOnlySpan<byte> topic, scoped ref TMessage message)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        Volatile.Write(ref _version, _version + 1);
        int size = message.EncodedSize;
        bool isKnown = _byTopicSpan.TryGetValue(topic, out int index);
        if (EntryCost + topic.Length + (long)Rounded(size) > _maxBytes)
        {
            // The previous value is no longer the last one, so it is removed.
            if (isKnown)
            {
                Remove(index);
            }

            _removed++;
            return default;
        }

        index = isKnown ? index : Add(topic);
        ref Slot slot = ref _slots[index];
        if (size > slot.Message.Length || size < slot.Message.Length / 2)
        {
            _bytes -= slot.Message.Length;
            slot.Message = GC.AllocateUninitializedArray<byte>(Rounded(size));
            _bytes += slot.Message.Length;
        }

        message.Encode(slot.Message.AsSpan(0, size));
        slot.Size = size;
        slot.Version = _version;
        Unlink(index);
        Link(index);
        while (_byTopic.Count > _maxTopics || _bytes > _maxBytes)
        {
            Remove(_oldest);
            _removed++;
        }

        return _slots[index].Message.AsSpan(0, size);
    }

    /// <summary>
    /// Finds the next message with a topic that begins with a prefix and a version that is not later than
    /// <paramref name="version"/>.
    /// </summary>
    /// <param name="at">
    /// The position to continue at; 0 for the beginning. <see cref="IsEnd"/> returns whether it is the end.
    /// </param>
    /// <param name="visits">How many values the method may still read; it is decreased.</param>
    /// <param name="prefix">The prefix of the topics.</param>
    /// <param name="version">The latest version to return.</param>
    /// <returns>
    /// The encoded message, valid until the next call of <see cref="Keep"/>; empty if none was found.
    /// </returns>
    internal ReadOnlySpan<byte> Next(ref int at, ref int visits, ReadOnlySpan<byte> prefix, long version)
    {
        while (!IsEnd(at) && visits-- > 0)
        {
            ref readonly Slot slot = ref _slots[at++];
            if (slot.Topic is { } topic && slot.Version <= version && topic.AsSpan().StartsWith(prefix))
            {
                return slot.Message.AsSpan(0, slot.Size);
            }
        }

        return default;
    }

    /// <summary>Returns whether <see cref="Next"/> has read all values at this position.</summary>
    internal bool IsEnd(int at) => at >= _used;

    private static int Rounded(int size) => (size + 31) & ~31;

    private int Add(ReadOnlySpan<byte> topic)
    {
        if (!_free.TryPop(out int index))
        {
            index = _used++;
            if (index == _slots.Length)
            {
                Array.Resize(ref _slots, index * 2);
            }
        }

        byte[] copy = topic.ToArray();
        _slots[index] = new Slot { Topic = copy, Message = [], Older = None, Newer = None };
        _byTopic.Add(copy, index);
        _bytes += EntryCost + copy.Length;
        return index;
    }

    private void Remove(int index)
    {
        Unlink(index);
        ref Slot slot = ref _slots[index];
        _bytes -= EntryCost + slot.Topic!.Length + slot.Message.Length;
        _byTopic.Remove(slot.Topic);
        slot = default;
        _free.Push(index);
    }

    private void Link(int index)
    {
        _slots[index].Older = _newest;
        if (_newest == None)
        {
            _oldest = index;
        }
        else
        {
            _slots[_newest].Newer = index;
        }

        _newest = index;
    }

    // An entry that is not linked has no neighbours and is neither the oldest nor the newest.
    private void Unlink(int index)
    {
        ref Slot slot = ref _slots[index];
        if (slot.Older != None)
        {
            _slots[slot.Older].Newer = slot.Newer;
        }
        else if (_oldest == index)
        {
            _oldest = slot.Newer;
        }

        if (slot.Newer != None)
        {
            _slots[slot.Newer].Older = slot.Older;
        }
        else if (_newest == index)
        {
            _newest = slot.Older;
        }

        slot.Older = None;
        slot.Newer = None;
    }

    private struct Slot
    {
        public byte[]? Topic;
        public byte[] Message;
        public int Size;
        public long Version;
        public int Older;
        public int Newer;
    }
}
