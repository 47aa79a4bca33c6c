namespace Broker.LoadTest.Driver;

/// <summary>One frame, repeated to fill 64 KiB. A publisher only sends this block repeatedly.</summary>
internal sealed class FrameBlock
{
    private const int TargetSize = 64 * 1024;

    private readonly byte[] _block;
    private readonly int _frameLength;
    private readonly int _frames;

    public FrameBlock(ReadOnlySpan<byte> frame)
    {
        _frameLength = frame.Length;
        _frames = Math.Max(1, TargetSize / frame.Length);
        _block = GC.AllocateUninitializedArray<byte>(_frames * frame.Length, pinned: true);
        for (int i = 0; i < _frames; i++)
        {
            frame.CopyTo(_block.AsSpan(i * frame.Length));
        }
    }

    public void Send(RawConnection connection, long count, SendWindow? window = null)
    {
        long all = count;
        for (; count >= _frames; count -= _frames)
        {
            window?.Wait(all - count);
            connection.Send(_block);
        }

        if (count > 0)
        {
            connection.Send(_block.AsSpan(0, (int)count * _frameLength));
        }
    }
}
