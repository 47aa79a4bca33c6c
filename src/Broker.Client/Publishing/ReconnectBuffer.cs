using Broker.Transport;

namespace Broker.Client.Publishing;

/// <summary>
/// Whole commands that are published while no server is connected, encoded, in order. Grows with what is kept, up to its
/// limit, and holds no memory while it is empty. Used under the connection's gate.
/// </summary>
internal sealed class ReconnectBuffer(int limit)
{
    private const int Smallest = 4096;

    // What one hand-over copies at a time: a pooled block's worth.
    private const int Slice = 32 * 1024;

    private byte[] _bytes = [];

    internal int Length { get; private set; }

    internal int Messages { get; private set; }

    /// <summary>Room for <paramref name="size"/> bytes, good until the next call; empty when the limit does not allow it.</summary>
    internal Span<byte> GetSpan(int size)
    {
        if (size > limit - Length)
        {
            return default;
        }

        if (_bytes.Length - Length < size)
        {
            long doubled = Math.Max(_bytes.Length * 2L, Smallest);
            Array.Resize(ref _bytes, (int)Math.Min(limit, Math.Max(Length + size, doubled)));
        }

        return _bytes.AsSpan(Length);
    }

    internal void Advance(int count)
    {
        Length += count;
        Messages++;
    }

    internal void MoveTo(OutboundStage stage)
    {
        for (ReadOnlySpan<byte> rest = _bytes.AsSpan(0, Length); !rest.IsEmpty;)
        {
            int taken = Math.Min(rest.Length, Slice);
            stage.Write(rest[..taken]);
            rest = rest[taken..];
        }

        Clear();
    }

    internal void Clear()
    {
        _bytes = [];
        Length = 0;
        Messages = 0;
    }
}
