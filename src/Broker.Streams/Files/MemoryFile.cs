namespace Broker.Streams;

/// <summary>A file in memory. Parts of it that are zero need no memory.</summary>
internal sealed class MemoryFile : IStoreFile
{
    private const int ChunkLength = 256 * 1024;

    private readonly Lock _gate = new();
    private readonly List<byte[]?> _chunks = [];
    private long _length;
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

    public void Write(ReadOnlySpan<byte> bytes, long offset)
    {
        lock (_gate)
        {
            _length = Math.Max(_length, offset + bytes.Length);
            while (_chunks.Count * (long)ChunkLength < _length)
            {
                _chunks.Add(null);
            }

            while (!bytes.IsEmpty)
            {
                int index = (int)(offset / ChunkLength);
                int start = (int)(offset % ChunkLength);
                int count = Math.Min(bytes.Length, ChunkLength - start);
                if (_chunks[index] is not null || bytes[..count].ContainsAnyExcept((byte)0))
                {
                    byte[] chunk = _chunks[index] ??= new byte[ChunkLength];
                    bytes[..count].CopyTo(chunk.AsSpan(start));
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
                if (_chunks[(int)((offset + done) / ChunkLength)] is { } chunk)
                {
                    chunk.AsSpan(start, count).CopyTo(part);
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
            _length = length;
            while (_chunks.Count * (long)ChunkLength < length)
            {
                _chunks.Add(null);
            }

            while (_chunks.Count > 0 && (_chunks.Count - 1) * (long)ChunkLength >= length)
            {
                _chunks.RemoveAt(_chunks.Count - 1);
            }
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
}
