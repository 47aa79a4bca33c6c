using System.Buffers;
using System.Threading.Tasks.Sources;

namespace Broker.Transport;

/// <summary>
/// The stream below an <see cref="System.Net.Security.SslStream"/>, with ciphertext in memory. A read that finds no
/// bytes waits without using a thread. <see cref="Feed"/> completes this read.
/// </summary>
/// <remarks>
/// During the handshake, the reader runs on the thread pool and the loop feeds bytes. So completions go to the pool,
/// and fed bytes are copied. After the handshake (<see cref="RunInline"/>), both run on the loop's thread. So the
/// reader continues within the call that feeds, and fed bytes are only borrowed.
/// </remarks>
internal sealed class TlsCiphertextStream(TlsLayer layer) : Stream, IValueTaskSource<int>
{
    private readonly Lock _gate = new();
    private ManualResetValueTaskSourceCore<int> _core = new() { RunContinuationsAsynchronously = true };
    private byte[] _bytes = [];
    private int _start;
    private int _end;
    private bool _owned;
    private Memory<byte> _destination;
    private bool _waiting;
    private bool _ended;
    private Exception? _fault;

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        lock (_gate)
        {
            if (_fault is not null)
            {
                return ValueTask.FromException<int>(_fault);
            }

            if (_end != _start || _ended)
            {
                return new ValueTask<int>(Copy(buffer));
            }

            _destination = buffer;
            _waiting = true;
            _core.Reset();
        }

        // The reader may wait for bytes that the loop does not receive, because the loop may have paused receiving.
        layer.OnStarved();
        return new ValueTask<int>(this, _core.Version);
    }

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        layer.Emit(buffer.Span);
        return default;
    }

    public override Task FlushAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public override void Flush()
    {
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => layer.Emit(buffer.AsSpan(offset, count));

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    int IValueTaskSource<int>.GetResult(short token) => _core.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<int>.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource<int>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
        => _core.OnCompleted(continuation, state, token, flags);

    /// <summary>
    /// Makes the reader continue within <see cref="Feed"/> from now on. Called while no read is pending.
    /// </summary>
    internal void RunInline() => _core.RunContinuationsAsynchronously = false;

    /// <summary>
    /// Adds a copy of <paramref name="bytes"/>. Returns the number of bytes that the reader has not read yet.
    /// </summary>
    internal int FeedCopy(ReadOnlySpan<byte> bytes)
    {
        int waiting;
        int copied = -1;
        lock (_gate)
        {
            Append(bytes);
            if (_waiting && _end != _start)
            {
                copied = Complete();
            }

            waiting = _end - _start;
        }

        Report(copied);
        return waiting;
    }

    /// <summary>
    /// Adds the first <paramref name="count"/> bytes of <paramref name="borrowed"/>, which stay valid until
    /// <see cref="EndFeed"/>. A count of 0 means the end of the stream.
    /// </summary>
    internal void Feed(byte[] borrowed, int count)
    {
        int copied = -1;
        lock (_gate)
        {
            if (_end != _start)
            {
                Append(borrowed.AsSpan(0, count));
            }
            else
            {
                ReleaseOwned();
                _bytes = borrowed;
                _start = 0;
                _end = count;
            }

            _ended |= count == 0;
            if (_waiting)
            {
                copied = Complete();
            }
        }

        Report(copied);
    }

    /// <summary>
    /// Returns the borrowed bytes to the loop. Unread bytes are copied, but usually there are no unread bytes.
    /// </summary>
    internal void EndFeed()
    {
        lock (_gate)
        {
            if (_start == _end)
            {
                ReleaseOwned();
            }
            else if (!_owned)
            {
                byte[] borrowed = _bytes;
                int start = _start;
                int end = _end;
                ReleaseOwned();
                Append(borrowed.AsSpan(start, end - start));
            }
        }
    }

    /// <summary>Ends the stream. The reader can still read the bytes that were fed.</summary>
    internal void End() => Break(null);

    /// <summary>Makes the pending read and later reads fail, and returns the memory of the buffer.</summary>
    internal void Fail(Exception fault) => Break(fault);

    private void Break(Exception? fault)
    {
        int copied = -1;
        bool fails;
        lock (_gate)
        {
            _ended = true;
            _fault ??= fault;
            fails = _waiting && _fault is not null;
            if (_fault is not null)
            {
                _waiting = false;
                ReleaseOwned();
            }
            else if (_waiting)
            {
                copied = Complete();
            }
        }

        if (fails)
        {
            _core.SetException(_fault!);
        }

        Report(copied);
    }

    // Must not be called under the lock, because the reader continues within this call.
    private void Report(int copied)
    {
        if (copied >= 0)
        {
            _core.SetResult(copied);
        }
    }

    private int Complete()
    {
        _waiting = false;
        int copied = Copy(_destination);
        _destination = default;
        return copied;
    }

    private int Copy(Memory<byte> destination)
    {
        int count = Math.Min(destination.Length, _end - _start);
        _bytes.AsSpan(_start, count).CopyTo(destination.Span);
        _start += count;
        return count;
    }

    private void Append(ReadOnlySpan<byte> bytes)
    {
        int kept = _end - _start;
        if (!_owned || _bytes.Length - _end < bytes.Length)
        {
            byte[] larger = ArrayPool<byte>.Shared.Rent(Math.Max(kept + bytes.Length, 4096));
            _bytes.AsSpan(_start, kept).CopyTo(larger);
            ReleaseOwned();
            _bytes = larger;
            _owned = true;
            _end = kept;
        }

        bytes.CopyTo(_bytes.AsSpan(_end));
        _end += bytes.Length;
    }

    private void ReleaseOwned()
    {
        if (_owned)
        {
            ArrayPool<byte>.Shared.Return(_bytes);
        }

        _owned = false;
        _bytes = [];
        _start = _end = 0;
    }
}
