namespace Broker.ZeroMq.Tests.Zmtp;

public sealed class DecoderLimitTests
{
    private static readonly ZmtpLimits Small = new(maxFrameSize: 300, maxMessageSize: 500, maxFrames: 3, maxCommandSize: 270);

    public static TheoryData<string, byte[], Enum> Refused => new()
    {
        { "length 2^63", [2, .. Wire.Big64(1UL << 63)], ZmtpError.FrameLengthInvalid },
        { "length 2^64-1", [3, .. Wire.Big64(ulong.MaxValue)], ZmtpError.FrameLengthInvalid },
        { "length 2^63-1", [2, .. Wire.Big64(long.MaxValue)], ZmtpError.FrameTooLarge },
        { "length 2^32", [2, .. Wire.Big64(1UL << 32)], ZmtpError.FrameTooLarge },
        { "length 2^31", [2, .. Wire.Big64(1UL << 31)], ZmtpError.FrameTooLarge },
        { "length 2^31-1", [2, .. Wire.Big64(int.MaxValue)], ZmtpError.FrameTooLarge },
        { "one above the frame limit", [2, .. Wire.Big64(301)], ZmtpError.FrameTooLarge },
        { "one above the message limit", [.. Wire.Message(Wire.Filled(300), [])[..^2], 0, 201], ZmtpError.MessageTooLarge },
        { "frames", Wire.Message([1], [2], [3], [4]), ZmtpError.TooManyFrames },
        { "command length 2^63", [6, .. Wire.Big64(1UL << 63)], ZmtpError.FrameLengthInvalid },
        { "command length 2^63-1", [6, .. Wire.Big64(long.MaxValue)], ZmtpError.CommandTooLarge },
        { "one above the command limit", [6, .. Wire.Big64(271)], ZmtpError.CommandTooLarge },
        { "command with MORE", [5, 1], ZmtpError.CommandWithMore },
        { "long command with MORE", [7, 0], ZmtpError.CommandWithMore },
        { "reserved bit 3", [8, 0], ZmtpError.FrameFlagsReserved },
        { "reserved bit 7", [0x80, 0], ZmtpError.FrameFlagsReserved },
        { "all bits", [0xFF, 0], ZmtpError.FrameFlagsReserved },
        { "command without name", [4, 1, 0], ZmtpError.CommandMalformed },
        { "empty command", [4, 0, 1, 0, 0, 0, 0, 0, 0, 0], ZmtpError.CommandMalformed },
        { "empty long command", [6, .. Wire.Big64(0)], ZmtpError.CommandMalformed },
        { "name longer than command", [4, 3, 3, (byte)'A', (byte)'B'], ZmtpError.CommandMalformed },
        { "digit in name", [4, 3, 2, (byte)'A', (byte)'1'], ZmtpError.CommandMalformed },
        { "mislabelled length above what libzmq can mean", [4, .. Wire.Big64(266)], ZmtpError.CommandMalformed },
        { "mislabelled length below", [4, .. Wire.Big64(255)], ZmtpError.CommandMalformed },
        { "empty command inside a message", [1, 0, 4, 0], ZmtpError.CommandMalformed },
        { "commands inside a message count as frames", Wire.Join([1, 0], Libzmq.Pong, Libzmq.Pong), ZmtpError.TooManyFrames },
        { "commands inside a message count as octets", Wire.Join(Wire.Message(Wire.Filled(300), [])[..^2], Wire.Command("PONG", Wire.Filled(200))), ZmtpError.MessageTooLarge },
    };

    [Theory]
    [MemberData(nameof(Refused))]
    public void A_stream_is_refused_at_the_header_and_for_good(string what, byte[] stream, Enum expected)
    {
        var error = (ZmtpError)expected;
        Assert.NotEmpty(what);
        foreach (int size in new[] { 1, 2, 7, stream.Length })
        {
            Session session = new Session(Small).FeedInPieces(stream, size);
            Assert.Equal(error, session.Error);
            Assert.DoesNotContain(session.Events, text => text.StartsWith("message", StringComparison.Ordinal));
            Assert.InRange(session.LargestNeed, 0, Small.MaxPendingBytes);
        }

        var decoder = new ZmtpDecoder(Small);
        var recorder = new Recorder([]);
        Assert.Equal(error, decoder.Decode(stream, ref recorder).Error);
        Assert.Equal(new ZmtpDecodeResult(0, 0, error, false), decoder.Decode(Wire.Message([1]), ref recorder));
    }

    [Fact]
    public void Frames_at_the_limits_are_accepted()
    {
        Session session = new Session(Small).Feed(Wire.Join(
            Wire.Message(Wire.Filled(300)),
            Wire.Message(Wire.Filled(300), Wire.Filled(200)),
            Wire.Message([1], [2], [3]),
            Wire.Join(Wire.Frame(1, [1]), Libzmq.Pong, Wire.Frame(0, [2])),
            Wire.Command("CANCEL", Wire.Filled(263))));

        Assert.Equal(ZmtpError.None, session.Error);
        Assert.Equal(6, session.Events.Count);
    }

    [Fact]
    public void Short_frames_obey_limits_below_256()
    {
        var limits = new ZmtpLimits(maxFrameSize: 10, maxMessageSize: 15, maxFrames: 4, maxCommandSize: 8);
        Assert.Equal(ZmtpError.None, new Session(limits).Feed(Wire.Message(Wire.Filled(10))).Error);
        Assert.Equal(ZmtpError.FrameTooLarge, new Session(limits).Feed([0, 11]).Error);
        Assert.Equal(ZmtpError.MessageTooLarge, new Session(limits).Feed(Wire.Message(Wire.Filled(10), Wire.Filled(6))).Error);
        Assert.Equal(ZmtpError.CommandTooLarge, new Session(limits).Feed([4, 9]).Error);
    }

    [Fact]
    public void Limits_that_make_no_sense_are_refused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => new ZmtpLimits(maxFrameSize: 0));
        Assert.Throws<ArgumentOutOfRangeException>(() => new ZmtpLimits(maxFrames: 0));
        Assert.Throws<ArgumentOutOfRangeException>(() => new ZmtpLimits(maxCommandSize: -1));
        Assert.Throws<ArgumentOutOfRangeException>(() => new ZmtpLimits(maxMessageSize: int.MaxValue));
        Assert.Throws<ArgumentOutOfRangeException>(() => new ZmtpLimits(maxFrames: int.MaxValue));
    }
}
