namespace Broker.Transport;

/// <summary>
/// The received bytes that a handler has not consumed, in a rented array. Bytes are consumed at the front and added at
/// the end. Neither of these moves the other bytes. An empty buffer owns no memory. Not thread-safe: only the
/// connection's loop uses it.
/// </summary>
/// <param name="arrays">The arrays of the connection's loop.</param>
/// <remarks>
/// On average, each byte is moved only a bounded number of times, however small the received parts are. When the array
/// grows, its size at least doubles. Bytes move back to the front of the array only if at least as many bytes were
/// consumed as are moved.
/// </remarks>
internal struct UnconsumedBuffer(ReceiveArrays arrays)
{
    private const int Smallest = 256;

    // An array of up to this size is kept, even if a smaller array would be enough.
    private const int LargestToKeep = 64 * 1024;

    private byte[]? _array;
    private int _start;
    private int _length;

    /// <summary>The number of unconsumed bytes.</summary>
    internal readonly int Length => _length;

    internal readonly ReadOnlySpan<byte> Bytes => _array.AsSpan(_start, _length);

    /// <summary>
    /// Replaces the content with a copy of <paramref name="bytes"/>. Returns the number of moved bytes.
    /// </summary>
    internal int Replace(ReadOnlySpan<byte> bytes)
    {
        if (bytes.IsEmpty)
        {
            Release();
            return 0;
        }

        if (_array is null || _array.Length < bytes.Length)
        {
            Release();
            _array = arrays.Rent(Math.Max(bytes.Length, Smallest));
        }

        bytes.CopyTo(_array);
        _start = 0;
        _length = bytes.Length;
        return bytes.Length;
    }

    /// <summary>
    /// Adds a copy of <paramref name="bytes"/> at the end. Returns the number of moved bytes. The content must not
    /// become larger than the largest possible array.
    /// </summary>
    internal int Append(ReadOnlySpan<byte> bytes)
    {
        long least = _length + (long)bytes.Length;
        long most = least <= LargestToKeep ? LargestToKeep : Array.MaxLength;
        int moved = Reserve(bytes.Length, (int)Math.Min(Math.Max(_length * 2L, least), most));
        bytes.CopyTo(_array.AsSpan(_start + _length));
        _length += bytes.Length;
        return moved + bytes.Length;
    }

    /// <summary>The size of the array if it counts against the <see cref="ReceiveBudget"/>, otherwise 0.</summary>
    internal readonly int CountedBytes => _array is { Length: > ReceiveBudget.Uncounted and var size } ? size : 0;

    /// <summary>
    /// Returns the size of the array that <see cref="Reserve"/> would allocate; 0 if it would allocate no array.
    /// </summary>
    internal readonly int MeasureGrowth(int count, int size)
        => _array is { } array && (array.Length - _start - _length >= count || (_start >= _length && array.Length - _length >= count))
            ? 0
            : ReceiveArrays.Round(Math.Max(Math.Max(size, _length + count), Smallest));

    /// <summary>
    /// Reserves space for <paramref name="count"/> bytes behind the content. If this needs a new array, the new array
    /// has at least <paramref name="size"/> bytes. Returns the number of moved bytes.
    /// </summary>
    internal int Reserve(int count, int size)
    {
        byte[]? array = _array;
        if (array is not null && array.Length - _start - _length >= count)
        {
            return 0;
        }

        if (array is not null && _start >= _length && array.Length - _length >= count)
        {
            Bytes.CopyTo(array);
        }
        else
        {
            byte[] larger = arrays.Rent(Math.Max(Math.Max(size, _length + count), Smallest));
            Bytes.CopyTo(larger);
            if (array is not null)
            {
                arrays.Return(array);
            }

            _array = larger;
        }

        _start = 0;
        return _length;
    }

    /// <summary>
    /// The reserved space, into which a transport can receive. Valid until the next call of any method.
    /// </summary>
    internal readonly (byte[] Array, int Offset) FreeSpace => (_array!, _start + _length);

    /// <summary>Counts bytes that were written into <see cref="FreeSpace"/>.</summary>
    internal void Advance(int count) => _length += count;

    /// <summary>
    /// Takes the array out of this buffer while a handler reads it. So nobody else can rent the array, even if the
    /// connection is closed meanwhile. The caller must then call <see cref="PutBack"/> or <see cref="Return"/>.
    /// </summary>
    internal Window TakeOut()
    {
        var window = new Window(_array!, _start, _length);
        _array = null;
        _start = _length = 0;
        return window;
    }

    /// <summary>
    /// Puts the array back, without the first <paramref name="consumed"/> bytes of its content. Returns the number of
    /// moved bytes.
    /// </summary>
    internal int PutBack(in Window window, int consumed)
    {
        int left = window.Length - consumed;
        if (left == 0)
        {
            Return(window);
            return 0;
        }

        // Only a few bytes are left, fewer than were consumed. They move to a small array, so that the beginning of the
        // next message does not keep the array of a large message.
        if (window.Array.Length > LargestToKeep && left < window.Array.Length / 4 && left < consumed)
        {
            int moved = Replace(window.Array.AsSpan(window.Start + consumed, left));
            Return(window);
            return moved;
        }

        _array = window.Array;
        _start = window.Start + consumed;
        _length = left;
        return 0;
    }

    internal readonly void Return(in Window window) => arrays.Return(window.Array);

    internal void Release()
    {
        if (_array is not null)
        {
            arrays.Return(_array);
            _array = null;
        }

        _start = _length = 0;
    }

    /// <summary>The array and its content while a handler reads it.</summary>
    internal readonly record struct Window(byte[] Array, int Start, int Length)
    {
        internal ReadOnlySpan<byte> Bytes => Array.AsSpan(Start, Length);
    }
}
