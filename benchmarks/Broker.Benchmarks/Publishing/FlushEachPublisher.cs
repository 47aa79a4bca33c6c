namespace Broker.Benchmarks.Publishing;

/// <summary>Sends each message as soon as it is published.</summary>
internal sealed class FlushEachPublisher(int port) : RawPublisher(port)
{
    private readonly byte[] _frame = new byte[128];

    internal override void Publish(ReadOnlySpan<byte> body, int messages)
    {
        for (int i = 0; i < messages; i++)
        {
            SendAll(_frame.AsSpan(0, Write(_frame, body)));
        }

        SendAll("PING\r\n"u8);
        AwaitAnswer();
    }
}
