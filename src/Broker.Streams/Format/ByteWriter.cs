namespace Broker.Streams;

/// <summary>A growing array, which keeps its memory when it is cleared.</summary>
internal sealed class ByteWriter
{
    private byte[] _bytes = [];

    internal int Length { get; private set; }

    internal Span<byte> Written => _bytes.AsSpan(0, Length);

    internal void Clear() => Length = 0;

    /// <summary>Appends space for some bytes. Its content is undefined.</summary>
    internal Span<byte> Append(int count)
    {
        if (_bytes.Length - Length < count)
        {
            long doubled = Math.Min(Math.Max(2L * _bytes.Length, 4096), Array.MaxLength);
            Array.Resize(ref _bytes, checked((int)Math.Max(doubled, (long)Length + count)));
        }

        Span<byte> space = _bytes.AsSpan(Length, count);
        Length += count;
        return space;
    }

    /// <summary>Removes bytes from the end.</summary>
    internal void Truncate(int length) => Length = length;
}
