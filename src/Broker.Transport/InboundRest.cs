using System.Buffers;

namespace Broker.Transport;

/// <summary>
/// What a handler left unconsumed: a window of a rented array, consumed at its front and added to at its end, so that neither
/// moves what is kept. Owns no memory while it is empty. Not thread-safe: the connection's loop's.
/// </summary>
/// <remarks>
/// However bytes come in, each is moved a bounded number of times on average: the array at least doubles when it grows, and its
/// window goes back to the front only when at least as much was consumed as is moved.
/// </remarks>
internal struct InboundRest
{
    private const int Smallest = 256;

    // Arrays up to this are not exchanged for smaller ones.
    private const int LargestToKeep = 64 * 1024;

    private byte[]? _array;
    private int _start;
    private int _length;

    /// <summary>How many bytes are kept.</summary>
    internal readonly int Length => _length;

    internal readonly ReadOnlySpan<byte> Bytes => _array.AsSpan(_start, _length);

    /// <summary>Replaces what is kept by a copy. Returns how many bytes were moved.</summary>
    internal int Keep(ReadOnlySpan<byte> bytes)
    {
        if (bytes.IsEmpty)
        {
            Release();
            return 0;
        }

        if (_array is null || _array.Length < bytes.Length)
        {
            Release();
            _array = ArrayPool<byte>.Shared.Rent(Math.Max(bytes.Length, Smallest));
        }

        bytes.CopyTo(_array);
        _start = 0;
        _length = bytes.Length;
        return bytes.Length;
    }

    /// <summary>Adds a copy at the end. Returns how many bytes were moved; there must be room for them in an array.</summary>
    internal int Append(ReadOnlySpan<byte> bytes)
    {
        int moved = Reserve(bytes.Length, (int)Math.Min(Math.Max(_length * 2L, _length + (long)bytes.Length), Array.MaxLength));
        bytes.CopyTo(_array.AsSpan(_start + _length));
        _length += bytes.Length;
        return moved + bytes.Length;
    }

    /// <summary>
    /// Makes room for <paramref name="count"/> bytes behind those that are kept; where it takes another array, that has at least
    /// <paramref name="size"/> in all. Returns how many bytes were moved.
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
            byte[] larger = ArrayPool<byte>.Shared.Rent(Math.Max(Math.Max(size, _length + count), Smallest));
            Bytes.CopyTo(larger);
            if (array is not null)
            {
                ArrayPool<byte>.Shared.Return(array);
            }

            _array = larger;
        }

        _start = 0;
        return _length;
    }

    /// <summary>The reserved room, to be received into; good until anything else is called.</summary>
    internal readonly (byte[] Array, int Offset) Room => (_array!, _start + _length);

    /// <summary>Counts bytes that were written into <see cref="Room"/>.</summary>
    internal void Advance(int count) => _length += count;

    /// <summary>
    /// Gives up what is kept, so that nobody else can rent it while a handler looks at it, also when the connection is closed
    /// meanwhile. <see cref="PutBack"/> or <see cref="Return"/> must follow.
    /// </summary>
    internal Window TakeOut()
    {
        var window = new Window(_array!, _start, _length);
        _array = null;
        _start = _length = 0;
        return window;
    }

    /// <summary>Keeps what was taken out, without its first <paramref name="consumed"/> bytes. Returns how many were moved.</summary>
    internal int PutBack(in Window window, int consumed)
    {
        int left = window.Length - consumed;
        if (left == 0)
        {
            Return(window);
            return 0;
        }

        // Less than was consumed: a large message's memory does not stay for the beginning of the next.
        if (window.Array.Length > LargestToKeep && left < window.Array.Length / 4 && left < consumed)
        {
            int moved = Keep(window.Array.AsSpan(window.Start + consumed, left));
            Return(window);
            return moved;
        }

        _array = window.Array;
        _start = window.Start + consumed;
        _length = left;
        return 0;
    }

    internal static void Return(in Window window) => ArrayPool<byte>.Shared.Return(window.Array);

    internal void Release()
    {
        if (_array is not null)
        {
            ArrayPool<byte>.Shared.Return(_array);
            _array = null;
        }

        _start = _length = 0;
    }

    /// <summary>Bytes that are out of the rest while a handler looks at them.</summary>
    internal readonly record struct Window(byte[] Array, int Start, int Length)
    {
        internal ReadOnlySpan<byte> Bytes => Array.AsSpan(Start, Length);
    }
}
