namespace Broker.Server;

/// <summary>
/// A short byte string in reusable memory. A small buffer is kept for the next string. A large buffer is not kept,
/// because otherwise each instance would grow to the size of its longest string. This is a mutable struct: keep it in a
/// field and do not copy it.
/// </summary>
internal struct ReusedBytes
{
    /// <summary>The largest buffer that is kept, in bytes.</summary>
    internal const int MaxKept = 64;

    // The bytes that an array uses in addition to its elements.
    private const int ArrayOverhead = 24;

    private byte[]? _buffer;
    private int _length;

    internal readonly ReadOnlySpan<byte> Span => _buffer.AsSpan(0, _length);

    internal readonly int Length => _length;

    /// <summary>The memory that a string of this length uses.</summary>
    internal static int SizeFor(int length) => ArrayOverhead + Math.Max(length, MaxKept);

    /// <summary>Stores a copy of the bytes.</summary>
    /// <returns>The change in used memory, in bytes.</returns>
    internal int Set(ReadOnlySpan<byte> bytes)
    {
        int more = 0;
        if (_buffer is null || _buffer.Length < bytes.Length)
        {
            more = SizeFor(bytes.Length) - (_buffer is null ? 0 : SizeFor(_buffer.Length));
            _buffer = new byte[Math.Max(bytes.Length, MaxKept)];
        }

        bytes.CopyTo(_buffer);
        _length = bytes.Length;
        return more;
    }

    /// <summary>
    /// Removes the string. Releases its buffer if the buffer is large or <paramref name="keepsMemory"/> is false.
    /// </summary>
    /// <inheritdoc cref="Set" path="/returns"/>
    internal int Clear(bool keepsMemory)
    {
        _length = 0;
        if (_buffer is null || (keepsMemory && _buffer.Length <= MaxKept))
        {
            return 0;
        }

        int fewer = -SizeFor(_buffer.Length);
        _buffer = null;
        return fewer;
    }
}
