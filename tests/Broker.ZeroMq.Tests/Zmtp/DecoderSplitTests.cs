namespace Broker.ZeroMq.Tests.Zmtp;

public sealed class DecoderSplitTests
{
    private static readonly ZmtpLimits Limits = new(maxFrameSize: 1000, maxMessageSize: 4000, maxFrames: 10, maxCommandSize: 500);

    public static TheoryData<string, byte[]> Streams => new()
    {
        { "libzmq SUB 3.1", Wire.Join(Libzmq.Greeting, Libzmq.SubReady, Libzmq.Subscriptions31, Libzmq.Ping, Libzmq.MislabelledSubscribe, Libzmq.Pong) },
        { "3.0 SUB", Wire.Join(Wire.Greeting(minor: 0), Wire.Ready("SUB"), Libzmq.Subscriptions30, Wire.Message(Wire.Join([1], Wire.Filled(400)))) },
        {
            "messages",
            Wire.Join(
                Libzmq.Greeting,
                Libzmq.SubReady,
                Libzmq.Published,
                Libzmq.FiveFrames,
                Wire.Message([]),
                Wire.Message(Wire.Filled(255)),
                Wire.Frame(2, [1, 2]),
                Libzmq.Request,
                Wire.Command("CANCEL", Wire.Filled(300)),
                Wire.Command("NEWS"))
        },
        {
            "commands between frames",
            Wire.Join(
                Libzmq.Greeting,
                Libzmq.SubReady,
                Wire.Frame(1, [1, 2, 3]),
                Libzmq.Pong,
                Libzmq.Ping,
                Wire.Frame(3, Wire.Filled(300)),
                Wire.Command("CANCEL", Wire.Filled(300)),
                Wire.Frame(0, [4]),
                Wire.Message([5]))
        },
    };

    [Theory]
    [MemberData(nameof(Streams))]
    public void Every_split_point_has_the_events_of_the_whole_stream(string name, byte[] stream)
    {
        Session whole = Start().Feed(stream);
        Assert.Equal(ZmtpError.None, whole.Error);
        Assert.Equal(0, whole.Held);
        Assert.True(whole.Events.Count > 3, name);
        for (int split = 0; split <= stream.Length; split++)
        {
            foreach (bool wait in new[] { true, false })
            {
                Session parts = Start(wait).Feed(stream.AsSpan(0, split)).Feed(stream.AsSpan(split));
                Assert.Equal(whole.Events, parts.Events);
                Assert.Equal(whole.Sent, parts.Sent);
                Assert.Equal(0, parts.Held);
            }
        }
    }

    [Theory]
    [MemberData(nameof(Streams))]
    public void Pieces_of_any_size_have_the_events_of_the_whole_stream(string name, byte[] stream)
    {
        Session whole = Start().Feed(stream);
        for (int size = 1; size < 40; size++)
        {
            foreach (bool wait in new[] { true, false })
            {
                Assert.Equal(whole.Events, Start(wait).FeedInPieces(stream, size).Events);
            }
        }

        Assert.NotEmpty(name);
    }

    [Fact]
    public void A_message_is_consumed_only_when_its_last_frame_has_arrived()
    {
        byte[] stream = Wire.Message([1], [2], [3, 3]);
        for (int length = 0; length < stream.Length; length++)
        {
            Session session = new Session(Limits).Feed(stream.AsSpan(0, length));
            Assert.Empty(session.Events);
            Assert.Equal(length, session.Held);
        }

        Assert.Equal(["message [01] [02] [0303]"], new Session(Limits).Feed(stream).Events);
    }

    [Fact]
    public void Needed_includes_the_pending_frame_as_soon_as_its_header_is_visible()
    {
        var decoder = new ZmtpDecoder(Limits);
        var recorder = new Recorder([]);
        Assert.Equal(2, decoder.Decode([], ref recorder).Needed);
        Assert.Equal(2, decoder.Decode([1], ref recorder).Needed);
        Assert.Equal(2 + 7, decoder.Decode([1, 7], ref recorder).Needed);
        byte[] second = [1, 7, 0, 0, 0, 0, 0, 0, 0, 2, 0];
        Assert.Equal(9 + 9, decoder.Decode(second, ref recorder).Needed);
        Assert.Equal(9 + 9 + 700, decoder.Decode([.. second, 0, 0, 0, 0, 0, 2, 0xBC], ref recorder).Needed);
    }

    [Fact]
    public void Scanned_frames_are_not_scanned_again()
    {
        var decoder = new ZmtpDecoder(Limits);
        var events = new List<string>();
        var recorder = new Recorder(events);
        byte[] stream = Wire.Message([1], [2], [3]);
        Assert.Equal(0, decoder.Decode(stream.AsSpan(0, 6), ref recorder).Consumed);

        // The caller must keep these octets. If the decoder read them again, it would refuse them.
        stream[0] = 0xF9;
        stream[3] = 0xF9;
        ZmtpDecodeResult result = decoder.Decode(stream.AsSpan(0, 8), ref recorder);
        Assert.Equal(ZmtpError.None, result.Error);
        Assert.Equal(9, result.Needed);
    }

    private static Session Start(bool wait = true)
        => new(Limits, new ZmtpHandshake(new ZmtpHandshakeOptions(ZmtpSocketType.XPub)), wait);
}
