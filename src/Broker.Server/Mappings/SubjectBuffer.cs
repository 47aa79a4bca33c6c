namespace Broker.Server;

/// <summary>A growing buffer for one subject at a time. Not thread-safe.</summary>
internal sealed class SubjectBuffer
{
    private byte[] _bytes = new byte[256];
    private int _length;

    /// <summary>The bytes since the last <see cref="Clear"/>. They are valid until the next write.</summary>
    internal ReadOnlySpan<byte> Written => _bytes.AsSpan(0, _length);

    internal void Clear() => _length = 0;

    internal void Write(ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(Reserve(bytes.Length));
        _length += bytes.Length;
    }

    internal void Write(byte value)
    {
        Reserve(1)[0] = value;
        _length++;
    }

    internal void Write(uint number)
    {
        const int MaxDigits = 10;
        number.TryFormat(Reserve(MaxDigits), out int written, provider: System.Globalization.CultureInfo.InvariantCulture);
        _length += written;
    }

    private Span<byte> Reserve(int length)
    {
        if (_bytes.Length - _length < length)
        {
            Array.Resize(ref _bytes, Math.Max(_bytes.Length * 2, _length + length));
        }

        return _bytes.AsSpan(_length);
    }
}
