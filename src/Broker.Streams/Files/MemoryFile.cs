namespace Broker.Streams;

/// <summary>
/// A file in memory, in chunks. Chunks that are zero need no memory, and neither do those whose messages are all
/// deleted.
/// </summary>
internal sealed class MemoryFile : IStoreFile
{
    private const int ChunkLength = 256 * 1024;

    private readonly Lock _gate = new();
    private readonly List<Chunk> _chunks = [];
    private long _length;

    // The chunk where the last write began. Messages of this write may not be counted yet.
    private int _written;
    private bool _isDiscarded;

    public long Length
    {
        get
        {
            lock (_gate)
            {
                return _length;
            }
        }
    }

    /// <summary>The bytes of the chunks that are in memory.</summary>
    internal long AllocatedBytes
    {
        get
        {
            lock (_gate)
            {
                return _chunks.Sum(static chunk => chunk.Bytes?.LongLength ?? 0);
            }
        }
    }

    /// <summary>Counts a message that was written.</summary>
    internal void Add(long offset, int size)
    {
        lock (_gate)
        {
            for (int i = ChunkOf(offset); i <= ChunkOf(offset + size - 1); i++)
            {
                _chunks[i].Messages++;
            }
        }
    }

    /// <summary>
    /// Ends the count of a message. What lies beside messages is not read any more, and leaves with the last of them.
    /// </summary>
    internal void Remove(long offset, int size)
    {
        lock (_gate)
        {
            for (int i = ChunkOf(offset); i <= ChunkOf(offset + size - 1); i++)
            {
                _chunks[i].Messages--;
                Release(i);
            }
        }
    }

    public void Write(ReadOnlySpan<byte> bytes, long offset)
    {
        lock (_gate)
        {
            // Zeros make a file longer, and are no messages.
            if (bytes.ContainsAnyExcept((byte)0))
            {
                EndBefore(ChunkOf(offset));
            }

            Extend(Math.Max(_length, offset + bytes.Length));

            while (!bytes.IsEmpty)
            {
                Chunk chunk = _chunks[ChunkOf(offset)];
                int start = (int)(offset % ChunkLength);
                int count = Math.Min(bytes.Length, ChunkLength - start);
                if (chunk.Bytes is not null || bytes[..count].ContainsAnyExcept((byte)0))
                {
                    chunk.Bytes ??= new byte[ChunkLength];
                    bytes[..count].CopyTo(chunk.Bytes.AsSpan(start));
                }

                bytes = bytes[count..];
                offset += count;
            }
        }
    }

    public int Read(Span<byte> buffer, long offset)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDiscarded, this);
            int total = (int)Math.Clamp(_length - offset, 0, buffer.Length);
            for (int done = 0; done < total;)
            {
                int start = (int)((offset + done) % ChunkLength);
                int count = Math.Min(total - done, ChunkLength - start);
                Span<byte> part = buffer.Slice(done, count);
                if (_chunks[ChunkOf(offset + done)].Bytes is { } bytes)
                {
                    bytes.AsSpan(start, count).CopyTo(part);
                }
                else
                {
                    part.Clear();
                }

                done += count;
            }

            return total;
        }
    }

    public bool TryReadNow(Span<byte> buffer, long offset) => Read(buffer, offset) == buffer.Length;

    public void SetLength(long length)
    {
        lock (_gate)
        {
            Extend(length);
            int count = ChunkOf(length + ChunkLength - 1);
            _chunks.RemoveRange(count, _chunks.Count - count);

            // The end is cut when the file is complete.
            EndBefore(count);
        }
    }

    public void Sync()
    {
    }

    /// <summary>Does nothing: the content belongs to the directory.</summary>
    public void Dispose()
    {
    }

    /// <summary>Releases the memory of a file that was deleted. Later reads fail.</summary>
    internal void Discard()
    {
        lock (_gate)
        {
            _isDiscarded = true;
            _chunks.Clear();
            _length = 0;
        }
    }

    private static int ChunkOf(long offset) => (int)(offset / ChunkLength);

    private void Extend(long length)
    {
        _length = length;
        while (_chunks.Count * (long)ChunkLength < length)
        {
            _chunks.Add(new Chunk());
        }
    }

    // The messages of the chunks before this one are counted.
    private void EndBefore(int chunk)
    {
        while (_written < chunk)
        {
            Release(_written++);
        }
    }

    private void Release(int chunk)
    {
        if (chunk < _written && _chunks[chunk].Messages == 0)
        {
            _chunks[chunk].Bytes = null;
        }
    }

    private sealed class Chunk
    {
        internal byte[]? Bytes { get; set; }

        /// <summary>The messages that lie in the chunk, also with a part of them.</summary>
        internal int Messages { get; set; }
    }
}
