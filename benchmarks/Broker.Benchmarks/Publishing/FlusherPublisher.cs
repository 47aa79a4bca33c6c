namespace Broker.Benchmarks.Publishing;

/// <summary>
/// Writes into a buffer and notifies a flusher thread, which sends the buffer. It notifies only once until the flusher
/// has run.
/// </summary>
internal sealed class FlusherPublisher : RawPublisher
{
    // The most bytes of a PUB operation besides its payload.
    private const int MostOverhead = 64;

    private readonly Lock _gate = new();
    private readonly AutoResetEvent _kick = new(false);
    private readonly Thread _flusher;
    private byte[] _filled = new byte[1024 * 1024];
    private byte[] _sending = new byte[1024 * 1024];
    private int _length;
    private bool _isKicked;
    private volatile bool _ended;

    internal FlusherPublisher(int port)
        : base(port)
    {
        _flusher = new Thread(Flush) { IsBackground = true, Name = "flusher" };
        _flusher.Start();
    }

    internal override void Publish(ReadOnlySpan<byte> body, int messages)
    {
        int most = MostOverhead + body.Length;
        for (int i = 0; i < messages; i++)
        {
            while (!TryWrite(body, most))
            {
                // The buffer is full until the flusher has sent it.
                Thread.Yield();
            }

            Kick();
        }

        lock (_gate)
        {
            "PING\r\n"u8.CopyTo(_filled.AsSpan(_length));
            _length += "PING\r\n".Length;
        }

        Kick();
        AwaitAnswer();
    }

    public override void Dispose()
    {
        _ended = true;
        _kick.Set();
        _flusher.Join();
        _kick.Dispose();
        base.Dispose();
    }

    private bool TryWrite(ReadOnlySpan<byte> body, int most)
    {
        lock (_gate)
        {
            // The free space always suffices for the final PING.
            if (_filled.Length - _length < most + MostOverhead)
            {
                return false;
            }

            _length += Write(_filled.AsSpan(_length), body);
            return true;
        }
    }

    private void Flush()
    {
        while (true)
        {
            _kick.WaitOne();
            if (_ended)
            {
                return;
            }

            // Later writes notify the flusher again.
            Interlocked.Exchange(ref _isKicked, false);
            int length;
            lock (_gate)
            {
                (_filled, _sending) = (_sending, _filled);
                length = _length;
                _length = 0;
            }

            SendAll(_sending.AsSpan(0, length));
        }
    }

    private void Kick()
    {
        if (!Interlocked.Exchange(ref _isKicked, true))
        {
            _kick.Set();
        }
    }
}
