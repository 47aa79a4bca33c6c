namespace Broker.Client.Streams.Tests.Objects;

/// <summary>A content that is computed, so that it needs no memory. It may fail or call something at a place.</summary>
internal sealed class CountedContent(long size) : Stream
{
    private long _position;

    /// <summary>The place at which a read fails.</summary>
    internal long FailsAt { get; init; } = long.MaxValue;

    /// <summary>A place, and what is called once when it is reached.</summary>
    internal (long Place, Action Call)? At { get; set; }

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => size;

    public override long Position
    {
        get => _position;
        set => throw new NotSupportedException();
    }

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        return new ValueTask<int>(Read(buffer.Span));
    }

    public override int Read(Span<byte> buffer)
    {
        if (At is { } at && _position >= at.Place)
        {
            At = null;
            at.Call();
        }

        if (_position >= FailsAt)
        {
            throw new IOException("The content fails here.");
        }

        int count = (int)Math.Min(Math.Min(buffer.Length, 65_536), size - _position);
        for (int i = 0; i < count; i++)
        {
            buffer[i] = (byte)(((_position + i) * 31) >> 7);
        }

        _position += count;
        return count;
    }

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override void Flush()
    {
        // Nothing is written.
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
}
