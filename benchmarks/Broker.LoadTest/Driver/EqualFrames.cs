namespace Broker.LoadTest.Driver;

/// <summary>A stream that repeats one message, so all lines are equal.</summary>
internal sealed class EqualFrames(string subject, byte[] payload) : IStream
{
    private readonly FrameBlock _block = new(Frames.Publish(subject, payload));
    private readonly byte[] _frame = Frames.Message(subject, 1, payload);

    public ReadOnlyMemory<byte> Received => _frame;

    public void Prepare()
    {
        // The constructor has encoded the frames already.
    }

    public void Send(RawConnection connection, long count, SendWindow? window = null) => _block.Send(connection, count, window);

    public long ReceivedBytes(long count) => count * _frame.Length;
}
