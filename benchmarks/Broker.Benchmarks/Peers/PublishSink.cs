namespace Broker.Benchmarks.Peers;

/// <summary>
/// Takes what its one client publishes, answers the PING behind it, and knows every byte that it must be: one message, again and again.
/// </summary>
internal sealed class PublishSink : NatsEnd
{
    private readonly byte[] _frame;
    private readonly byte[] _buffer = new byte[256 * 1024];
    private readonly ManualResetEventSlim _open = new(initialState: true);
    private long _messages;
    private long _wrong;

    /// <param name="frame">The message as it is to come.</param>
    internal PublishSink(byte[] frame)
    {
        _frame = frame;
        Start();
    }

    /// <summary>Whole messages that have come.</summary>
    internal long Messages => Volatile.Read(ref _messages);

    /// <summary>Bytes that were others than they had to be.</summary>
    internal long Wrong => Volatile.Read(ref _wrong);

    /// <summary>Takes nothing more until <see cref="GoOn"/>.</summary>
    internal void Hold() => _open.Reset();

    internal void GoOn() => _open.Set();

    public override void Dispose()
    {
        _open.Set();
        base.Dispose();
        _open.Dispose();
    }

    protected override bool IsReady(bool connected, bool subscribed) => connected;

    protected override void Run()
    {
        ReadOnlySpan<byte> ping = "PING\r\n"u8;
        // A compare of many frames at a time costs little beside the receiving.
        byte[] many = [.. Enumerable.Repeat(_frame, _buffer.Length / _frame.Length).SelectMany(f => f)];
        int have = 0;
        int got;
        while ((got = Client.Receive(_buffer, have, _buffer.Length - have, System.Net.Sockets.SocketFlags.None)) > 0)
        {
            _open.Wait();
            have += got;
            ReadOnlySpan<byte> bytes = _buffer.AsSpan(0, have);
            int whole = bytes.Length / _frame.Length * _frame.Length;
            bool pinged = false;
            if (bytes.EndsWith(ping) && (bytes.Length - ping.Length) % _frame.Length == 0)
            {
                pinged = true;
                whole = bytes.Length - ping.Length;
            }

            Volatile.Write(ref _wrong, _wrong + (bytes[..whole].SequenceEqual(many.AsSpan(0, whole)) ? 0 : whole));
            Volatile.Write(ref _messages, _messages + (whole / _frame.Length));
            int used = whole + (pinged ? ping.Length : 0);
            bytes[used..].CopyTo(_buffer);
            have -= used;
            if (pinged)
            {
                Client.Send("PONG\r\n"u8);
            }
        }
    }
}
