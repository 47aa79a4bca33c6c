using Broker.ZeroMq;

namespace NetMQ;

#pragma warning disable CA1001 // A disposal on another thread would take the buffer from a call in progress.
/// <summary>The frames of a message whose last frame has not been sent.</summary>
internal sealed class OutgoingFrames
{
    private readonly ZeroMqMessage _frames = new();

    internal bool IsEmpty => _frames.IsEmpty;

    internal void Add(ReadOnlySpan<byte> frame) => _frames.Append(frame);

    internal void Clear() => _frames.Clear();

    /// <summary>Sends all frames and a last one. If there is no room, the last frame stays with the caller.</summary>
    internal bool TrySend(SendHalf half, ReadOnlySpan<byte> last, TimeSpan timeout)
    {
        _frames.Append(last);
        if (half.TrySend(_frames, timeout))
        {
            _frames.Clear();
            return true;
        }

        byte[][] frames = _frames.ToArrays();
        _frames.Clear();
        foreach (byte[] frame in frames.AsSpan(..^1))
        {
            _frames.Append(frame);
        }

        return false;
    }
}
