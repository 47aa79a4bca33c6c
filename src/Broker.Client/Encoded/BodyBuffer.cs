using System.Buffers;

namespace Broker.Client;

/// <summary>
/// The buffer in which a body is encoded before its length is known. It is reused for the next body, unless it has
/// become large.
/// </summary>
internal sealed class BodyBuffer : IBufferWriter<byte>
{
    private const int Smallest = 256;
    private const int LargestKept = 64 * 1024;

    private byte[] _bytes = new byte[Smallest];
    private int _length;

    internal ReadOnlySpan<byte> Written => _bytes.AsSpan(0, _length);

    internal bool IsWorthKeeping => _bytes.Length <= LargestKept;

    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _bytes.Length - _length);
        _length += count;
    }

    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return _bytes.AsMemory(_length);
    }

    public Span<byte> GetSpan(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return _bytes.AsSpan(_length);
    }

    internal void Clear() => _length = 0;

    private void Reserve(int sizeHint)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        int needed = checked(_length + Math.Max(sizeHint, 1));
        if (needed > _bytes.Length)
        {
            Array.Resize(ref _bytes, (int)Math.Min(Array.MaxLength, Math.Max(needed, _bytes.Length * 2L)));
        }
    }
}
