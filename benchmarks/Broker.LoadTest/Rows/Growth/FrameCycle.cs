namespace Broker.LoadTest.Rows.Growth;

/// <summary>
/// Frames of equal length in one block that is sent repeatedly. A measurement continues where the last one stopped.
/// </summary>
internal sealed class FrameCycle
{
    private const int LargestSend = 64 * 1024;

    private readonly byte[] _block;
    private readonly int _frameLength;
    private readonly int _framesPerSend;
    private int _position;

    /// <summary>Repeats the frames until they fill a send.</summary>
    public FrameCycle(int count, Func<int, byte[]> frame)
    {
        byte[] first = frame(0);
        _frameLength = first.Length;
        _framesPerSend = Math.Max(1, LargestSend / _frameLength);
        int copies = Math.Max(1, _framesPerSend / count);
        Frames = copies * count;
        _block = GC.AllocateUninitializedArray<byte>(Frames * _frameLength, pinned: true);
        for (int i = 0; i < Frames; i++)
        {
            byte[] one = i == 0 ? first : frame(i % count);
            if (one.Length != _frameLength)
            {
                throw new ArgumentException("Frames of a cycle must have one length.", nameof(frame));
            }

            one.CopyTo(_block, i * _frameLength);
        }
    }

    public int Frames { get; }

    /// <summary>Takes up to <paramref name="most"/> frames, as many as are sent at once.</summary>
    public ReadOnlySpan<byte> Next(long most, out int frames)
    {
        frames = (int)Math.Min(Math.Min(most, _framesPerSend), Frames - _position);
        ReadOnlySpan<byte> next = _block.AsSpan(_position * _frameLength, frames * _frameLength);
        _position = (_position + frames) % Frames;
        return next;
    }
}
