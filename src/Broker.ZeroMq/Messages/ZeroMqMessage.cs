using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Broker.ZeroMq;

/// <summary>
/// A message of any number of frames in its own memory. It can be filled, sent, received into and reused.
/// </summary>
/// <remarks>
/// <para>
/// The message keeps one pooled buffer, so that a program with one message object per thread allocates nothing per
/// message. The spans that the message returns are valid until the message is changed, received into or disposed. A
/// send copies the message. When the send has completed, the message has its old content and may be changed.
/// </para>
/// <para>Not thread-safe. After <see cref="Dispose"/> the message is empty and may be used again.</para>
/// </remarks>
public sealed class ZeroMqMessage : IDisposable
{
    private const int SmallestBuffer = 256;

    private byte[] _buffer = [];
    private int _start;
    private int _end;

    // The positions of the frames' headers, computed on first use.
    private int[] _frames = [];
    private int _frameCount;
    private bool _isIndexed = true;

    /// <summary>Creates a message without frames.</summary>
    public ZeroMqMessage()
    {
    }

    /// <summary>Creates a message of one frame and copies the bytes.</summary>
    public ZeroMqMessage(ReadOnlySpan<byte> frame) => Append(frame);

    /// <summary>Creates a message with one frame for each string, in UTF-8.</summary>
    public ZeroMqMessage(params ReadOnlySpan<string> frames)
    {
        foreach (string frame in frames)
        {
            Append(frame);
        }
    }

    /// <summary>The number of frames.</summary>
    public int FrameCount
    {
        get
        {
            Index();
            return _frameCount;
        }
    }

    /// <summary>Whether the message has no frames. An empty message cannot be sent.</summary>
    public bool IsEmpty => _start == _end;

    /// <summary>The body of a frame.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The message has no frame with this index.</exception>
    public ReadOnlySpan<byte> this[int index]
    {
        get
        {
            Index();
            ArgumentOutOfRangeException.ThrowIfNegative(index);
            ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(index, _frameCount);
            return EncodedMessage.SplitFrame(_buffer.AsSpan(_frames[index], _end - _frames[index]), out _, out _);
        }
    }

    /// <summary>The body of the first frame.</summary>
    /// <exception cref="InvalidOperationException">The message is empty.</exception>
    public ReadOnlySpan<byte> First
    {
        get
        {
            if (IsEmpty)
            {
                ThrowEmpty();
            }

            return EncodedMessage.SplitFrame(Encoded, out _, out _);
        }
    }

    /// <summary>The body of the last frame.</summary>
    /// <exception cref="InvalidOperationException">The message is empty.</exception>
    public ReadOnlySpan<byte> Last
    {
        get
        {
            if (IsEmpty)
            {
                ThrowEmpty();
            }

            return this[FrameCount - 1];
        }
    }

    /// <summary>
    /// The peer that sent the message. Null if the message was not received, or if several peers contributed to it.
    /// </summary>
    public ZeroMqPeer? Peer { get; private set; }

    internal ReadOnlySpan<byte> Encoded => _buffer.AsSpan(_start, _end - _start);

    /// <summary>The body of a frame as a string in UTF-8.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The message has no frame with this index.</exception>
    public string GetString(int index) => Encoding.UTF8.GetString(this[index]);

    /// <summary>Removes all frames.</summary>
    public ZeroMqMessage Clear()
    {
        _start = _end = 0;
        Peer = null;
        _frameCount = 0;
        _isIndexed = true;
        return this;
    }

    /// <summary>Adds a frame at the end and copies the bytes.</summary>
    public ZeroMqMessage Append(ReadOnlySpan<byte> frame)
    {
        Index();
        Reserve(ZmtpWriter.FrameSize(frame.Length));
        if (_frameCount > 0)
        {
            _buffer[_frames[_frameCount - 1]] |= (byte)ZmtpFlags.More;
        }

        AddIndex(_end);
        _end += ZmtpWriter.WriteFrame(_buffer.AsSpan(_end), frame, more: false);
        return this;
    }

    /// <summary>Adds a frame in UTF-8 at the end.</summary>
    public ZeroMqMessage Append(string frame)
    {
        ArgumentNullException.ThrowIfNull(frame);
        int length = Encoding.UTF8.GetByteCount(frame);
        if (length > 512)
        {
            return Append(Encoding.UTF8.GetBytes(frame));
        }

        Span<byte> bytes = stackalloc byte[length];
        Encoding.UTF8.GetBytes(frame, bytes);
        return Append(bytes);
    }

