namespace Broker.LoadTest.Driver;

/// <summary>One message, again and again: no line differs from the one before.</summary>
internal sealed class EqualFrames(string subject, byte[] payload) : IStream
{
    private readonly FrameBlock _block = new(Frames.Publish(subject, payload));
    private readonly byte[] _frame = Frames.Message(subject, 1, payload);

    public ReadOnlyMemory<byte> Received => _frame;

    public void Prepare()
    {
        // It was encoded when this was made.
    }

    public void Send(RawConnection connection, long count) => _block.Send(connection, count);

    public long ReceivedBytes(long count) => count * _frame.Length;
}
