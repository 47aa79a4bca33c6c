namespace Broker.ZeroMq.Tests.Zmtp;

/// <summary>Replaces the transport: it keeps the unconsumed octets and passes them again with the next ones.</summary>
internal sealed class Session
{
    private readonly ZmtpLimits _limits;
    private readonly ZmtpHandshake? _handshake;
    private readonly byte[] _output = [];
    private readonly List<byte> _sent = [];
    private readonly bool _waitForNeeded;
    private ZmtpDecoder _decoder;
    private byte[] _held = [];
    private int _needed;

    public Session(ZmtpLimits limits, ZmtpHandshake? handshake = null, bool waitForNeeded = true)
    {
        _limits = limits;
        _handshake = handshake;
        _waitForNeeded = waitForNeeded;
        _decoder = new ZmtpDecoder(limits);
        if (handshake is null)
        {
            return;
        }

        _output = new byte[handshake.MaxOutputSize];
        _sent.AddRange(_output.AsSpan(0, handshake.Advance([], _output).Written));
    }

    public List<string> Events { get; } = [];

    public ZmtpError Error { get; private set; }

    public byte[] Sent => [.. _sent];

    public int LargestNeed { get; private set; }

    public int Held => _held.Length;

    public Session Feed(ReadOnlySpan<byte> received)
    {
        _held = [.. _held, .. received];
        if (Error != ZmtpError.None || (_waitForNeeded && _held.Length < _needed))
        {
            return this;
        }

        int before = Events.Count;
        bool early = _held.Length < _needed;
        int consumed = Handshake();
        if (Error == ZmtpError.None && _handshake is null or { State: ZmtpHandshakeState.Active })
        {
            consumed += Traffic(consumed);
        }

        Assert.InRange(consumed, 0, _held.Length);
        if (early && Error == ZmtpError.None)
        {
            Assert.Equal(0, consumed);
            Assert.Equal(before, Events.Count);
        }

        _held = _held[consumed..];
        if (Error == ZmtpError.None)
        {
            Assert.True(_needed > _held.Length, "asked for no more than it left");
        }

        return this;
    }

    public Session FeedInPieces(ReadOnlySpan<byte> stream, int size)
    {
        for (; !stream.IsEmpty; stream = stream[Math.Min(size, stream.Length)..])
        {
            Feed(stream[..Math.Min(size, stream.Length)]);
        }

        return this;
    }

    private int Handshake()
    {
        if (_handshake is null or { State: ZmtpHandshakeState.Active })
        {
            return 0;
        }

        ZmtpHandshakeStep step = _handshake.Advance(_held, _output);
        _sent.AddRange(_output.AsSpan(0, step.Written));
        Error = _handshake.Error;
        Need(step.Needed);
        if (step.State == ZmtpHandshakeState.Active)
        {
            Events.Add($"active {_handshake.Peer!.SocketType} {_handshake.Peer.Major}.{_handshake.Peer.Minor} {Convert.ToHexString(_handshake.Peer.Identity.Span)}");
        }

        return step.Consumed;
    }

    private int Traffic(int from)
    {
        var recorder = new Recorder(Events);
        ZmtpDecodeResult result = _decoder.Decode(_held.AsSpan(from), ref recorder);
        Error = result.Error;
        Need(result.Needed);
        Assert.False(result.Paused);
        return result.Consumed;
    }

    private void Need(int needed)
    {
        _needed = needed;
        LargestNeed = Math.Max(LargestNeed, needed);
        Assert.InRange(needed, 0, Math.Max(_limits.MaxPendingBytes, 8 * 1024 + 9));
    }
}