    /// <summary>
    /// Adds an empty frame at the end, such as the delimiter between the envelope of a request and its body.
    /// </summary>
    public ZeroMqMessage AppendEmpty() => Append([]);

    /// <summary>Adds a frame at the beginning, such as the routing id for a ROUTER, and copies the bytes.</summary>
    public ZeroMqMessage Prepend(ReadOnlySpan<byte> frame)
    {
        int size = ZmtpWriter.FrameSize(frame.Length);
        bool more = !IsEmpty;
        if (_start < size)
        {
            Reserve(size);
            _buffer.AsSpan(_start, _end - _start).CopyTo(_buffer.AsSpan(_start + size));
            _end += size;
        }
        else
        {
            _start -= size;
        }

        ZmtpWriter.WriteFrame(_buffer.AsSpan(_start), frame, more);
        _isIndexed = false;
        return this;
    }

    /// <summary>Removes the first frame.</summary>
    /// <exception cref="InvalidOperationException">The message is empty.</exception>
    public ZeroMqMessage RemoveFirst()
    {
        if (IsEmpty)
        {
            ThrowEmpty();
        }

        EncodedMessage.SplitFrame(Encoded, out _, out int size);
        _start += size;
        _isIndexed = false;
        if (IsEmpty)
        {
            Clear();
        }

        return this;
    }

    /// <summary>Replaces the frames of this message with copies of another message's frames.</summary>
    public ZeroMqMessage CopyFrom(ZeroMqMessage other)
    {
        ArgumentNullException.ThrowIfNull(other);
        if (other != this)
        {
            SetEncoded(other.Encoded);
        }

        return this;
    }

    /// <summary>Copies all frames into new arrays.</summary>
    public byte[][] ToArrays()
    {
        byte[][] frames = new byte[FrameCount][];
        for (int i = 0; i < frames.Length; i++)
        {
            frames[i] = this[i].ToArray();
        }

        return frames;
    }

    /// <summary>Empties the message and returns its buffer to the pool.</summary>
    public void Dispose()
    {
        Clear();
        if (_buffer.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(_buffer);
            _buffer = [];
        }
    }

    /// <summary>The number of frames and their sizes, for logs and debuggers.</summary>
    public override string ToString()
    {
        var sizes = new List<string>();
        for (int i = 0; i < FrameCount; i++)
        {
            sizes.Add($"{this[i].Length} B");
        }

        return $"{FrameCount} frames ({string.Join(", ", sizes)})";
    }

    /// <summary>Replaces the content with a copy of an encoded message that is known to be well-formed.</summary>
    internal void SetEncoded(ReadOnlySpan<byte> encoded)
    {
        Peer = null;
        _start = _end = 0;
        Reserve(encoded.Length);
        encoded.CopyTo(_buffer);
        _end = encoded.Length;
        _isIndexed = false;
    }

    /// <summary>
    /// Replaces the content with the encoded frames in <paramref name="before"/>, if any, and a copy of a received
    /// message.
    /// </summary>
    internal void SetReceived(byte[]? before, ReadOnlySpan<byte> encoded, ZeroMqPeer? peer)
    {
        if (before is null)
        {
            SetEncoded(encoded);
            Peer = peer;
            return;
        }

        Peer = peer;
        _start = _end = 0;
        Reserve(before.Length + encoded.Length);
        before.CopyTo(_buffer, 0);
        encoded.CopyTo(_buffer.AsSpan(before.Length));
        _end = before.Length + encoded.Length;
        _isIndexed = false;
    }

    private void Index()
    {
        if (_isIndexed)
        {
            return;
        }

        _frameCount = 0;
        for (int at = _start; at < _end;)
        {
            AddIndex(at);
            EncodedMessage.SplitFrame(_buffer.AsSpan(at, _end - at), out _, out int size);
            at += size;
        }

        _isIndexed = true;
    }

    private void AddIndex(int at)
    {
        if (_frameCount == _frames.Length)
        {
            Array.Resize(ref _frames, Math.Max(4, _frameCount * 2));
        }

        _frames[_frameCount++] = at;
    }

    // Ensures that this many bytes are free at the end of the buffer.
    private void Reserve(int size)
    {
        if (_buffer.Length - _end >= size)
        {
            return;
        }

        byte[] larger = ArrayPool<byte>.Shared.Rent(Math.Max(checked(_end + size), SmallestBuffer));
        _buffer.AsSpan(0, _end).CopyTo(larger);
        if (_buffer.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(_buffer);
        }

        _buffer = larger;
    }

    [DoesNotReturn]
    private static void ThrowEmpty() => throw new InvalidOperationException("The message has no frames.");
}
