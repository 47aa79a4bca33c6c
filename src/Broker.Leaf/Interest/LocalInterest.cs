using Broker.Protocol;
using Broker.Transport;

namespace Broker.Leaf;

/// <summary>
/// The interest of this server's account, counted by filter and queue group, and what the remote knows of it. It has no
/// lock: the link protects it.
/// </summary>
internal sealed class LocalInterest
{
    private readonly Dictionary<byte[], Entry> _entries = new(ByteComparer.Instance);
    private readonly List<Entry> _changed = [];

    /// <summary>The number of entries that were announced to the remote.</summary>
    internal int Announced { get; private set; }

    /// <summary>Counts an added or removed subscription.</summary>
    internal void Change(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queueGroup, bool isAdded)
    {
        // Neither a filter nor a queue group contains a space.
        int length = filter.Length + (queueGroup.IsEmpty ? 0 : queueGroup.Length + 1);
        Span<byte> key = length <= 256 ? stackalloc byte[256] : new byte[length];
        key = key[..length];
        filter.CopyTo(key);
        if (!queueGroup.IsEmpty)
        {
            key[filter.Length] = (byte)' ';
            queueGroup.CopyTo(key[(filter.Length + 1)..]);
        }

        Dictionary<byte[], Entry>.AlternateLookup<ReadOnlySpan<byte>> lookup = _entries.GetAlternateLookup<ReadOnlySpan<byte>>();
        if (!lookup.TryGetValue(key, out Entry? entry))
        {
            entry = new Entry(key.ToArray(), filter.Length);
            _entries.Add(entry.Key, entry);
        }

        entry.Count += isAdded ? 1 : -1;
        if (!entry.IsChanged)
        {
            entry.IsChanged = true;
            _changed.Add(entry);
        }
    }

    /// <summary>Writes the changes since the last call. Several changes of one entry become one operation.</summary>
    /// <param name="buffer">The buffer; null without a connection: the changes are then only applied.</param>
    /// <param name="permissions">The permissions of the connection; null without a connection.</param>
    internal void WriteChanges(LoopWriteBuffer? buffer, LinkPermissions? permissions)
    {
        foreach (Entry entry in _changed)
        {
            entry.IsChanged = false;
            Write(entry, buffer, permissions);
            if (entry.Count == 0)
            {
                _entries.Remove(entry.Key);
            }
        }

        _changed.Clear();
        if (_changed.Capacity > 4096)
        {
            _changed.Capacity = 0;
        }
    }

    /// <summary>Writes everything, for a new connection.</summary>
    internal void WriteAll(LoopWriteBuffer buffer, LinkPermissions permissions)
    {
        Forget();
        foreach (Entry entry in _entries.Values)
        {
            Write(entry, buffer, permissions);
        }
    }

    /// <summary>Marks everything as unknown to the remote, after the connection was lost.</summary>
    internal void Forget()
    {
        Announced = 0;
        foreach (Entry entry in _entries.Values)
        {
            entry.Sent = 0;
        }
    }

    // Without a queue group, only the change between none and some is announced. With a queue group, each change of the
    // number of members is announced, because the remote chooses among servers by this weight.
    private void Write(Entry entry, LoopWriteBuffer? buffer, LinkPermissions? permissions)
    {
        if (buffer is null)
        {
            return;
        }

        int wanted = entry.Queue.IsEmpty ? Math.Min(entry.Count, 1) : entry.Count;
        if (wanted == entry.Sent || (entry.Sent == 0 && !permissions!.MayAnnounce(entry.Filter)))
        {
            return;
        }

        Span<byte> destination = buffer.GetSpan(entry.Key.Length + LeafOperationWriter.LineOverhead);
        buffer.Advance(wanted == 0
            ? LeafOperationWriter.Unsubscribe(destination, entry.Filter, entry.Queue)
            : LeafOperationWriter.Subscribe(destination, entry.Filter, entry.Queue, wanted));
        Announced += wanted == 0 ? -1 : entry.Sent == 0 ? 1 : 0;
        entry.Sent = wanted;
    }

    private sealed class Entry(byte[] key, int filterLength)
    {
        internal byte[] Key => key;

        internal ReadOnlySpan<byte> Filter => key.AsSpan(0, filterLength);

        internal ReadOnlySpan<byte> Queue => key.Length == filterLength ? default : key.AsSpan(filterLength + 1);

        internal int Count { get; set; }

        /// <summary>The weight that the remote knows; 0 if it does not know the entry.</summary>
        internal int Sent { get; set; }

        internal bool IsChanged { get; set; }
    }
}
