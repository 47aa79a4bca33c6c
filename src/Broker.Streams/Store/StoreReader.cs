namespace Broker.Streams;

/// <summary>Reads messages and checks them. A stream with a damaged message is refused from then on.</summary>
internal sealed class StoreReader(StoreQueue queue, StoreOptions options)
{
    /// <summary>Reads a message and checks it.</summary>
    internal ReadStatus Read(StoredStream stream, ulong sequence, MessageBuffer buffer)
    {
        Segment? segment = null;
        while (true)
        {
            MessageEntry entry;
            lock (queue.Gate)
            {
                if (stream.Damage is not null)
                {
                    return ReadStatus.Damaged;
                }

                if (!stream.TryFind(sequence, out entry) || entry.Segment == segment)
                {
                    return ReadStatus.NotFound;
                }
            }

            ReadStatus status = Read(stream, entry, buffer);
            if (status != ReadStatus.NotFound)
            {
                return status;
            }

            // A compaction may have moved the message meanwhile.
            segment = entry.Segment;
        }
    }

    /// <summary>Reads the first message whose sequence is not smaller and whose subject matches a filter.</summary>
    /// <param name="stream">The stream.</param>
    /// <param name="sequence">The sequence to begin with.</param>
    /// <param name="buffer">The buffer that receives the message.</param>
    /// <param name="filter">The filter; empty for all subjects.</param>
    internal ReadStatus ReadNext(StoredStream stream, ulong sequence, MessageBuffer buffer, ReadOnlySpan<byte> filter = default)
    {
        while (true)
        {
            MessageEntry entry;
            lock (queue.Gate)
            {
                if (stream.Damage is not null)
                {
                    return ReadStatus.Damaged;
                }

                if (!stream.TryFindNext(sequence, filter, out entry))
                {
                    return ReadStatus.NotFound;
                }
            }

            ReadStatus status = Read(stream, entry, buffer);
            if (status != ReadStatus.NotFound)
            {
                return status;
            }
        }
    }

    /// <summary>
    /// Reads bytes from the place of a message on. They are not checked. Returns null if the read would have to wait for
    /// the disk and must not.
    /// </summary>
    internal static ReadStatus? ReadBytes(StoredStream stream, in MessageEntry entry, Span<byte> bytes, bool canWait)
    {
        if (stream.Damage is not null)
        {
            return ReadStatus.Damaged;
        }

        try
        {
            if (!canWait)
            {
                return entry.Segment!.File.TryReadNow(bytes, entry.Offset) ? ReadStatus.Found : null;
            }

            // The check refuses bytes that a damaged file has lost.
            bytes[entry.Segment!.File.Read(bytes, entry.Offset)..].Clear();
            return ReadStatus.Found;
        }
        catch (IOException)
        {
            // The check refuses bytes that the disk cannot read too.
            bytes.Clear();
            return ReadStatus.Found;
        }
        catch (ObjectDisposedException)
        {
            // The segment was deleted or replaced meanwhile.
            return canWait ? ReadStatus.NotFound : null;
        }
    }

    /// <summary>Checks the bytes of a message that were read.</summary>
    internal ReadStatus Check(StoredStream stream, in MessageEntry entry, ReadOnlySpan<byte> record, out RecordHead head)
    {
        if (RecordReader.IsWhole(entry.Segment!, record, out head) && head.Stream == stream.Id && head.Sequence == entry.Sequence)
        {
            return ReadStatus.Found;
        }

        return Refuse(stream, entry);
    }

    /// <summary>Reads the record of a message and checks it.</summary>
    internal ReadStatus Read(StoredStream stream, in MessageEntry entry, Span<byte> record)
    {
        MessageEntry known = entry;
        while (true)
        {
            ReadStatus? status = ReadBytes(stream, known, record, canWait: true);
            if (status == ReadStatus.Found)
            {
                return Check(stream, known, record, out _);
            }

            if (status != ReadStatus.NotFound || !TryFindMoved(stream, ref known))
            {
                return status ?? ReadStatus.NotFound;
            }
        }
    }

    // Finds the place to which a compaction has moved a message. Returns false if the message was deleted.
    private bool TryFindMoved(StoredStream stream, ref MessageEntry entry)
    {
        lock (queue.Gate)
        {
            Segment? before = entry.Segment;
            return stream.TryFind(entry.Sequence, out entry) && entry.Segment != before;
        }
    }

    private ReadStatus Read(StoredStream stream, in MessageEntry entry, MessageBuffer buffer)
    {
        try
        {
            if (buffer.TryRead(stream, entry))
            {
                return ReadStatus.Found;
            }
        }
        catch (ObjectDisposedException)
        {
            // The message and its segment were deleted meanwhile.
            return ReadStatus.NotFound;
        }

        return Refuse(stream, entry);
    }

    // The damage is recorded, so that the stream is refused after a restart too.
    private ReadStatus Refuse(StoredStream stream, in MessageEntry entry)
    {
        var damage = new StreamDamage(entry.Segment!.Header.Number, entry.Offset, entry.Sequence);
        lock (queue.Gate)
        {
            if (stream.Damage is not null)
            {
                return ReadStatus.Damaged;
            }

            // The bytes of a message in memory leave when it is deleted, which can be during the read.
            if (!stream.TryFind(entry.Sequence, out _))
            {
                return ReadStatus.NotFound;
            }

            queue.AddDamage(stream, damage);
            stream.Damage = damage;
        }

        options.OnDamage(stream.Name, damage);
        return ReadStatus.Damaged;
    }
}
