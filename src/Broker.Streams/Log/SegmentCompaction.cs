namespace Broker.Streams;

/// <summary>
/// Replaces closed segments by short ones, when most of their messages are deleted. So one message that stays does
/// not keep all later segments on the disk. Used on the thread that writes. It publishes nothing meanwhile, so the
/// catalog is what the log says.
/// </summary>
internal sealed class SegmentCompaction(IStoreFiles files, StoreOptions options, StreamCatalog catalog, object gate, List<Segment> segments)
{
    // Nothing is done for less than the bytes of this many segments.
    private const int LeastSegments = 4;

    // A segment is replaced when less than this part of it is left. So a copy is short.
    private const int LiveDivisor = 4;

    private readonly Queue<Segment> _waiting = [];
    private bool _isDisabled;

    /// <summary>Finds the segments to replace. Called when a new segment was begun.</summary>
    internal void Plan()
    {
        _waiting.Clear();
        long waste = 0;
        for (int i = 0; i < segments.Count - 1 && !_isDisabled; i++)
        {
            Segment segment = segments[i];
            if (segment.IsDamaged)
            {
                // A message that is not in the catalog may be lost instead of deleted.
                _waiting.Clear();
                return;
            }

            if (segment.Live == 0 && segment.LiveBytesWhenCompacted is not null)
            {
                // Only a start reads it, so it needs no open file.
                segment.Dispose();
            }
            else if (IsWasteful(segment, out long unused))
            {
                _waiting.Enqueue(segment);
                waste += unused;
            }
        }

        if (waste < LeastSegments * options.SegmentBytes)
        {
            _waiting.Clear();
        }
    }

    /// <summary>
    /// Replaces one segment. Messages wait meanwhile, so the next one follows after the next group.
    /// </summary>
    internal void RunOnce()
    {
        while (_waiting.TryDequeue(out Segment? segment))
        {
            int place = segments.IndexOf(segment);
            if (place < 0)
            {
                continue;
            }

            try
            {
                if (!TryReplace(segment, place))
                {
                    // It is tried again when there is much less of it.
                    segment.LiveBytesWhenCompacted = segment.LiveBytes;
                }
            }
            catch (IOException)
            {
                // The disk can be full. The old file or the new one is there, and each has all that is needed.
                _waiting.Clear();
            }
            catch (UnauthorizedAccessException)
            {
                // A system that does not replace files that are open.
                _waiting.Clear();
                _isDisabled = true;
            }

            return;
        }
    }

    private static bool IsWasteful(Segment segment, out long unused)
    {
        // A segment also has records that must stay. Its messages tell whether another copy is worth it.
        long full = segment.LiveBytesWhenCompacted ?? segment.File.Length;
        unused = full - segment.LiveBytes;
        return segment.LiveBytes < full / LiveDivisor;
    }

    private bool TryReplace(Segment segment, int place)
    {
        if (!TryReadIndex(segment, out SegmentIndex? index))
        {
            return false;
        }

        var output = new SegmentRewrite(segment.Header.Number, options.Salt());
        var deletions = new KnownDeletions(catalog, gate);
        if (!TryCopy(segment, index!, output, deletions))
        {
            return false;
        }

        // The deletions are before the messages. Otherwise messages that are deleted would count for the limits of the
        // stream while these are read, and others would be deleted for them.
        deletions.AddTo(output.Start, options.Clock.GetUtcNow().Ticks);
        if (output.Length > segment.File.Length / 2)
        {
            return false;
        }

        (SegmentHeader header, SegmentIndex written) = output.Compact(files, index!.NextGroup);
        var replaced = new Segment(header, files.Open(segment.Name));
        Move(segment, replaced, written);
        lock (gate)
        {
            segments[place] = replaced;
        }

        // Readers that still have the old place look again.
        segment.Dispose();
        return true;
    }

    private bool TryReadIndex(Segment segment, out SegmentIndex? index)
    {
        string name = StoreFileNames.Index(segment.Header.Number);
        index = null;
        return files.List().Contains(name, StringComparer.Ordinal)
            && SegmentIndex.TryRead(files.ReadAll(name), segment.Header.Number, out index, out uint salt)
            && salt == segment.Header.Salt;
    }

    // Returns false if the segment must stay as it is.
    private static bool TryCopy(Segment segment, SegmentIndex index, SegmentRewrite output, KnownDeletions deletions)
    {
        byte[] buffer = [];
        int position = 0;
        bool isStart = true;
        for (int i = 0; i < index.Count; i++)
        {
            IndexEntry entry = index.Next(ref position);
            bool isMessage = entry.Head.Kind == RecordKind.Message;
            bool isNeeded = true;

            // A repair reads the state of the streams at the start of a segment.
            isStart &= entry.Head.Kind is RecordKind.Stream or RecordKind.StreamDamaged or RecordKind.Consumer;
            if (isMessage && !deletions.TryNoteMessage(entry, segment, out isNeeded))
            {
                return false;
            }

            if (!isNeeded)
            {
                continue;
            }

            if (!RecordReader.TryRead(segment, entry.Offset, entry.Head.Size, ref buffer, out RecordHead head))
            {
                // It is damaged. A read of the message or a check of the store names it.
                return false;
            }

            if (isStart)
            {
                output.AddToStart(head, buffer);
            }
            else if (isMessage || deletions.IsNeeded(head, buffer))
            {
                output.Add(head, buffer);
            }
        }

        return true;
    }

    private void Move(Segment from, Segment to, SegmentIndex index)
    {
        int position = 0;
        for (int i = 0; i < index.Count; i++)
        {
            IndexEntry entry = index.Next(ref position);
            if (entry.Head.Kind != RecordKind.Message)
            {
                continue;
            }

            // A lock for each message, so that others do not wait for all of them.
            lock (gate)
            {
                if (catalog.TryGet(entry.Head.Stream, out StoredStream? stream))
                {
                    stream.Move(entry.Head.Sequence, from, to, entry.Offset);
                }
            }
        }

        to.LiveBytesWhenCompacted = to.LiveBytes;
    }
}
