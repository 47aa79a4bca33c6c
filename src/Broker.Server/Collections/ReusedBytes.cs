namespace Broker.Server.Collections;

/// <summary>
/// A short string of bytes in a place that is used again and again: its memory stays for the next one, unless that would make all places as
/// large as the longest that were ever in them. A mutable struct: to be kept in a field and not to be copied.
/// </summary>
internal struct ReusedBytes
{
    /// <summary>Memory up to this is kept.</summary>
    internal const int MostKept = 64;

    // What an array takes beside its elements.
    private const int ArrayOverhead = 24;

    private byte[]? _buffer;
    private int _length;

    internal readonly ReadOnlySpan<byte> Span => _buffer.AsSpan(0, _length);

    internal readonly int Length => _length;

    /// <summary>How much memory so many bytes take.</summary>
    internal static int SizeFor(int length) => ArrayOverhead + Math.Max(length, MostKept);

    /// <summary>Puts a copy in.</summary>
    /// <returns>How many bytes of memory more than before it holds.</returns>
    internal int Set(ReadOnlySpan<byte> bytes)
    {
        int more = 0;
        if (_buffer is null || _buffer.Length < bytes.Length)
        {
            more = SizeFor(bytes.Length) - (_buffer is null ? 0 : SizeFor(_buffer.Length));
            _buffer = new byte[Math.Max(bytes.Length, MostKept)];
        }

        bytes.CopyTo(_buffer);
        _length = bytes.Length;
        return more;
    }

    /// <summary>Empties the place, and gives its memory up where that is large or not to be kept.</summary>
    /// <inheritdoc cref="Set" path="/returns"/>
    internal int Clear(bool keepsMemory)
    {
        _length = 0;
        if (_buffer is null || (keepsMemory && _buffer.Length <= MostKept))
        {
            return 0;
        }

        int fewer = -SizeFor(_buffer.Length);
        _buffer = null;
        return fewer;
    }
}
