namespace Broker.ZeroMq.Tests.Zmtp;

public sealed class DecoderVerdictTests
{
    private static readonly byte[] Stream = Wire.Join(
        Wire.Message([9]), Libzmq.Ping, Wire.Frame(1, [2]), Libzmq.Pong, Wire.Frame(0, [3]), Wire.Message([4], [5]), Wire.Message(Wire.Filled(300)));

    private static readonly string[] All = Everything();

    [Fact]
    public void A_pause_consumes_the_delivered_messages_and_the_next_call_continues()
    {
        var decoder = new ZmtpDecoder(ZmtpLimits.Default);
        var events = new List<string>();
        var recorder = new Recorder(events) { MessageVerdict = ZmtpVerdict.Pause, CommandVerdict = ZmtpVerdict.Pause };
        Span<byte> rest = Stream.AsSpan();
        for (int call = 1; call <= All.Length; call++)
        {
            ZmtpDecodeResult result = decoder.Decode(rest, ref recorder);
            Assert.True(result.Paused);
            Assert.Equal(0, result.Needed);
            Assert.Equal(All[..call], events);
            rest = rest[result.Consumed..];
        }

        Assert.True(rest.IsEmpty);
        Assert.False(decoder.Decode(rest, ref recorder).Paused);
    }

    [Fact]
    public void A_held_message_is_delivered_again()
    {
        var decoder = new ZmtpDecoder(ZmtpLimits.Default);
        var events = new List<string>();
        Span<byte> rest = Stream.AsSpan();
        for (int i = 0; i < All.Length; i++)
        {
            for (int refusal = 0; refusal < 2; refusal++)
            {
                var holder = new Recorder(events) { MessageVerdict = ZmtpVerdict.Defer, CommandVerdict = ZmtpVerdict.Defer };
                ZmtpDecodeResult held = decoder.Decode(rest, ref holder);
                Assert.True(held.Paused);
                Assert.Equal(0, held.Consumed);
                Assert.Equal(All[i], events[^1]);
            }

            var taker = new Recorder(events) { MessageVerdict = ZmtpVerdict.Pause, CommandVerdict = ZmtpVerdict.Pause };
            rest = rest[decoder.Decode(rest, ref taker).Consumed..];
            Assert.Equal(All[i], events[^1]);
        }

        Assert.Equal(All.Length * 3, events.Count);
        Assert.True(rest.IsEmpty);
    }

    [Fact]
    public void An_abort_is_final()
    {
        foreach (byte[] stream in new[] { Wire.Message([1]), Wire.Message([1], [2]), Libzmq.Ping })
        {
            var decoder = new ZmtpDecoder(ZmtpLimits.Default);
            var events = new List<string>();
            var recorder = new Recorder(events) { MessageVerdict = ZmtpVerdict.Abort, CommandVerdict = ZmtpVerdict.Abort };
            Assert.Equal(ZmtpError.Aborted, decoder.Decode(stream, ref recorder).Error);
            Assert.Equal(new ZmtpDecodeResult(0, 0, ZmtpError.Aborted, false), decoder.Decode(stream, ref recorder));
            Assert.Single(events);
        }
    }

    [Fact]
    public void Commands_between_frames_are_delivered_before_the_message_and_are_not_part_of_it()
    {
        Assert.Equal(
            ["message [09]", "command Ping [0014]", "command Pong [637478]", "message [02] [03]", "message [04] [05]"],
            All[..5]);

        var decoder = new ZmtpDecoder(ZmtpLimits.Default);
        var copier = new Copier();
        Assert.Equal(Stream.Length, decoder.Decode(Stream, ref copier).Consumed);
        Assert.Equal(Wire.Join(Wire.Message([9]), Wire.Message([2], [3]), Wire.Message([4], [5]), Wire.Message(Wire.Filled(300))), copier.Copied);
        Assert.Equal(1, copier.Interrupted);
    }

    private static string[] Everything()
    {
        var decoder = new ZmtpDecoder(ZmtpLimits.Default);
        var events = new List<string>();
        var recorder = new Recorder(events);
        Assert.Equal(Stream.Length, decoder.Decode(Stream, ref recorder).Consumed);
        return [.. events];
    }

    private struct Copier() : IZmtpFrameHandler
    {
        public byte[] Copied { get; private set; } = [];

        public int Interrupted { get; private set; }

        public ZmtpVerdict OnMessage(in ZmtpMessage message)
        {
            byte[] copy = new byte[message.EncodedSize];
            message.CopyTo(copy);
            Copied = [.. Copied, .. copy];
            if (!message.IsContiguous)
            {
                Interrupted++;
                Assert.True(message.Encoded.IsEmpty);
            }

            return ZmtpVerdict.Continue;
        }

        public readonly ZmtpVerdict OnCommand(in ZmtpCommand command) => ZmtpVerdict.Continue;
    }
}
