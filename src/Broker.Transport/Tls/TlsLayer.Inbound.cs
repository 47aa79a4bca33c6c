namespace Broker.Transport;

// While there is nothing to decrypt, a read of zero bytes is pending. It uses neither a buffer of the loop nor a buffer
// of SslStream. It completes when a real read would not wait. It completes within Feed, on the loop's thread, so the
// layer only needs to check whether it has completed.
internal sealed partial class TlsLayer
{
    private ValueTask<int> _read;
    private bool _reads;
    private bool _readFailed;

    internal override int FeedHandshake(ReadOnlySpan<byte> bytes) => _wire.FeedCopy(bytes);

    internal override void EndHandshakeFeed() => _wire.End();

    internal override void Feed(byte[] cipher, int count) => _wire.Feed(cipher, count);

    internal override void EndFeed() => _wire.EndFeed();

    internal override bool IsReadable()
    {
        if (_readFailed)
        {
            return true;
        }

        if (!_reads)
        {
            _read = _ssl.ReadAsync(Memory<byte>.Empty);
            _reads = true;
        }

        return _read.IsCompleted;
    }

    internal override int Read(Memory<byte> buffer, out ReceiveOutcome outcome)
    {
        int total = 0;
        outcome = _readFailed ? ReceiveOutcome.Failed : ReceiveOutcome.Received;
        try
        {
            while (!_readFailed && total < buffer.Length && IsReadable())
            {
                _reads = false;
                _ = _read.GetAwaiter().GetResult();
                int got = ReadNow(buffer[total..]);
                if (got == 0)
                {
                    // The next call of Read reports the end of the stream again.
                    outcome = total == 0 ? ReceiveOutcome.EndOfStream : ReceiveOutcome.Received;
                    return total;
                }

                total += got;
            }
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            Fault = e;
            _readFailed = true;
            outcome = total == 0 ? ReceiveOutcome.Failed : ReceiveOutcome.Received;
        }

        return total;
    }

    private int ReadNow(Memory<byte> buffer)
    {
        ValueTask<int> read = _ssl.ReadAsync(buffer);
        if (!read.IsCompleted)
        {
            throw new InvalidOperationException("A record of TLS was announced and is not there.");
        }

        return read.GetAwaiter().GetResult();
    }
}
