namespace Broker.Benchmarks.Peers;

/// <summary>
/// Receives the publishes of its one client, answers the PING after them, and compares every byte with the expected
/// message, which repeats.
/// </summary>
internal sealed class PublishSink : NatsEnd
{
    private readonly byte[] _frame;
    private readonly bool _subscribes;
    private readonly byte[] _buffer = new byte[256 * 1024];
    private readonly ManualResetEventSlim _open = new(initialState: true);
    private long _messages;
    private long _wrong;

    /// <param name="frame">The expected bytes of a message.</param>
    /// <param name="subscribes">Whether the client subscribes before it publishes.</param>
    internal PublishSink(byte[] frame, bool subscribes = false)
    {
        _frame = frame;
        _subscribes = subscribes;
        Start();
    }

    /// <summary>The number of whole messages received.</summary>
    internal long Messages => Volatile.Read(ref _messages);

    /// <summary>The number of bytes that differ from the expected ones.</summary>
    internal long Wrong => Volatile.Read(ref _wrong);

    /// <summary>Stops receiving until <see cref="GoOn"/> is called.</summary>
    internal void Hold() => _open.Reset();

    internal void GoOn() => _open.Set();

    public override void Dispose()
    {
        _open.Set();
        base.Dispose();
        _open.Dispose();
    }

    protected override bool IsReady(bool connected, bool subscribed) => connected && (subscribed || !_subscribes);

    protected override void Run()
    {
        ReadOnlySpan<byte> ping = "PING\r\n"u8;
        // A comparison of many frames at a time is cheap, compared with receiving.
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
